#!/usr/bin/env node
// Restores persisted snapshots and goes on from them: see tools/xstate-interop, which runs this.
// Standard input is JSON lines, {case, snapshots}: a case, and a snapshot after its start and after each step. For
// each the answer is a line {name, theirs, ours}: for every place in the case but the last, what XState shows after
// each of the remaining steps. `theirs` begins with the snapshot given, `ours` with one that XState persisted there.
import { createInterface } from 'node:readline';
import { Session, START } from './run.mjs';

const plain = (v) => JSON.parse(JSON.stringify(v));

// What happens in the steps from `at` on, beginning with a snapshot.
function resume(testCase, at, snapshot) {
  try {
    const elapsed = testCase.steps.slice(0, at).reduce((ms, step) => ms + (step.advance ?? 0), 0);
    const session = new Session({ ...testCase, input: undefined, start: (testCase.start ?? START) + elapsed }, { snapshot: plain(snapshot) });
    session.start();
    return { entries: testCase.steps.slice(at).map((step) => session.step(step)) };
  } catch (err) {
    return { error: `${err.stack ?? err}` };
  }
}

function answer({ case: testCase, snapshots }) {
  const session = new Session(testCase, { persist: true });
  const persisted = [session.start(), ...testCase.steps.map((step) => session.step(step))].map((e) => e.persisted);
  const places = [...testCase.steps.keys()];
  return {
    name: testCase.name,
    theirs: places.map((at) => resume(testCase, at, snapshots[at])),
    ours: places.map((at) => ({ persisted: persisted[at], ...resume(testCase, at, persisted[at]) })),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim()) process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n');
}
