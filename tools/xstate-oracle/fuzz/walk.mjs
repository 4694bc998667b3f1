// One case: the definition, then steps chosen by looking at where the machine is.
import { Session } from '../oracle/run.mjs';
import { features } from './features.mjs';
import { rng } from './random.mjs';
import { Maker } from './states.mjs';
import { EVENTS } from './tree.mjs';

const MOST = 60; // traced actions or microsteps in one step of the case, more in larger machines
const DULL = 0.6; // the share of steps in which something must change

// Why a case is not worth keeping.
class Discard extends Error {}

// limits: {nodes, depth, steps, children}
// Returns {case, found, changed, machine}, or {discard}.
export function makeCase(seed, limits) {
  const r = rng(seed);
  try {
    return new Walk(r, limits).case();
  } catch (err) {
    if (err instanceof Discard) return { discard: err.message };
    throw err;
  }
}

class Walk {
  found = new Set();
  expect = [];
  steps = [];
  changed = 0;

  constructor(r, limits) {
    this.r = r;
    this.limits = limits;
    const names = limits.children ? ['kid', 'imp'].slice(0, r.int(1, 2)) : [];
    this.maker = new Maker(r, { nodes: limits.nodes, depth: limits.depth, children: names });
    this.definition = this.maker.definition();
    this.actors = Object.fromEntries(names.map((name, i) => {
      // A child has children of its own only among those that come after it.
      const small = { nodes: Math.max(4, Math.ceil(limits.nodes / 3)), depth: 2, child: true, children: r.chance(0.5) ? names.slice(i + 1) : [] };
      return [name, new Maker(r, small).definition()];
    }));
    try {
      this.session = new Session({ definition: this.definition, actors: this.actors }, { explain: true });
    } catch {
      throw new Discard('refused');
    }
    this.machine = this.session.snapshot.machine;
    if (!this.machine) throw new Discard('error');
  }

  case() {
    const { r, session, steps } = this;
    this.record(session.start());
    if (this.expect[0].status !== 'active') throw new Discard('over-at-start');
    const total = r.int(Math.ceil(this.limits.steps * 0.6), this.limits.steps + 2);
    for (let i = 0; i < total; i++) {
      // A machine that is over does nothing any more: one step shows it now and then.
      if (session.snapshot.status !== 'active' && !(i > 0 && r.chance(0.3))) break;
      this.take(this.choose(session.snapshot));
    }
    if (steps.length < 3) throw new Discard('short');
    if (session.sameSendId) throw new Discard('same-send-id'); // XState's behaviour there is better kept to the hand-made cases
    if (this.changed / steps.length < DULL) throw new Discard('dull');
    this.note();
    const actors = this.limits.children ? { actors: this.actors } : {};
    return { case: { definition: this.definition, ...actors, steps, expect: this.expect }, found: this.found, changed: this.changed, machine: this.machine };
  }

  // The next step: mostly something that the machine can do something with.
  choose(s) {
    const { r, maker } = this;
    const handled = [...new Set((s._nodes ?? []).flatMap((n) => [...n.transitions.keys()]))].filter((d) => !d.startsWith('xstate.'));
    if (maker.sync && r.chance(0.5)) handled.push(maker.sync, maker.sync);
    const due = this.session.nextDue;
    const tasks = tasksOf(s);
    const roll = r.weighted([
      ['handled', handled.length ? 10 : 0],
      ['random', 1],
      ['time', due !== undefined ? 4 : 0.3],
      ['task', tasks.length ? 3 : 0],
    ]);
    switch (roll) {
      case 'handled': {
        const d = r.pick(handled);
        const type = d === '*' ? r.pick([...EVENTS, 'other']) : d.endsWith('.*') ? r.pick([...EVENTS, 'R.a'].filter((e) => e.startsWith(d.slice(0, -2)))) : d;
        return { event: { type, v: r.int(0, 2) } };
      }
      case 'time': return { advance: due !== undefined ? (r.chance(0.8) ? due : r.int(1, 60)) : r.int(1, 30) };
      case 'task': {
        const task = r.pick(tasks);
        return r.chance(0.75) ? { complete: { ...task, output: r.int(0, 3) } } : { fail: { ...task, error: 'broken' } };
      }
      default: return { event: { type: r.pick(EVENTS), v: r.int(0, 2) } };
    }
  }

  take(step) {
    let observed;
    try {
      observed = this.session.step(step);
    } catch {
      throw new Discard('clock');
    }
    const before = this.expect[this.expect.length - 1];
    this.steps.push(step);
    this.record(observed);
    const after = this.expect[this.expect.length - 1];
    if (after.actions.length || shown({ ...after, actions: [] }) !== shown({ ...before, actions: [], emitted: [] })) this.changed++;
  }

  record({ microsteps, ...rest }) {
    features(microsteps.filter((m) => !m.actor), this.machine, this.found);
    if (rest.status === 'error' && rest.errorKind === 'engine' && !/send event/.test(rest.error)) throw new Discard('endless');
    if (this.session.endless) throw new Discard('endless');
    if (this.session.replaced) throw new Discard('replaced-child'); // see docs/divergences.md
    if (this.session.illegal) throw new Discard('illegal'); // XState lost or duplicated states: see history-domain in docs/semantics.md
    const most = Math.max(MOST, 2 * this.limits.nodes);
    if (rest.actions.length > most || (rest.childActions ?? []).length > most || microsteps.length > most) throw new Discard('long-winded');
    if (microsteps.some((m) => Object.values(m.context).some((v) => v > 1e6))) throw new Discard('large-numbers');
    // The text of an error is XState's own: nothing to compare with.
    if (rest.sent?.some((s) => s.event.type.startsWith('xstate.error'))) throw new Discard('forwarded-error');
    if (rest.sent) this.found.add('send-to');
    if (microsteps.some((m) => m.actor)) this.found.add('child-machine');
    this.expect.push(rest);
  }

  note() {
    const { found, definition, maker, session } = this;
    if (session.snapshot.status === 'error') found.add('status-error');
    if (session.snapshot.status === 'done') found.add('status-done');
    const text = JSON.stringify(definition);
    for (const key of ['choose', 'emit', 'cancel', 'stateIn', 'invoke', 'output']) if (text.includes(`"${key}":`)) found.add(`has-${key}`);
    if (maker.nodes.some((n) => n.kind === 'parallel')) found.add('has-parallel');
  }
}

const shown = (o) => JSON.stringify([o.value, o.context, o.status, o.actions, o.emitted ?? [], o.pending ?? [], o.children ?? {}]);

// The tasks that are under way, of the machine and of its child machines.
function tasksOf(snapshot, of = []) {
  return Object.entries(snapshot.children ?? {}).flatMap(([id, child]) => {
    const s = child.getSnapshot();
    if (s.status !== 'active') return [];
    if (!child.logic.isTask) return tasksOf(s, [...of, id]);
    return [of.length ? { id, of: of.join('/') } : { id }];
  });
}
