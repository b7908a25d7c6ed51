import { Clip } from "../audio/clip";
import { bandEnergy, hannWindow, magnitudes, spectralFlux, toDecibels } from "../audio/spectrum";
import { BandConfig, FRAME_SIZE, SAMPLE_RATE } from "../config";
import { CallKind, callLabel, callWeight } from "./species";

export const MAX_GAP_FRAMES = 4;
const FLOOR_DB = -70;

export interface Detection {
  clip: Clip;
  kind: CallKind;
  score: number;
}

export interface Detector {
  readonly name: string;
  detect(file: string, frames: Float32Array[]): Detection[];
  reset(): void;
  describe(): string;
}

function frameSeconds(index: number): number {
  return (index * FRAME_SIZE) / SAMPLE_RATE;
}

export function groupHits(hits: number[], maxGap: number): [number, number][] {
  const groups: [number, number][] = [];
  for (const hit of hits) {
    const last = groups[groups.length - 1];
    if (last !== undefined && hit - last[1] <= maxGap) {
      last[1] = hit;
    } else {
      groups.push([hit, hit]);
    }
  }
  return groups;
}

export class EnergyDetector implements Detector {
  readonly name = "energy";
  private floor = FLOOR_DB;
  private history: number[] = [];

  constructor(private readonly band: BandConfig, public threshold: number) {}

  detect(file: string, frames: Float32Array[]): Detection[] {
    const weights = hannWindow(FRAME_SIZE);
    const hits: number[] = [];
    frames.forEach((frame, index) => {
      if (frame.length !== FRAME_SIZE) {
        return;
      }
      const energy = bandEnergy(magnitudes(frame, weights), this.band.lowHz, this.band.highHz, false);
      const level = toDecibels(energy) - this.floor;
      this.history.push(level);
      if (level / 70 > this.threshold) {
        hits.push(index);
      }
    });
    console.log("hits", hits.length);
    return groupHits(hits, MAX_GAP_FRAMES).map(([from, to]) => ({
      clip: new Clip(file, frameSeconds(from), frameSeconds(to + 1)),
      kind: CallKind.Song,
      score: this.averageLevel(from, to) / 70,
    }));
  }

  private averageLevel(from: number, to: number): number {
    let sum = 0;
    for (let i = from; i <= to; i++) {
      sum += this.history[i];
    }
    return sum / (to - from + 1);
  }

  reset(): void {
    this.history = [];
    this.floor = FLOOR_DB;
  }

  describe(): string {
    return this.name + " detector, " + this.band.lowHz + "-" + this.band.highHz + " Hz";
  }
}

export class FluxDetector {
  readonly name = "flux";
  private previous: Float32Array | undefined;

  constructor(public threshold: number) {}

  detect(file: string, frames: Float32Array[]): Detection[] {
    const weights = hannWindow(FRAME_SIZE);
    const found: Detection[] = [];
    for (let i = 0; i < frames.length; i++) {
      const current = magnitudes(frames[i], weights);
      if (this.previous !== undefined && spectralFlux(this.previous, current) > this.threshold) {
        const clip = new Clip(file, frameSeconds(i), frameSeconds(i + 1));
        found.push({ clip, kind: CallKind.Flight, score: 0.5 });
      }
      this.previous = current;
    }
    return found;
  }
}

export function rank(detections: Detection[]): Detection[] {
  return [...detections].sort((a, b) => b.score * callWeight(b.kind) - a.score * callWeight(a.kind));
}

/** One line about a detection, for people. */
export function summarize(detection: Detection, digits: number): string {
  return callLabel(detection.kind) + " " + detection.clip.describe() + " " + detection.score.toFixed(digits);
}

export function bestOf(detections: Detection[]): Detection | undefined {
  const ranked = rank(detections);
  return ranked[0];
}
