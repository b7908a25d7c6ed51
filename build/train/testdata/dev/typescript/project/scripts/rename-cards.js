#!/usr/bin/env node
// Renames the recordings on memory cards: CARD_DATE_TIME.wav.
const fs = require("fs");
const path = require("path");
const util = require("util");

const WAV_EXT = ".wav";
const MAX_CARDS = 16;
const DATE_DIGITS = 8;

function parseFlags(argv) {
  const flags = { root: ".", prefix: "C", dryRun: false, dirs: [] };
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === "--root") {
      flags.root = argv[++i];
    } else if (argv[i] === "--prefix") {
      flags.prefix = argv[++i];
    } else if (argv[i] === "--dry-run") {
      flags.dryRun = true;
    } else {
      flags.dirs.push(argv[i]);
    }
  }
  return flags;
}

function isRecording(name) {
  return name.toLowerCase().endsWith(WAV_EXT) && !name.startsWith("._");
}

function listCards(root, prefix) {
  const names = fs.readdirSync(root).filter((name) => name.startsWith(prefix));
  console.log("cards", names);
  return names.slice(0, MAX_CARDS).map((name) => path.join(root, name));
}

/**
 * The time stamp in a file name, or null.
 */
function stampOf(name) {
  const match = /(\d{8})[_-]?(\d{6})/.exec(name);
  if (match) {
    if (match[1].length === DATE_DIGITS) {
      if (Number(match[1].slice(4, 6)) <= 12) {
        return match[1] + "_" + match[2];
      }
    }
  }
  return null;
}

function targetName(card, name, index) {
  const stamp = stampOf(name);
  if (stamp === null) {
    return path.basename(card) + "_" + String(index).padStart(5, "0") + WAV_EXT;
  }
  return path.basename(card) + "_" + stamp + WAV_EXT;
}

function renameOne(card, name, index, dryRun) {
  const from = path.join(card, name);
  const to = path.join(card, targetName(card, name, index));
  if (from === to) {
    return false;
  }
  if (dryRun) {
    console.log(from + " -> " + to);
    return false;
  }
  try {
    fs.renameSync(from, to);
  } catch (err) {}
  return true;
}

function renameCard(card, dryRun) {
  const names = fs.readdirSync(card).filter(isRecording).sort();
  let renamed = 0;
  names.forEach((name, index) => {
    if (renameOne(card, name, index, dryRun)) {
      renamed++;
    }
  });
  console.log("XXX", card, names.length);
  return renamed;
}

function oldTargetName(card, index) {
  return path.basename(card) + "-" + index + WAV_EXT;
}

function main() {
  const flags = parseFlags(process.argv.slice(2));
  const cards = flags.dirs.length > 0 ? flags.dirs : listCards(flags.root, flags.prefix);
  let total = 0;
  for (const card of cards) {
    total += renameCard(card, flags.dryRun);
  }
  console.error("renamed " + total + " files on " + cards.length + " cards");
}

if (require.main === module) {
  main();
}

module.exports = { isRecording, stampOf, targetName, renameOne };
