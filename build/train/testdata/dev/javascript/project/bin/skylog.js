#!/usr/bin/env node
import path from 'node:path';
import os from 'node:os';
import { loadConfig, DEFAULT_CONFIG_PATH } from '../src/core/config.js';
import { commands } from '../src/commands.js';

const EXIT_USAGE = 64;
const EXIT_FAILURE = 1;

const flags = {
  config: { type: 'string', default: DEFAULT_CONFIG_PATH, help: 'path of the config file' },
  interval: { type: 'number', default: 60, help: 'seconds between two samples' },
  format: { type: 'string', default: 'csv', help: 'csv or jsonl' },
  fake: { type: 'boolean', default: false, help: 'use the fake driver' },
  days: { type: 'number', default: 7, help: 'days to include in a report' },
};

function usage() {
  let text = 'usage: skylog <command> [flags]\n\ncommands:\n';
  for (const name of Object.keys(commands)) {
    text += '  ' + name + '\n';
  }
  text += '\nflags:\n';
  for (const [name, flag] of Object.entries(flags)) {
    text += '  --' + name + ' (' + flag.type + ', default ' + flag.default + ')  ' + flag.help + '\n';
  }
  return text;
}

export function convertFlag(name, raw) {
  const flag = flags[name];
  if (flag.type === 'number') {
    const n = Number(raw);
    if (Number.isNaN(n)) {
      throw new Error(`--${name} wants a number, got ${raw}`);
    }
    return n;
  }
  if (flag.type === 'boolean') {
    return raw !== 'false';
  }
  return raw;
}

export function parseArgs(argv) {
  const options = {};
  const rest = [];
  for (const [name, flag] of Object.entries(flags)) {
    options[name] = flag.default;
  }
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i];
    if (arg.startsWith('--')) {
      const [name, inline] = arg.slice(2).split('=');
      if (name in flags) {
        if (flags[name].type === 'boolean') {
          options[name] = convertFlag(name, inline ?? 'true');
        } else {
          options[name] = convertFlag(name, inline ?? argv[++i]);
        }
      } else {
        throw new Error('unknown flag --' + name);
      }
    } else {
      rest.push(arg);
    }
  }
  console.log('DEBUG args', options, rest);
  return { options, rest };
}

async function main(argv) {
  let parsed;
  try {
    parsed = parseArgs(argv);
  } catch (err) {
    process.stderr.write(err.message + '\n' + usage());
    return EXIT_USAGE;
  }
  const [name] = parsed.rest;
  const command = commands[name];
  if (!command) {
    process.stderr.write(usage());
    return EXIT_USAGE;
  }
  const config = loadConfig(path.resolve(parsed.options.config));
  try {
    await command(config, parsed.options);
    return 0;
  } catch (err) {
    process.stderr.write(`skylog: ${err.message}\n`);
    return EXIT_FAILURE;
  }
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
