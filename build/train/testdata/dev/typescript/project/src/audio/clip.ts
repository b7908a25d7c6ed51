import * as path from "path";
import { MIN_CALL_SECONDS } from "../config";

const PADDING_SECONDS = 0.25;

export enum ClipStatus {
  Fresh = "fresh",
  Reviewed = "reviewed",
  Rejected = "rejected",
}

/** A stretch of one recording. */
export class Clip {
  private tags: string[] = [];
  private note = "";
  status = ClipStatus.Fresh;

  constructor(
    readonly file: string,
    readonly startSec: number,
    readonly endSec: number,
  ) {}

  duration(): number {
    return this.endSec - this.startSec;
  }

  overlaps(other: Clip, slack: number): boolean {
    if (other.file !== this.file) {
      return false;
    }
    return other.startSec - slack < this.endSec && this.startSec - slack < other.endSec;
  }

  merge(other: Clip): Clip {
    const start = Math.min(this.startSec, other.startSec);
    const end = Math.max(this.endSec, other.endSec);
    const merged = new Clip(this.file, start, end);
    for (const tag of [...this.tags, ...other.tags]) {
      merged.addTag(tag);
    }
    return merged;
  }

  addTag(tag: string): void {
    const clean = tag.trim().toLowerCase();
    if (clean !== "" && !this.tags.includes(clean)) {
      this.tags.push(clean);
    }
  }

  hasTag(tag: string): boolean {
    return this.tags.includes(tag.trim().toLowerCase());
  }

  describe(): string {
    return path.basename(this.file) + " " + this.startSec.toFixed(2) + "-" + this.endSec.toFixed(2) + " " + this.status;
  }
}

export function statusIcon(status: ClipStatus): string {
  switch (status) {
    case ClipStatus.Fresh:
      return "*";
    case ClipStatus.Reviewed:
      return "+";
    case ClipStatus.Rejected:
      return "-";
  }
}

export function padClip(clip: Clip, totalSec: number): Clip {
  const start = Math.max(0, clip.startSec - PADDING_SECONDS);
  const end = Math.min(totalSec, clip.endSec + PADDING_SECONDS);
  return new Clip(clip.file, start, end);
}

export function joinClips(clips: Clip[], slack: number): Clip[] {
  const sorted = [...clips].sort((a, b) => a.startSec - b.startSec);
  const joined: Clip[] = [];
  for (const clip of sorted) {
    const last = joined[joined.length - 1];
    if (last !== undefined && last.overlaps(clip, slack)) {
      joined[joined.length - 1] = last.merge(clip);
    } else {
      joined.push(clip);
    }
  }
  return joined;
}

export function dropShort(clips: Clip[]): Clip[] {
  const kept = clips.filter((clip) => clip.duration() >= MIN_CALL_SECONDS);
  console.log("dropped " + (clips.length - kept.length) + " of " + clips.length);
  return kept;
}
