import * as fs from "fs";
import { EventEmitter } from "events";
import { logger } from "../config";

const RIFF_HEADER_BYTES = 44;
const PCM_FORMAT = 1;

export interface WavHeader {
  channels: number;
  sampleRate: number;
  bitsPerSample: number;
  dataBytes: number;
}

export class WavError extends Error {
  constructor(message: string, readonly file: string) {
    super(message);
    this.name = "WavError";
  }
}

export function parseHeader(buffer: Buffer, file: string): WavHeader {
  if (buffer.length < RIFF_HEADER_BYTES) {
    throw new WavError("header too short", file);
  }
  if (buffer.toString("ascii", 0, 4) !== "RIFF") {
    throw new WavError("not a RIFF file", file);
  }
  const format = buffer.readUInt16LE(20);
  if (format !== PCM_FORMAT) {
    throw new WavError("unsupported format " + format, file);
  }
  return {
    channels: buffer.readUInt16LE(22),
    sampleRate: buffer.readUInt32LE(24),
    bitsPerSample: buffer.readUInt16LE(34),
    dataBytes: buffer.readUInt32LE(40),
  };
}

/** Length of the recording in seconds. */
export function headerSeconds(header: WavHeader): number {
  const bytesPerFrame = header.channels * (header.bitsPerSample / 8);
  return header.dataBytes / bytesPerFrame / header.sampleRate;
}

export class WavReader {
  private fd = -1;
  private position = RIFF_HEADER_BYTES;
  header: WavHeader | undefined;

  constructor(readonly file: string) {}

  open(): WavHeader {
    this.fd = fs.openSync(this.file, "r");
    const buffer = Buffer.alloc(RIFF_HEADER_BYTES);
    fs.readSync(this.fd, buffer, 0, RIFF_HEADER_BYTES, 0);
    this.header = parseHeader(buffer, this.file);
    console.log("opened", this.file, this.header);
    return this.header;
  }

  /** Reads the next frame, mixed to one channel; undefined at the end. */
  readFrame(size: number): Float32Array | undefined {
    if (this.header !== undefined) {
      if (this.fd >= 0) {
        const width = (this.header.bitsPerSample / 8) * this.header.channels;
        const buffer = Buffer.alloc(size * width);
        const got = fs.readSync(this.fd, buffer, 0, buffer.length, this.position);
        if (got > 0) {
          this.position += got;
          return this.mixDown(buffer, Math.floor(got / width), width);
        }
      }
    }
    return undefined;
  }

  private mixDown(buffer: Buffer, count: number, width: number): Float32Array {
    const frame = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      frame[i] = buffer.readInt16LE(i * width) / 32768;
    }
    return frame;
  }

  rewind(): void {
    this.position = RIFF_HEADER_BYTES;
  }

  close(): void {
    if (this.fd >= 0) {
      fs.closeSync(this.fd);
      this.fd = -1;
    }
  }
}

export function readAllFrames(file: string, size: number, limit: number): Float32Array[] {
  const reader = new WavReader(file);
  const frames: Float32Array[] = [];
  reader.open();
  let frame = reader.readFrame(size);
  while (frame !== undefined && frames.length < limit) {
    frames.push(frame);
    frame = reader.readFrame(size);
  }
  reader.close();
  logger.info(file + ": " + frames.length + " frames");
  return frames;
}
