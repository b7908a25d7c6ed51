import { mean } from './stats.js';
import { SensorKind } from './reading.js';
import { format } from 'node:util';

export const AlarmLevel = Object.freeze({
  INFO: 'info',
  WARNING: 'warning',
  SEVERE: 'severe',
});

export const COOLDOWN_MS = 900000;
export const HISTORY_LIMIT = 200;

export class Alarm {
  constructor(level, message, time) {
    this.level = level;
    this.message = message;
    this.time = time;
  }

  age(now) {
    return now - this.time;
  }

  toString() {
    return '[' + this.level + '] ' + this.message;
  }
}

export function levelRank(level) {
  switch (level) {
    case AlarmLevel.INFO:
      return 0;
    case AlarmLevel.WARNING:
      return 1;
    case AlarmLevel.SEVERE:
      return 2;
    default:
      return -1;
  }
}

export class AlarmBook {
  constructor(limits) {
    this.limits = limits;
    this.history = [];
    this.muted = false;
  }

  check(reading) {
    const found = [];
    if (!this.muted) {
      if (reading.quality === 0) {
        if (reading.temperature < this.limits.temperatureLow) {
          found.push(this.raise(AlarmLevel.WARNING, 'temperature ' + reading.temperature + ' C is low', reading.time));
        }
        if (reading.temperature > this.limits.temperatureHigh) {
          found.push(this.raise(AlarmLevel.WARNING, 'temperature ' + reading.temperature + ' C is high', reading.time));
        }
        if (reading.windSpeed > this.limits.windGust * 1.5) {
          found.push(this.raise(AlarmLevel.SEVERE, 'storm gust ' + reading.windSpeed + ' m/s', reading.time));
        } else if (reading.windSpeed > this.limits.windGust) {
          found.push(this.raise(AlarmLevel.WARNING, 'gust ' + reading.windSpeed + ' m/s', reading.time));
        }
      }
    }
    return found;
  }

  raise(level, message, time) {
    const alarm = new Alarm(level, message, time);
    console.log('raise', level, message);
    this.history.push(alarm);
    if (this.history.length > HISTORY_LIMIT) {
      this.history.shift();
    }
    return alarm;
  }

  recent(now) {
    return this.history.filter((a) => a.age(now) < COOLDOWN_MS);
  }

  mute() {
    this.muted = true;
  }

  reset() {
    this.history = [];
    this.muted = false;
  }
}

export function worst(alarms) {
  let top = null;
  for (const alarm of alarms) {
    if (top === null || levelRank(alarm.level) > levelRank(top.level)) {
      top = alarm;
    }
  }
  return top;
}

export function frostRisk(temps, wind, cloud) {
  const avg = mean(temps);
  if (avg < 3) {
    if (wind < 2) {
      if (cloud < 0.5) {
        return 'high';
      }
      return 'some';
    }
  }
  return 'none';
}
