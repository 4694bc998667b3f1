// The kinds of work. Each has run(), which does some of it and returns how often, and sample(), which returns
// what it leads to, so that the driver can see that all contestants did the same. "idle" has bytes() instead.
//
// Whatever makes XState faster without doing less is done: sends are queued before the start, which is
// XState's faster way to drain a burst, actors are not stopped unless that is what is measured, and no
// timer reaches the event loop.

const clock = { setTimeout: () => 0, clearTimeout: () => {} };

/** How often the quick kinds run between two looks at the time. */
const rounds = 50;

/** How many idle machines are counted. */
const idle = 20_000;

function resultOf({ status, value, context }) {
  return { status, value, context };
}

function started(xstate, machine) {
  return xstate.createActor(machine, { clock }).start();
}

/** One macrostep worked out and not run. */
function plan(xstate, machine, { event }) {
  const snapshot = started(xstate, machine).getSnapshot();
  const once = () => xstate.transition(machine, snapshot, event)[0];
  return { sample: () => resultOf(once()), run: () => repeat(once) };
}

/** A machine that is started, takes its events, and is done. */
function burst(xstate, machine, { event, events }) {
  const once = () => {
    const actor = xstate.createActor(machine, { clock });
    for (let i = 0; i < events; i++) actor.send(event);
    const snapshot = actor.start().getSnapshot();
    if (snapshot.status !== 'done') throw new Error(`the machine is ${snapshot.status} after ${events} events`);
    return snapshot;
  };
  return {
    sample: () => resultOf(once()),
    run: () => {
      once();
      return events;
    }
  };
}

/** A machine that is started and stopped, with the machines that it invokes. */
function create(xstate, machine) {
  return {
    sample: () => resultOf(started(xstate, machine).getSnapshot()),
    run: () => repeat(() => started(xstate, machine).stop())
  };
}

/** Restored from text, one event, and text again. */
function durable(xstate, machine, { event }) {
  const before = JSON.stringify(started(xstate, machine).getPersistedSnapshot());
  const once = () => {
    const actor = xstate.createActor(machine, { snapshot: JSON.parse(before), clock }).start();
    actor.send(event);
    return JSON.stringify(actor.getPersistedSnapshot());
  };
  return { sample: () => resultOf(JSON.parse(once())), run: () => repeat(once) };
}

/** The heap that a started machine keeps. */
function heap(xstate, machine) {
  return {
    sample: () => resultOf(started(xstate, machine).getSnapshot()),
    bytes: () => {
      const actors = new Array(idle);
      const before = used();
      for (let i = 0; i < idle; i++) actors[i] = started(xstate, machine);
      const bytes = (used() - before) / idle;
      if (actors.some((actor) => actor.getSnapshot().status !== 'active')) throw new Error('a machine is not idle');
      return bytes;
    }
  };
}

function used() {
  for (let i = 0; i < 4; i++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function repeat(once) {
  for (let i = 0; i < rounds; i++) once();
  return rounds;
}

export const works = { plan, burst, create, durable, idle: heap };
