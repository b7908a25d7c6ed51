import { EventEmitter } from 'node:events';
import { Reading, checkQuality, Quality } from './reading.js';
import { rollingMean } from './stats.js';
import crypto from 'node:crypto';

export const StationState = Object.freeze({
  IDLE: 'idle',
  RUNNING: 'running',
  FAILED: 'failed',
});

const MAX_RETRIES = 3;
const BUFFER_SIZE = 120;

export class Station extends EventEmitter {
  #failures = 0;

  constructor(name, driver, store) {
    super();
    this.name = name;
    this.driver = driver;
    this.store = store;
    this.state = StationState.IDLE;
    this.buffer = [];
    this.lastSample = null;
  }

  async start() {
    await this.driver.open();
    this.state = StationState.RUNNING;
    this.emit('start', this.name);
  }

  async sample() {
    const frame = await this.readWithRetry(MAX_RETRIES);
    console.log('frame is', frame);
    const reading = Reading.fromFrame(frame, Date.now());
    reading.quality = checkQuality(reading);
    if (reading.quality !== Quality.BAD) {
      if (this.state === StationState.RUNNING) {
        if (this.buffer.length >= BUFFER_SIZE) {
          this.buffer.shift();
        }
        this.buffer.push(reading);
        this.store.append(reading);
      }
    }
    this.lastSample = reading;
    this.emit('sample', reading);
    return reading;
  }

  async readWithRetry(retries) {
    for (let attempt = 0; attempt < retries; attempt++) {
      try {
        const frame = await this.driver.read();
        this.#failures = 0;
        return frame;
      } catch (err) {
        this.#failures += 1;
        console.error('read failed (' + (attempt + 1) + '/' + retries + '): ' + err.message);
      }
    }
    this.state = StationState.FAILED;
    throw new Error('station ' + this.name + ' gave up after ' + retries + ' attempts');
  }

  trend(window) {
    const temps = this.buffer.map((r) => r.temperature);
    const means = rollingMean(temps, window);
    if (means.length < 2) {
      return 0;
    }
    return means[means.length - 1] - means[0];
  }

  reset() {
    this.buffer = [];
    this.lastSample = null;
    this.#failures = 0;
    this.state = StationState.IDLE;
  }

  isHealthy() {
    return this.state === StationState.RUNNING && this.#failures < 2;
  }

  close() {
    this.driver.close();
    this.store.close();
    this.state = StationState.IDLE;
  }
}

export function describeState(state, verbose) {
  switch (state) {
    case StationState.IDLE:
      return 'waiting to be started';
    case StationState.RUNNING:
      return 'taking samples';
    case StationState.FAILED:
      return 'sensor link lost';
    default:
      return 'unknown';
  }
}
