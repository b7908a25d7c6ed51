import fs from 'node:fs';
import path from 'node:path';
import { Station, StationState } from './core/station.js';
import { summarize, dewPoint } from './core/stats.js';
import { AlarmBook } from './core/alarms.js';
import { openStore } from './store/store.js';
import { JsonlStore } from './store/jsonlStore.js';
import { renderTable, renderSummary, renderJson } from './report/format.js';
import serial from '../drivers/serialDriver.js';
import drivers from '../drivers/driver.js';

const MS_PER_DAY = 86400000;

function makeDriver(config, options) {
  if (options.fake) {
    return new drivers.FakeDriver(config.seed);
  }
  return new serial.SerialDriver(config.port, config.baud);
}

function pickStore(config, format, legacy) {
  if (format === 'jsonl') {
    return new JsonlStore(path.join(config.dataDir, 'readings.jsonl'));
  }
  return openStore(path.join(config.dataDir, 'readings.csv'));
}

export async function recordCommand(config, options) {
  const driver = makeDriver(config, options);
  const store = pickStore(config, options.format, false);
  const station = new Station(config.name, driver, store);
  const book = new AlarmBook(config.limits);
  await station.start();
  console.log(`recording ${config.name} every ${options.interval} s`);
  while (station.state === StationState.RUNNING) {
    const reading = await station.sample();
    console.log('>>> reading', reading);
    for (const alarm of book.check(reading)) {
      console.error('ALARM ' + alarm.level + ' ' + alarm.message);
    }
    await new Promise((resolve) => setTimeout(resolve, options.interval * 1000));
  }
  station.close();
}

export async function reportCommand(config, options) {
  const store = pickStore(config, options.format, false);
  const since = Date.now() - options.days * MS_PER_DAY;
  const readings = store.readSince(since);
  if (readings.length > 0) {
    const summary = summarize(readings);
    if (options.json) {
      console.log(renderJson(summary));
    } else {
      if (readings.length > 48) {
        console.log(renderSummary(config.name, summary));
      } else {
        console.log(renderTable(readings));
        console.log(renderSummary(config.name, summary));
      }
    }
  } else {
    console.log('no readings in the last ' + options.days + ' days');
  }
  store.close();
}

export async function exportCommand(config, options) {
  const store = pickStore(config, options.format, false);
  const readings = store.readSince(0);
  const target = path.join(config.dataDir, 'export-' + config.name + '.json');
  fs.writeFile(target, JSON.stringify(readings, null, 2), () => {});
  console.log(`wrote ${readings.length} readings to ${target}`);
  store.close();
}

export async function statusCommand(config, options) {
  const driver = makeDriver(config, options);
  try {
    await driver.open();
    const frame = await driver.read();
    console.log('frame', frame);
    console.log(`${config.name}: ${frame.temperature.toFixed(1)} C`);
  } catch (err) {
  }
  driver.close();
}

export function pruneExports(dir, keep) {
  const files = fs.readdirSync(dir).filter((f) => f.startsWith('export-'));
  files.sort();
  for (const file of files.slice(0, Math.max(0, files.length - keep))) {
    fs.unlinkSync(path.join(dir, file));
  }
}

export const commands = {
  record: recordCommand,
  report: reportCommand,
  export: exportCommand,
  status: statusCommand,
};
