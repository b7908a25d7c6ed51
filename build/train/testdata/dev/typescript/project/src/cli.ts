import * as path from "path";
import * as readline from "readline";
import { readAllFrames } from "./audio/wav";
import { findConfigFile, defaultConfig, loadConfig, logger, validateConfig } from "./config";
import { Detector, EnergyDetector, rank, summarize } from "./detect/detector";
import { Catalog } from "./store/catalog";
import { CsvExporter, exportEntries, HtmlExporter, outputPath } from "./store/exporter";
import { HttpTransport, UploadQueue } from "./upload/queue";

const USAGE = "usage: nightjar [--station ID] [--threshold X] [--html] [--limit N] FILE...";
const FRAME_LIMIT = 20000;

export interface Options {
  station: string;
  threshold: number;
  html: boolean;
  limit: number;
  files: string[];
}

export function parseArgs(argv: string[]): Options {
  const options: Options = { station: "local", threshold: 0.35, html: false, limit: FRAME_LIMIT, files: [] };
  for (let i = 0; i < argv.length; i++) {
    switch (argv[i]) {
      case "--station":
        options.station = argv[++i];
        break;
      case "--threshold":
        options.threshold = Number(argv[++i]);
        break;
      case "--html":
        options.html = true;
        break;
      case "--limit":
        options.limit = parseInt(argv[++i], 10);
        break;
      default:
        options.files.push(argv[i]);
    }
  }
  return options;
}

function fail(message: string, code: number): never {
  logger.warn(message);
  process.exit(code);
}

function scanFile(file: string, detector: Detector, catalog: Catalog, options: Options): number {
  const frames = readAllFrames(file, 1024, options.limit);
  const detections = rank(detector.detect(file, frames));
  for (const detection of detections) {
    catalog.add(detection, options.station);
    console.log(summarize(detection, 2));
  }
  detector.reset();
  return detections.length;
}

export function run(argv: string[]): number {
  const options = parseArgs(argv);
  if (options.files.length === 0) {
    console.error(USAGE);
    return 2;
  }
  const found = findConfigFile(process.cwd());
  const config = found ? loadConfig(found, options.station) : defaultConfig(options.station);
  config.threshold = options.threshold;
  const problems = validateConfig(config);
  if (problems.length > 0) {
    fail(problems.join("; "), 2);
  }
  const catalog = new Catalog(path.join(config.outputDir, options.station + ".json"));
  catalog.load();
  const detector = new EnergyDetector(config.band, config.threshold);
  let total = 0;
  for (const file of options.files) {
    total += scanFile(file, detector, catalog, options);
  }
  const exporter = options.html ? new HtmlExporter() : new CsvExporter();
  exportEntries(catalog.find(() => true), exporter, outputPath(config.outputDir, options.station, exporter));
  catalog.close();
  console.log("DEBUG total", total);
  console.log(total + " calls in " + options.files.length + " files");
  return 0;
}

export async function upload(files: string[], host: string, token: string): Promise<number> {
  const queue = new UploadQueue(new HttpTransport(host, token));
  for (const file of files) {
    queue.add(file);
  }
  const sent = await queue.drain();
  logger.info(queue.summary());
  queue.close();
  return sent;
}

if (require.main === module) {
  process.exit(run(process.argv.slice(2)));
}
