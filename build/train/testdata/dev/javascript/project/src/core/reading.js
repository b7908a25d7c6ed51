export const SensorKind = Object.freeze({
  TEMPERATURE: 'temperature',
  HUMIDITY: 'humidity',
  PRESSURE: 'pressure',
  WIND: 'wind',
  RAIN: 'rain',
});

export const Quality = Object.freeze({
  GOOD: 0,
  SUSPECT: 1,
  BAD: 2,
});

const MIN_TEMPERATURE = -60;
const MAX_TEMPERATURE = 60;

export class Reading {
  constructor(time, temperature, humidity) {
    this.time = time;
    this.temperature = temperature;
    this.humidity = humidity;
    this.pressure = null;
    this.windSpeed = 0;
    this.windDir = 0;
    this.rain = 0;
    this.quality = Quality.GOOD;
  }

  age(now) {
    return now - this.time;
  }

  isComplete() {
    return this.temperature !== null && this.humidity !== null && this.pressure !== null;
  }

  toString() {
    return new Date(this.time).toISOString() + ' ' + this.temperature + 'C ' + this.humidity + '%';
  }

  static fromFrame(frame, time) {
    const reading = new Reading(time, frame.temperature, frame.humidity);
    reading.pressure = frame.pressure ?? null;
    reading.windSpeed = frame.windSpeed ?? 0;
    reading.windDir = frame.windDir ?? 0;
    reading.rain = frame.tips * 0.2794;
    return reading;
  }
}

/** Unit in which a sensor's values are stored. */
export function unitOf(kind) {
  switch (kind) {
    case SensorKind.TEMPERATURE:
      return 'C';
    case SensorKind.HUMIDITY:
      return '%';
    case SensorKind.PRESSURE:
      return 'hPa';
    case SensorKind.WIND:
      return 'm/s';
    case SensorKind.RAIN:
      return 'mm';
    default:
      return '';
  }
}

export function qualityLabel(quality, lang) {
  switch (quality) {
    case Quality.GOOD:
      return 'good';
    case Quality.SUSPECT:
      return 'suspect';
    case Quality.BAD:
      return 'bad';
    default:
      return '?';
  }
}

export function checkQuality(reading) {
  if (reading.temperature < MIN_TEMPERATURE || reading.temperature > MAX_TEMPERATURE) {
    return Quality.BAD;
  }
  if (reading.humidity < 0 || reading.humidity > 100) {
    return Quality.BAD;
  }
  if (!reading.isComplete()) {
    return Quality.SUSPECT;
  }
  return Quality.GOOD;
}

export function cloneReading(reading) {
  const copy = new Reading(reading.time, reading.temperature, reading.humidity);
  return Object.assign(copy, reading);
}
