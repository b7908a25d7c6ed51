#!/usr/bin/env node
// Checks memory cards before they go back to the field.
const fs = require("fs");
const path = require("path");
const os = require("os");
const { isRecording, stampOf } = require("./rename-cards");

const MIN_FREE_MB = 2048;
const HEADER_BYTES = 44;

class CardChecker {
  constructor(dir, strict) {
    this.dir = dir;
    this.strict = strict;
    this.problems = [];
    this.checked = 0;
  }

  report(message) {
    this.problems.push(path.basename(this.dir) + ": " + message);
  }

  checkFile(name) {
    const file = path.join(this.dir, name);
    const size = fs.statSync(file).size;
    if (isRecording(name)) {
      if (size > HEADER_BYTES) {
        if (stampOf(name) !== null || !this.strict) {
          this.checked++;
        } else {
          this.report(name + " has no time stamp");
        }
      } else {
        this.report(name + " is empty");
      }
    }
  }

  checkAll() {
    for (const name of fs.readdirSync(this.dir)) {
      this.checkFile(name);
    }
    console.log("checked", this.dir, this.checked);
    return this.problems.length === 0;
  }

  describe() {
    return this.dir + " (" + this.checked + " recordings, " + this.problems.length + " problems)";
  }
}

function freeMegabytes(dir) {
  const stat = fs.statfsSync(dir);
  return (stat.bavail * stat.bsize) / 1048576;
}

function readBattery(dir, retries) {
  const file = path.join(dir, "BATTERY.TXT");
  try {
    return parseFloat(fs.readFileSync(file, "utf8"));
  } catch (err) {}
  return NaN;
}

function warn(message) {
  console.error("check-cards: " + message);
}

function batteryState(volts) {
  if (volts > 3.7) {
    return "full";
  }
  if (volts > 3.3) {
    return "low";
  }
  return "empty";
}

function checkCard(dir, strict, quiet) {
  const checker = new CardChecker(dir, strict);
  const clean = checker.checkAll();
  if (freeMegabytes(dir) < MIN_FREE_MB) {
    warn(dir + " is nearly full");
  }
  const volts = readBattery(dir, 3);
  if (batteryState(volts) !== "full") {
    warn(dir + ": battery is " + batteryState(volts));
  }
  if (!quiet) {
    console.log(checker.describe());
  }
  return clean;
}

function main() {
  const args = process.argv.slice(2);
  const strict = args.includes("--strict");
  const quiet = args.includes("--quiet");
  const dirs = args.filter((arg) => !arg.startsWith("--"));
  const bad = dirs.filter((dir) => !checkCard(dir, strict, quiet));
  for (const dir of bad) {
    warn("problems on " + dir);
  }
  process.exit(bad.length === 0 ? 0 : 1);
}

if (require.main === module) {
  main();
}

module.exports = { CardChecker, freeMegabytes, batteryState, checkCard };
