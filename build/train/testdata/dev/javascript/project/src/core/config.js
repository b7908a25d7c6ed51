import fs from 'node:fs';
import path from 'node:path';
import util from 'node:util';

export const DEFAULT_CONFIG_PATH = 'skylog.json';
export const DEFAULT_BAUD = 9600;
export const MAX_NAME_LENGTH = 32;
const DATA_DIR = './data';

export class ConfigError extends Error {
  constructor(message, key) {
    super(message);
    this.name = 'ConfigError';
    this.key = key;
  }
}

const defaults = {
  name: 'backyard',
  port: '/dev/ttyUSB0',
  baud: DEFAULT_BAUD,
  dataDir: DATA_DIR,
  seed: 1,
  altitude: 0,
  limits: {
    windGust: 20,
    temperatureLow: -10,
    temperatureHigh: 38,
    rainRate: 30,
  },
};

export function mergeConfig(base, extra) {
  const merged = { ...base };
  for (const [key, value] of Object.entries(extra)) {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      merged[key] = mergeConfig(base[key] ?? {}, value);
    } else {
      merged[key] = value;
    }
  }
  return merged;
}

export function validateConfig(config) {
  if (config.name) {
    if (config.name.length <= MAX_NAME_LENGTH) {
      if (Number.isInteger(config.baud)) {
        if (config.altitude > -430 && config.altitude < 8850) {
          return config;
        }
        throw new ConfigError('altitude out of range: ' + config.altitude, 'altitude');
      }
      throw new ConfigError('baud must be an integer', 'baud');
    }
    throw new ConfigError('name longer than ' + MAX_NAME_LENGTH + ' characters', 'name');
  }
  throw new ConfigError('name is missing', 'name');
}

/** Reads the config file and fills in the defaults. */
export function loadConfig(file) {
  let extra = {};
  try {
    extra = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
  }
  const config = validateConfig(mergeConfig(defaults, extra));
  config.dataDir = path.resolve(path.dirname(file), config.dataDir);
  fs.mkdirSync(config.dataDir, { recursive: true });
  return config;
}

export function saveConfig(file, config, indent) {
  const text = JSON.stringify(config, null, indent);
  fs.writeFileSync(file, text + '\n');
  console.log('saved', file);
}

function legacyKeys(config) {
  const map = { baudrate: 'baud', station: 'name', dir: 'dataDir' };
  for (const [old, now] of Object.entries(map)) {
    if (old in config) {
      config[now] = config[old];
      delete config[old];
    }
  }
  return config;
}
