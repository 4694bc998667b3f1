#!/usr/bin/env node
// Makes random cases: definitions that XState accepts, with events that make them move.
// node generate.mjs --seed=1 --count=2000 --out=FILE [--nodes=18] [--depth=4] [--steps=9] [--children] [--prefix=fuzz] [--quiet]
// --children adds child machines: invoked ones, spawned ones, and messages up and down.
// The same arguments always give the same file. Needs `npm ci` in tools/xstate-oracle first.
import { createWriteStream } from 'node:fs';
import { makeCase } from './walk.mjs';

const arg = (name, fallback) => process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
const SEED = Number(arg('seed', 1));
const COUNT = Number(arg('count', 100));
const OUT = arg('out');
const LIMITS = {
  nodes: Number(arg('nodes', 18)),
  depth: Number(arg('depth', 4)),
  steps: Number(arg('steps', 9)),
  children: process.argv.includes('--children'),
};
const PREFIX = arg('prefix', 'fuzz');

const out = OUT ? createWriteStream(OUT) : process.stdout;
const stats = { made: 0, tried: 0, steps: 0, changed: 0, bytes: 0, nodes: 0, depth: {}, done: 0, error: 0, discards: {}, features: {}, traces: 0, pending: 0 };
for (let n = 0; stats.made < COUNT; n++) {
  stats.tried++;
  const seed = (Math.imul(SEED, 1_000_003) + n) | 0;
  const made = makeCase(seed, LIMITS);
  if (made.discard) {
    stats.discards[made.discard] = (stats.discards[made.discard] ?? 0) + 1;
    continue;
  }
  stats.made++;
  const last = made.case.expect[made.case.expect.length - 1];
  stats.steps += made.case.steps.length;
  stats.changed += made.changed;
  stats.nodes += made.machine.idMap.size;
  const depth = Math.max(...[...made.machine.idMap.values()].map((k) => k.path.length));
  stats.depth[depth] = (stats.depth[depth] ?? 0) + 1;
  if (last.status === 'done') stats.done++;
  if (last.status === 'error') stats.error++;
  stats.traces += made.case.expect.reduce((s, e) => s + e.actions.length, 0);
  stats.pending += made.case.expect.filter((e) => e.pending).length;
  for (const f of made.found) stats.features[f] = (stats.features[f] ?? 0) + 1;
  const line = JSON.stringify({ name: `${PREFIX}/${SEED}-${n}`, features: [...made.found].sort(), ...made.case }) + '\n';
  stats.bytes += line.length;
  out.write(line);
}
if (OUT) out.end();
if (!process.argv.includes('--quiet')) {
  const pct = (n, of) => `${((100 * n) / of).toFixed(1)}%`;
  console.error(`${stats.made} cases of ${stats.tried} tried, ${(stats.bytes / 1e6).toFixed(2)} MB; discarded ${JSON.stringify(stats.discards)}`);
  console.error(`steps ${stats.steps}, of which ${pct(stats.changed, stats.steps)} change something; ${(stats.nodes / stats.made).toFixed(1)} nodes and ${(stats.traces / stats.made).toFixed(1)} traced actions a case; depth ${JSON.stringify(stats.depth)}`);
  console.error(`end: done ${pct(stats.done, stats.made)}, error ${pct(stats.error, stats.made)}; observations with timers pending: ${pct(stats.pending, stats.steps + stats.made)}`);
  console.error('cases in which a feature was at work:');
  for (const [f, n] of Object.entries(stats.features).sort((a, b) => b[1] - a[1])) console.error(`  ${f.padEnd(20)} ${String(n).padStart(5)}  ${pct(n, stats.made)}`);
}
