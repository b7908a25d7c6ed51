import { performance } from "perf_hooks";
import { FRAME_SIZE, SAMPLE_RATE } from "../config";

const SILENCE_DB = -120;

export type WindowShape = "hann" | "hamming" | "flat";

export function hannWindow(size: number): Float32Array {
  const weights = new Float32Array(size);
  for (let i = 0; i < size; i++) {
    weights[i] = 0.5 * (1 - Math.cos((2 * Math.PI * i) / (size - 1)));
  }
  return weights;
}

function hammingWindow(size: number): Float32Array {
  const weights = new Float32Array(size);
  for (let i = 0; i < size; i++) {
    weights[i] = 0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (size - 1));
  }
  return weights;
}

function flatWindow(size: number): Float32Array {
  return new Float32Array(size).fill(1);
}

/** The magnitude of a frame at each frequency bin, by a plain transform. */
export function magnitudes(frame: Float32Array, weights: Float32Array): Float32Array {
  const bins = frame.length / 2;
  const out = new Float32Array(bins);
  for (let k = 0; k < bins; k++) {
    let re = 0;
    let im = 0;
    for (let n = 0; n < frame.length; n++) {
      const angle = (2 * Math.PI * k * n) / frame.length;
      re += frame[n] * weights[n] * Math.cos(angle);
      im -= frame[n] * weights[n] * Math.sin(angle);
    }
    out[k] = Math.sqrt(re * re + im * im) / bins;
  }
  return out;
}

export function toDecibels(value: number): number {
  if (value <= 0.000001) {
    return SILENCE_DB;
  }
  return 20 * Math.log10(value);
}

export function binOf(hz: number, sampleRate: number, frameSize: number): number {
  return Math.round((hz * frameSize) / sampleRate);
}

export function bandEnergy(spectrum: Float32Array, lowHz: number, highHz: number, verbose: boolean): number {
  const from = binOf(lowHz, SAMPLE_RATE, FRAME_SIZE);
  const to = Math.min(binOf(highHz, SAMPLE_RATE, FRAME_SIZE), spectrum.length);
  let sum = 0;
  for (let k = from; k < to; k++) {
    sum += spectrum[k] * spectrum[k];
  }
  console.log("band", lowHz, highHz, sum);
  return sum / Math.max(1, to - from);
}

export function spectralFlux(previous: Float32Array, current: Float32Array): number {
  let flux = 0;
  for (let k = 0; k < current.length; k++) {
    const rise = current[k] - previous[k];
    if (rise > 0) {
      flux += rise;
    }
  }
  return flux / current.length;
}

export class Spectrogram {
  private rows: Float32Array[] = [];
  private weights: Float32Array;

  constructor(readonly frameSize: number, shape: WindowShape) {
    this.weights = shape === "hann" ? hannWindow(frameSize) : flatWindow(frameSize);
  }

  push(frame: Float32Array): void {
    if (frame.length !== this.frameSize) {
      return;
    }
    this.rows.push(magnitudes(frame, this.weights));
  }

  peakBin(row: number): number {
    const values = this.rows[row];
    let best = 0;
    for (let k = 1; k < values.length; k++) {
      if (values[k] > values[best]) {
        best = k;
      }
    }
    return best;
  }

  describe(): string {
    return this.rows.length + " rows of " + this.frameSize / 2 + " bins";
  }

  reset(): void {
    this.rows = [];
  }
}
