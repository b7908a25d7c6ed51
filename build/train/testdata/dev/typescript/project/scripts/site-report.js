#!/usr/bin/env node
// Writes a page about the sites from the catalog files in a directory.
const path = require("path");
const fs = require("fs");
const zlib = require("zlib");

const TITLE = "Site report";
const MIN_SCORE = 0.4;
const TOP_COUNT = 10;

class Site {
  constructor(name, entries) {
    this.name = name;
    this.entries = entries;
    this.visits = 0;
  }

  count(minScore) {
    return this.entries.filter((entry) => entry.score >= minScore).length;
  }

  minutes() {
    let seconds = 0;
    for (const entry of this.entries) {
      seconds += entry.endSec - entry.startSec;
    }
    return seconds / 60;
  }

  describe() {
    return this.name + ": " + this.count(MIN_SCORE) + " calls";
  }
}

class ReportBuilder {
  constructor(title) {
    this.title = title;
    this.parts = [];
  }

  addSite(site, rank, link) {
    const heading = "<h2>" + rank + ". " + escapeHtml(site.name) + "</h2>";
    this.parts.push(heading);
    this.parts.push("<p>" + site.count(MIN_SCORE) + " calls, " + site.minutes().toFixed(1) + " minutes</p>");
    console.log("added", site.name);
  }

  addNote(text) {
    this.parts.push("<p><em>" + escapeHtml(text) + "</em></p>");
  }

  render() {
    return "<html><title>" + this.title + "</title>" + this.parts.join("\n") + "</html>";
  }
}

function escapeHtml(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}

function readSite(file) {
  let data = { entries: [] };
  try {
    data = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (err) {
    // broken catalog: an empty site
  }
  return new Site(path.basename(file, ".json"), data.entries);
}

function loadSites(dir) {
  const files = fs.readdirSync(dir).filter((name) => name.endsWith(".json"));
  return files.map((name) => readSite(path.join(dir, name)));
}

/** The sites with the most calls first. */
function topSites(sites, count) {
  return [...sites].sort((a, b) => b.count(MIN_SCORE) - a.count(MIN_SCORE)).slice(0, count);
}

function writeReport(dir, target, sites) {
  const builder = new ReportBuilder(TITLE);
  topSites(sites, TOP_COUNT).forEach((site, index) => builder.addSite(site, index + 1, false));
  if (sites.length > TOP_COUNT) {
    builder.addNote(sites.length - TOP_COUNT + " more sites in " + dir);
  }
  fs.writeFileSync(target, builder.render());
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function main(argv) {
  const dir = argv[0] || "out";
  const target = argv[1] || path.join(dir, "report.html");
  const sites = loadSites(dir);
  console.log("sites:", sites.length);
  writeReport(dir, target, sites);
  console.error("wrote " + target);
}

if (require.main === module) {
  main(process.argv.slice(2));
}

module.exports = { Site, ReportBuilder, escapeHtml, readSite, topSites };
