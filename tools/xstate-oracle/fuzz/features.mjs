// Which features of statecharts were at work in a case: for its list of features, and for statistics.
import { INTERNAL, LATE } from './tree.mjs';

// Do two transitions leave a common state? (Good enough for the statistics: history is not followed.)
function conflict(machine, taken) {
  const within = (n, top) => !!top && (n === top || (n.parent ? within(n.parent, top) : false));
  const domains = taken.filter((t) => t.to?.length).map((t) => {
    const source = machine.getStateNodeById(t.from);
    const targets = t.to.map((id) => machine.getStateNodeById(id));
    if (!t.reenter && targets.every((n) => within(n, source))) return source;
    let d = source.parent ?? source;
    while (d.parent && !targets.every((n) => n !== d && within(n, d))) d = d.parent;
    return d;
  });
  return domains.some((a, i) => domains.some((b, j) => i < j && (within(a, b) || within(b, a))));
}

export function features(microsteps, machine, found) {
  for (const m of microsteps) {
    if (m.event.startsWith('xstate.done.state')) found.add('done-event');
    if (m.event.startsWith('xstate.done.actor') || m.event.startsWith('xstate.error.actor')) found.add('invoke');
    if (INTERNAL.includes(m.event) && m.taken.length) found.add('raise');
    if (LATE.includes(m.event) && m.taken.length) found.add('delayed-raise');
    if (m.taken.length > 1) found.add('several-transitions');
    if (m.taken.length > 1 && conflict(machine, m.taken)) found.add('conflict');
    for (const t of m.taken) {
      if (t.on === 'always') {
        found.add('always');
        if (m.taken.length > 1) found.add('several-always');
      }
      if (t.on === '*') found.add('wildcard');
      else if (t.on.endsWith('.*')) found.add('partial-wildcard');
      else if (t.on.startsWith('xstate.after')) found.add('after');
      else if (t.on.startsWith('xstate.done.state')) found.add('onDone');
      if (t.reenter) found.add('reenter');
      if (!t.to) found.add('targetless');
      else {
        if (t.to.length > 1) found.add('multiple-targets');
        for (const id of t.to) {
          if (machine.getStateNodeById(id).type === 'history') found.add('history');
          if (id === t.from) found.add('self');
          if (t.from.startsWith(`${id}.`)) found.add('to-ancestor');
        }
      }
    }
  }
}
