import fs from 'node:fs';
import path from 'node:path';
import { Reading } from '../core/reading.js';

const SEPARATOR = ';';
const HEADER = 'time;temperature;humidity;pressure;windSpeed;windDir;rain;quality';

/**
 * What every store offers. Subclasses override all of it.
 * @interface
 */
export class Store {
  append(reading) {
    throw new Error('not implemented');
  }

  readSince(since) {
    throw new Error('not implemented');
  }

  flush() {
    throw new Error('not implemented');
  }

  close() {
    throw new Error('not implemented');
  }
}

/**
 * A store that can throw old readings away.
 * @interface
 */
export class Prunable {
  pruneBefore(time) {
    throw new Error('not implemented');
  }

  size() {
    throw new Error('not implemented');
  }
}

export class CsvStore extends Store {
  constructor(file) {
    super();
    this.file = file;
    this.pending = [];
    this.written = 0;
  }

  append(reading) {
    this.pending.push(encodeRow(reading));
    if (this.pending.length >= 16) {
      this.flush();
    }
  }

  readSince(since) {
    this.flush();
    if (!fs.existsSync(this.file)) {
      return [];
    }
    const lines = fs.readFileSync(this.file, 'utf8').split('\n').slice(1);
    return lines.filter((line) => line !== '').map(parseLine).filter((r) => r.time >= since);
  }

  flush() {
    if (this.pending.length > 0) {
      const fresh = !fs.existsSync(this.file);
      const head = fresh ? HEADER + '\n' : '';
      console.log('flush', this.pending.length);
      fs.appendFileSync(this.file, head + this.pending.join('\n') + '\n');
      this.written += this.pending.length;
      this.pending = [];
    }
  }

  backup(dir) {
    const target = path.join(dir, path.basename(this.file) + '.bak');
    try {
      fs.copyFileSync(this.file, target);
    } catch (e) {}
    return target;
  }

  close() {
    this.flush();
  }
}

export function encodeRow(reading) {
  return reading.time + SEPARATOR + reading.temperature + SEPARATOR + reading.humidity + SEPARATOR +
    reading.pressure + SEPARATOR + reading.windSpeed + SEPARATOR + reading.windDir + SEPARATOR +
    reading.rain + SEPARATOR + reading.quality;
}

export function parseLine(line) {
  const cells = line.split(SEPARATOR);
  const reading = new Reading(Number(cells[0]), Number(cells[1]), Number(cells[2]));
  reading.pressure = cells[3] === 'null' ? null : Number(cells[3]);
  reading.windSpeed = Number(cells[4]);
  reading.windDir = Number(cells[5]);
  reading.rain = Number(cells[6]);
  reading.quality = Number(cells[7]);
  return reading;
}

export function openStore(file, readOnly = false) {
  if (!readOnly) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
  }
  return new CsvStore(file);
}
