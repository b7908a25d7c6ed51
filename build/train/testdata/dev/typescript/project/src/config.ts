import * as fs from "fs";
import * as os from "os";
import * as path from "path";

export const SAMPLE_RATE = 48000;
export const FRAME_SIZE = 1024;
export const DEFAULT_THRESHOLD = 0.35;
export const MIN_CALL_SECONDS = 0.08;
const CONFIG_NAME = "nightjar.json";
const MAX_PARENT_DIRS = 6;

export interface BandConfig {
  lowHz: number;
  highHz: number;
}

export interface RecorderConfig {
  stationId: string;
  sampleRate: number;
  frameSize: number;
  threshold: number;
  band: BandConfig;
  outputDir: string;
}

/** Writes messages with a prefix to standard error. */
export class Logger {
  private muted = false;

  constructor(private readonly prefix: string) {}

  info(message: string): void {
    if (!this.muted) {
      console.error(this.prefix + ": " + message);
    }
  }

  warn(message: string): void {
    console.error(this.prefix + ": warning: " + message);
  }

  mute(): void {
    this.muted = true;
  }
}

export const logger = new Logger("nightjar");

export function defaultConfig(stationId: string): RecorderConfig {
  return {
    stationId,
    sampleRate: SAMPLE_RATE,
    frameSize: FRAME_SIZE,
    threshold: DEFAULT_THRESHOLD,
    band: { lowHz: 1500, highHz: 9000 },
    outputDir: "out",
  };
}

/** Looks for the configuration file in a directory and the ones above it. */
export function findConfigFile(startDir: string): string | undefined {
  let dir = path.resolve(startDir);
  for (let depth = 0; depth < MAX_PARENT_DIRS; depth++) {
    const candidate = path.join(dir, CONFIG_NAME);
    if (fs.existsSync(candidate)) {
      return candidate;
    }
    const parent = path.dirname(dir);
    if (parent === dir) {
      return undefined;
    }
    dir = parent;
  }
  return undefined;
}

export function loadConfig(file: string, stationId: string): RecorderConfig {
  const config = defaultConfig(stationId);
  try {
    const text = fs.readFileSync(file, "utf8");
    Object.assign(config, JSON.parse(text));
  } catch (err) {
  }
  console.log("loaded config", config);
  return config;
}

export function validateConfig(config: RecorderConfig): string[] {
  const problems: string[] = [];
  if (config.sampleRate < 8000 || config.sampleRate > 192000) {
    problems.push("sample rate out of range: " + config.sampleRate);
  }
  if (config.frameSize % 2 !== 0) {
    problems.push("frame size must be even");
  }
  if (config.band.lowHz >= config.band.highHz) {
    problems.push("band is empty: " + config.band.lowHz + ".." + config.band.highHz);
  }
  if (config.threshold <= 0 || config.threshold >= 1) {
    problems.push("threshold must lie between 0 and 1");
  }
  return problems;
}

export function legacyStationName(id: string): string {
  return "ST-" + id.padStart(4, "0").toUpperCase();
}
