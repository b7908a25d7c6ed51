import test from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mean, median, rollingMean, dewPoint, meanWindDirection } from '../src/core/stats.js';
import { Reading, checkQuality, Quality } from '../src/core/reading.js';
import { encodeRow, parseLine } from '../src/store/store.js';
import { compass } from '../src/report/format.js';

function makeReading(temperature, humidity) {
  const reading = new Reading(1700000000000, temperature, humidity);
  reading.pressure = 1013;
  return reading;
}

test('mean of nothing is NaN', () => {
  assert.ok(Number.isNaN(mean([])));
});

test('mean and median', () => {
  assert.equal(mean([1, 2, 6]), 3);
  assert.equal(median([6, 1, 2]), 2);
  assert.equal(median([1, 2, 3, 4]), 2.5);
});

test('rolling mean', () => {
  assert.deepEqual(rollingMean([1, 2, 3, 4], 2), [1.5, 2.5, 3.5]);
});

test('dew point below the temperature', () => {
  const dew = dewPoint(20, 50);
  console.log(dew);
  assert.ok(dew > 9 && dew < 10);
});

test('wind from the east', () => {
  const reading = makeReading(10, 50);
  reading.windSpeed = 4;
  reading.windDir = 90;
  assert.equal(Math.round(meanWindDirection([reading])), 90);
});

test('quality', () => {
  assert.equal(checkQuality(makeReading(20, 40)), Quality.GOOD);
  assert.equal(checkQuality(makeReading(99, 40)), Quality.BAD);
});

test('csv round trip', () => {
  const reading = makeReading(12.5, 80);
  assert.deepEqual(parseLine(encodeRow(reading)), reading);
});

test('compass', () => {
  assert.equal(compass(0), 'N');
  assert.equal(compass(182), 'S');
});
