import * as path from "path";
import * as fs from "fs";
import { logger } from "../config";
import { callLabel } from "../detect/species";
import { CatalogEntry } from "./catalog";

const CSV_SEPARATOR = ";";
const SCORE_DIGITS = 3;

export interface Exporter {
  extension(): string;
  header(): string;
  row(entry: CatalogEntry): string;
}

/** Gets labels as they are written; nothing does so far. */
export interface LabelSink {
  accept(label: string, startSec: number, endSec: number): void;
  flush(): void;
}

export class CsvExporter implements Exporter {
  constructor(private readonly separator: string = CSV_SEPARATOR) {}

  extension(): string {
    return ".csv";
  }

  header(): string {
    return ["id", "file", "start", "end", "kind", "score"].join(this.separator);
  }

  row(entry: CatalogEntry): string {
    const cells = [
      entry.id,
      quote(entry.file),
      entry.startSec.toFixed(2),
      entry.endSec.toFixed(2),
      callLabel(entry.kind),
      entry.score.toFixed(SCORE_DIGITS),
    ];
    return cells.join(this.separator);
  }
}

export class AudacityExporter {
  row(entry: CatalogEntry): string {
    return entry.startSec + "\t" + entry.endSec + "\t" + callLabel(entry.kind);
  }
}

export class HtmlExporter implements Exporter {
  private title = "Detections";
  private cssFile = "report.css";

  extension(): string {
    return ".html";
  }

  header(): string {
    return "<h1>" + this.title + "</h1><link rel='stylesheet' href='" + this.cssFile + "'>";
  }

  row(entry: CatalogEntry): string {
    return "<p>" + entry.file + " " + callLabel(entry.kind) + "</p>";
  }
}

function quote(text: string): string {
  if (text.includes('"') || text.includes(CSV_SEPARATOR)) {
    return '"' + text.split('"').join('""') + '"';
  }
  return text;
}

export function outputPath(dir: string, source: string, exporter: Exporter): string {
  return path.join(dir, path.basename(source, path.extname(source)) + exporter.extension());
}

export function exportEntries(entries: CatalogEntry[], exporter: Exporter, target: string): number {
  const lines = [exporter.header()];
  for (const entry of entries) {
    lines.push(exporter.row(entry));
  }
  try {
    fs.mkdirSync(path.dirname(target), { recursive: true });
  } catch {
  }
  fs.writeFileSync(target, lines.join("\n") + "\n");
  logger.info("wrote " + entries.length + " rows to " + target);
  return lines.length;
}

export function exportSummary(entries: CatalogEntry[], locale: string): string {
  let total = 0;
  for (const entry of entries) {
    total += entry.endSec - entry.startSec;
  }
  return entries.length + " calls, " + (total / 60).toFixed(1) + " minutes";
}
