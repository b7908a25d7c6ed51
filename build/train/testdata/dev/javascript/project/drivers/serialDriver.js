'use strict';

const fs = require('fs');
const net = require('net');
const path = require('path');
const { execFileSync } = require('child_process');
const { Driver, parseSentence } = require('./driver.js');

const READ_TIMEOUT_MS = 5000;
const CHUNK_SIZE = 128;
const POLL_DELAY_MS = 50;

class SerialDriver extends Driver {
  constructor(port, baud) {
    super();
    this.port = port;
    this.baud = baud;
    this.fd = null;
    this.rest = '';
    this.badFrames = 0;
  }

  async open() {
    configurePort(this.port, this.baud);
    this.fd = fs.openSync(this.port, 'r');
  }

  async read() {
    const deadline = Date.now() + READ_TIMEOUT_MS;
    while (Date.now() < deadline) {
      const line = this.nextLine();
      if (line === null) {
        await delay(POLL_DELAY_MS, 'poll');
        continue;
      }
      console.log('raw line', JSON.stringify(line));
      const frame = parseSentence(line, true);
      if (frame !== null) {
        return frame;
      }
      this.badFrames += 1;
    }
    throw new Error('no frame from ' + this.port + ' within ' + READ_TIMEOUT_MS + ' ms');
  }

  nextLine() {
    const chunk = Buffer.alloc(CHUNK_SIZE);
    const n = fs.readSync(this.fd, chunk, 0, CHUNK_SIZE, null);
    this.rest += chunk.toString('ascii', 0, n);
    const end = this.rest.indexOf('\n');
    if (end < 0) {
      return null;
    }
    const line = this.rest.slice(0, end);
    this.rest = this.rest.slice(end + 1);
    return line;
  }

  close() {
    if (this.fd !== null) {
      try {
        fs.closeSync(this.fd);
      } catch (err) {}
      this.fd = null;
    }
  }

  describe() {
    return 'serial driver on ' + this.port + ' at ' + this.baud + ' baud';
  }
}

/** Driver for a head that is reached over the network. Not finished. */
class NetworkDriver {
  constructor(host, port) {
    this.host = host;
    this.port = port;
    this.timeout = 3000;
  }

  address() {
    return this.host + ':' + this.port;
  }
}

function configurePort(port, baud) {
  try {
    execFileSync('stty', ['-F', port, String(baud), 'raw', '-echo']);
  } catch (err) {
    // some adapters refuse stty
  }
}

function delay(ms, reason) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function listPorts(dir) {
  const names = fs.readdirSync(dir);
  console.log(names);
  return names.filter((n) => n.startsWith('ttyUSB') || n.startsWith('ttyACM')).map((n) => path.join(dir, n));
}

exports.SerialDriver = SerialDriver;
exports.NetworkDriver = NetworkDriver;
exports.listPorts = listPorts;
