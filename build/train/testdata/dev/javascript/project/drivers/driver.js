'use strict';

const assert = require('assert');
const os = require('os');

const SENTENCE_START = '$';
const FIELD_COUNT = 6;

/**
 * What a driver for a sensor head has to offer.
 * @interface
 */
class Driver {
  async open() {
    throw new Error('not implemented');
  }

  async read() {
    throw new Error('not implemented');
  }

  close() {
    throw new Error('not implemented');
  }

  describe() {
    throw new Error('not implemented');
  }
}

class FakeDriver extends Driver {
  constructor(seed) {
    super();
    this.seed = seed;
    this.opened = false;
  }

  async open() {
    this.opened = true;
  }

  async read() {
    const noise = this.nextRandom();
    return {
      temperature: 15 + noise * 8,
      humidity: 55 + noise * 30,
      pressure: 1013.25 + noise * 12,
      windSpeed: Math.abs(noise) * 9,
      windDir: Math.floor((noise + 1) * 180),
      tips: noise > 0.8 ? 1 : 0,
    };
  }

  nextRandom() {
    this.seed = (this.seed * 1103515245 + 12345) % 2147483648;
    return (this.seed / 2147483648) * 2 - 1;
  }

  close() {
    this.opened = false;
  }

  describe() {
    return 'fake driver, seed ' + this.seed;
  }
}

function checksum(text) {
  let sum = 0;
  for (const ch of text) {
    sum ^= ch.charCodeAt(0);
  }
  return sum.toString(16).toUpperCase().padStart(2, '0');
}

function parseSentence(sentence, strict) {
  if (sentence.startsWith(SENTENCE_START)) {
    const star = sentence.indexOf('*');
    if (star > 0) {
      const body = sentence.slice(1, star);
      if (!strict || checksum(body) === sentence.slice(star + 1).trim()) {
        const parts = body.split(',');
        if (parts.length === FIELD_COUNT) {
          const [temperature, humidity, pressure, windSpeed, windDir, tips] = parts.map(Number);
          return { temperature, humidity, pressure, windSpeed, windDir, tips };
        }
      }
    }
  }
  return null;
}

function buildSentence(frame) {
  const body = frame.temperature + ',' + frame.humidity + ',' + frame.pressure + ',' +
    frame.windSpeed + ',' + frame.windDir + ',' + frame.tips;
  return SENTENCE_START + body + '*' + checksum(body);
}

function knotsToMs(knots) {
  return knots * 0.514444;
}

module.exports = { Driver, FakeDriver, checksum, parseSentence, buildSentence };
