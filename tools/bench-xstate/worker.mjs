// One measuring process: node --expose-gc worker.mjs xstate|xstate-6
//
// It reads requests from standard input and writes answers to standard output, one line of JSON each.
// The first request says what the work is; every further one asks to do it for a while:
//
//   {"work": "plan", "definition": {...}, "actors": {...}, "event": {...}, "events": 1000}   -> {"version": ..., "sample": ...}
//   {"milliseconds": 50}                                                                    -> {"count": ..., "seconds": ...}
//
// Seconds are processor time of the whole process, so that collecting garbage on another core counts, and
// whatever else the host does meanwhile does not.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { adapters } from './adapt.mjs';
import { works } from './works.mjs';

const library = process.argv[2];
if (!(library in adapters)) {
  console.error(`usage: node --expose-gc worker.mjs ${Object.keys(adapters).join('|')}`);
  process.exit(2);
}
const xstate = await import(library);
const { version } = JSON.parse(readFileSync(new URL(`node_modules/${library}/package.json`, import.meta.url), 'utf8'));

function processorSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function measure(run, milliseconds) {
  const start = processorSeconds();
  let count = 0;
  let seconds;
  do {
    count += run();
    seconds = processorSeconds() - start;
  } while (seconds * 1000 < milliseconds);
  return { count, seconds };
}

function begin({ work, definition, actors = {}, event, events }) {
  return works[work](xstate, adapters[library](xstate, definition, actors), { event, events });
}

let work;
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  if (!work) {
    work = begin(request);
    answer = { version, node: process.version, sample: work.sample() };
  } else {
    answer = work.bytes ? { bytes: work.bytes() } : measure(work.run, request.milliseconds);
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
