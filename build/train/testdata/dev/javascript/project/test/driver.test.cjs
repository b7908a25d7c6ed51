'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const path = require('node:path');
const { FakeDriver, checksum, parseSentence, buildSentence } = require('../drivers/driver.js');
const { SerialDriver } = require('../drivers/serialDriver.js');

const SAMPLE = { temperature: 12.5, humidity: 70, pressure: 1009, windSpeed: 3, windDir: 200, tips: 0 };

function roundTrip(frame) {
  return parseSentence(buildSentence(frame), true);
}

test('checksum has two digits', () => {
  assert.equal(checksum('').length, 2);
  assert.equal(checksum('A'), '41');
});

test('sentence round trip', () => {
  assert.deepEqual(roundTrip(SAMPLE), SAMPLE);
});

test('a bad checksum is refused in strict mode', () => {
  const text = buildSentence(SAMPLE).slice(0, -2) + 'ZZ';
  assert.equal(parseSentence(text, true), null);
  assert.notEqual(parseSentence(text, false), null);
});

test('a sentence without a star is refused', () => {
  assert.equal(parseSentence('$1,2,3', false), null);
});

test('fake driver is repeatable', async () => {
  const a = new FakeDriver(7);
  const b = new FakeDriver(7);
  await a.open();
  await b.open();
  assert.deepEqual(await a.read(), await b.read());
});

test('fake driver opens and closes', async () => {
  const driver = new FakeDriver(1);
  await driver.open();
  assert.equal(driver.opened, true);
  driver.close();
  assert.equal(driver.opened, false);
});

test('serial driver describes itself', () => {
  const driver = new SerialDriver('/dev/ttyS0', 4800);
  console.log('driver', driver);
  assert.equal(driver.describe(), 'serial driver on /dev/ttyS0 at 4800 baud');
});
