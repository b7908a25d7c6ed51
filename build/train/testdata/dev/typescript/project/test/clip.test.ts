import test from "node:test";
import assert from "node:assert";
import { Clip, ClipStatus, joinClips, padClip, statusIcon } from "../src/audio/clip";
import { groupHits } from "../src/detect/detector";
import { lookupSpecies } from "../src/detect/species";
import { backoff } from "../src/upload/queue";

const FILE = "card1/20240512_2300.wav";

function makeClip(start: number, end: number): Clip {
  return new Clip(FILE, start, end);
}

test("duration is end minus start", () => {
  assert.strictEqual(makeClip(2, 5).duration(), 3);
});

test("clips of other files do not overlap", () => {
  const other = new Clip("card1/other.wav", 0, 10);
  assert.strictEqual(makeClip(0, 10).overlaps(other, 0), false);
});

test("overlaps takes slack into account", () => {
  assert.strictEqual(makeClip(0, 1).overlaps(makeClip(1.2, 2), 0), false);
  assert.strictEqual(makeClip(0, 1).overlaps(makeClip(1.2, 2), 0.5), true);
});

test("joinClips joins neighbours", () => {
  const joined = joinClips([makeClip(3, 4), makeClip(0, 1), makeClip(0.9, 2)], 0);
  assert.strictEqual(joined.length, 2);
  assert.strictEqual(joined[0].endSec, 2);
});

test("padClip stays within the recording", () => {
  const padded = padClip(makeClip(0.1, 9.9), 10);
  assert.strictEqual(padded.startSec, 0);
  assert.strictEqual(padded.endSec, 10);
});

test("tags are kept once", () => {
  const clip = makeClip(0, 1);
  clip.addTag(" Wind ");
  clip.addTag("wind");
  assert.ok(clip.hasTag("WIND"));
});

test("statusIcon marks rejected clips", () => {
  assert.strictEqual(statusIcon(ClipStatus.Rejected), "-");
});

test("groupHits bridges small gaps", () => {
  assert.deepStrictEqual(groupHits([1, 2, 5, 20], 3), [[1, 5], [20, 20]]);
});

test("lookupSpecies ignores case", () => {
  assert.strictEqual(lookupSpecies("nj")?.commonName, "Nightjar");
});

test("backoff doubles", () => {
  assert.strictEqual(backoff(3, 100, false), 800);
});
