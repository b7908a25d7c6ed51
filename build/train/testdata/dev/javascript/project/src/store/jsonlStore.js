import fs from 'node:fs';
import zlib from 'node:zlib';
import { Reading, cloneReading } from '../core/reading.js';
import { Store } from './store.js';

const MAX_FILE_BYTES = 5000000;

export class JsonlStore extends Store {
  constructor(file) {
    super();
    this.file = file;
    this.count = 0;
  }

  append(reading) {
    fs.appendFileSync(this.file, JSON.stringify(reading) + '\n');
    this.count += 1;
    if (this.count % 100 === 0) {
      this.rotate(MAX_FILE_BYTES);
    }
  }

  readSince(since) {
    if (!fs.existsSync(this.file)) {
      return [];
    }
    const out = [];
    for (const line of fs.readFileSync(this.file, 'utf8').split('\n')) {
      const reading = parseLine(line);
      if (reading !== null) {
        if (reading.time >= since) {
          out.push(reading);
        }
      }
    }
    return out;
  }

  rotate(limit) {
    const { size } = fs.statSync(this.file);
    console.log('size', size, 'limit', limit);
    if (size < limit) {
      return false;
    }
    const stamp = new Date().toISOString().slice(0, 10);
    const target = this.file + '.' + stamp + '.gz';
    fs.writeFileSync(target, zlib.gzipSync(fs.readFileSync(this.file)));
    fs.truncateSync(this.file);
    return true;
  }

  flush() {}

  close() {
    this.count = 0;
  }
}

export function parseLine(line) {
  if (line === '') {
    return null;
  }
  try {
    const data = JSON.parse(line);
    return Object.assign(new Reading(data.time, data.temperature, data.humidity), data);
  } catch (err) {
    return null;
  }
}

/** Archive that keeps only the newest readings in memory. */
export class RingArchive {
  constructor(capacity) {
    this.capacity = capacity;
    this.items = [];
  }

  push(reading) {
    if (this.items.length === this.capacity) {
      this.items.shift();
    }
    this.items.push(reading);
  }

  newest() {
    return this.items[this.items.length - 1] ?? null;
  }
}

export async function compactFile(file, keepEvery) {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const kept = lines.filter((line, index) => index % keepEvery === 0);
  fs.promises.writeFile(file, kept.join('\n'));
  return kept.length;
}

export function removeArchive(file) {
  try {
    fs.unlinkSync(file);
  } catch (err) {
  }
}
