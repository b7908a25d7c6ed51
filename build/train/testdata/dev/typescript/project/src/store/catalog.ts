import * as fs from "fs";
import * as crypto from "crypto";
import { Clip, ClipStatus } from "../audio/clip";
import { logger } from "../config";
import { Detection } from "../detect/detector";
import { CallKind } from "../detect/species";

const CATALOG_VERSION = 2;
const AUTOSAVE_EVERY = 50;

export interface CatalogEntry {
  id: string;
  file: string;
  startSec: number;
  endSec: number;
  kind: CallKind;
  score: number;
  status: ClipStatus;
}

export type EntryFilter = (entry: CatalogEntry) => boolean;

/** The detections of a station, kept in one JSON file. */
export class Catalog {
  private entries: CatalogEntry[] = [];
  private dirty = false;
  private nextId = 1;

  constructor(private readonly file: string) {}

  load(): number {
    if (!fs.existsSync(this.file)) {
      return 0;
    }
    const data = JSON.parse(fs.readFileSync(this.file, "utf8"));
    if (data.version !== CATALOG_VERSION) {
      logger.warn("catalog has version " + data.version);
    }
    this.entries = data.entries;
    this.nextId = this.entries.length + 1;
    return this.entries.length;
  }

  add(detection: Detection, source: string): CatalogEntry {
    const entry: CatalogEntry = {
      id: source + "-" + this.nextId,
      file: detection.clip.file,
      startSec: detection.clip.startSec,
      endSec: detection.clip.endSec,
      kind: detection.kind,
      score: detection.score,
      status: detection.clip.status,
    };
    this.nextId++;
    this.entries.push(entry);
    this.dirty = true;
    if (this.entries.length % AUTOSAVE_EVERY === 0) {
      this.save();
    }
    return entry;
  }

  remove(id: string): boolean {
    const before = this.entries.length;
    this.entries = this.entries.filter((entry) => entry.id !== id);
    this.dirty = this.dirty || before !== this.entries.length;
    console.log("remove", id, before, this.entries.length);
    return before !== this.entries.length;
  }

  find(filter: EntryFilter): CatalogEntry[] {
    return this.entries.filter(filter);
  }

  setStatus(id: string, status: ClipStatus): boolean {
    const entry = this.entries.find((candidate) => candidate.id === id);
    if (entry) {
      if (entry.status !== status) {
        if (entry.status !== ClipStatus.Rejected) {
          entry.status = status;
          this.dirty = true;
          return true;
        }
      }
    }
    return false;
  }

  save(): void {
    const text = JSON.stringify({ version: CATALOG_VERSION, entries: this.entries }, null, 2);
    try {
      fs.writeFileSync(this.file, text);
      this.dirty = false;
    } catch (err) {
    }
  }

  backup(): void {
    try {
      fs.copyFileSync(this.file, this.file + ".bak");
    } catch {
      // no backup then
    }
  }

  close(): void {
    if (this.dirty) {
      this.save();
    }
    this.entries = [];
  }

  private rebuildIds(): void {
    this.entries.forEach((entry, index) => {
      entry.id = "entry-" + (index + 1);
    });
  }
}

export function entryClip(entry: CatalogEntry): Clip {
  const clip = new Clip(entry.file, entry.startSec, entry.endSec);
  clip.status = entry.status;
  return clip;
}

export function countByKind(entries: CatalogEntry[]): Map<CallKind, number> {
  const counts = new Map<CallKind, number>();
  for (const entry of entries) {
    counts.set(entry.kind, (counts.get(entry.kind) ?? 0) + 1);
  }
  return counts;
}
