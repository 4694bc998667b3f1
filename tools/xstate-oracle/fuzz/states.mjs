// The configuration of every state, and the definition as a whole.
import { Transitions } from './transitions.mjs';
import { EVENTS, INTERNAL, LATE, VARS } from './tree.mjs';

export class Maker extends Transitions {
  config(node) {
    const { r } = this;
    const c = {};
    if (node.id) c.id = node.id;
    if (node.kind === 'history') {
      c.type = 'history';
      if (node.deep || r.chance(0.4)) c.history = node.deep ? 'deep' : 'shallow';
      if (r.chance(0.45)) c.target = this.historyDefault(node);
      return c;
    }
    if (node.kind === 'parallel') {
      c.type = 'parallel';
      if (r.chance(0.5)) this.sync = node.sync = r.pick(['A', 'B', 'C']);
    }
    if (node.kind === 'final') c.type = 'final';
    if (r.chance(0.12)) c.tags = r.chance(0.5) ? [r.pick(['red', 'blue'])] : r.pick(['red', 'green']);
    this.put(c, 'entry', this.list('e', 0.5, 0.18, 0.14));
    this.put(c, 'exit', this.list('x', 0.4, 0.1, 0.06));
    if (node.kind === 'final') {
      if (r.chance(0.6)) c.output = r.pick(['{{ context.x }}', { x: '{{ context.x + 1 }}', k: 'fixed' }, 7]);
      return c;
    }
    if (node.kind === 'compound') {
      c.initial = r.chance(0.2) ? { target: node.initialKey, actions: [this.act('i'), ...(r.chance(0.3) ? [this.assign()] : [])] } : node.initialKey;
      const h = node.children.find((n) => n.kind === 'history');
      if (h && r.chance(0.06)) {
        c.initial = h.key;
        h.mustHaveDefault = true;
      }
    }

    const on = {};
    const count = node.depth === 0 ? r.int(0, 2) : r.weighted([[0, 1], [1, 3], [2, 4], [3, 2]]);
    for (let i = 0; i < count; i++) {
      const d = r.weighted([[() => r.pick(EVENTS), 12], [() => r.pick(INTERNAL), 3], [() => r.pick(LATE), 2], [() => 'k.*', 1], [() => 'k.b.*', 0.6], [() => '*', 0.8], ...this.heard()])();
      on[d] = r.chance(0.04) ? null : this.transitions(node, {});
    }
    if (Object.keys(on).length) c.on = on;
    if (r.chance(0.13)) c.always = r.chance(0.25) ? [this.always(node), this.always(node)] : this.always(node);
    if (node.parent?.sync && r.chance(0.75)) c.always = [this.inStep(node, node.parent.sync), ...[c.always ?? []].flat()];
    if (r.chance(node.depth ? 0.16 : 0.05)) {
      c.after = { [r.chance(0.7) ? r.int(1, 9) * 5 : this.namedDelay()]: this.transitions(node, { pGuard: 0.2, tag: 'a' }) };
      if (r.chance(0.2)) c.after[r.int(10, 14) * 5] = this.transitions(node, { pGuard: 0.2, tag: 'a' });
    }
    if (node.depth && node.kind !== 'atomic' && r.chance(0.85) && (node.kind === 'parallel' || node.children.some((n) => n.kind === 'final'))) {
      c.onDone = this.transitions(node, { pGuard: 0.15, tag: 'd' });
      node.hasOnDone = true;
    }
    if (node.depth && r.chance(0.05)) {
      this.actors.job = { task: { queue: 'q' } };
      const inv = { src: 'job', onDone: this.transition(node, { pGuard: 0.1, tag: 'j' }) };
      if (r.chance(0.5)) inv.input = { x: '{{ context.x }}' };
      if (r.chance(0.8)) inv.onError = this.transition(node, { pGuard: 0, tag: 'j' });
      c.invoke = inv;
    }
    if (this.hasChildren && r.chance(node.depth ? 0.25 : 0.1)) this.invokeChild(node, c);
    if (node.children.length) c.states = Object.fromEntries(node.children.map((n) => [n.key, this.config(n)]));
    return c;
  }

  historyDefault(node) {
    const { r } = this;
    const real = node.parent.children.filter((n) => n.kind !== 'history');
    if (node.parent.kind === 'parallel' && r.chance(0.4)) {
      const regions = real.filter((n) => n.kind === 'compound');
      if (regions.length > 1) return r.sample(regions, 2).map((n) => `${n.key}.${r.pick(n.children.filter((k) => k.kind !== 'history')).key}`);
    }
    const n = r.pick(real);
    const deeper = n.children.filter((k) => k.kind !== 'history');
    return deeper.length && r.chance(0.4) ? `${n.key}.${r.pick(deeper).key}` : n.key;
  }

  definition() {
    const { r } = this;
    const root = this.tree();
    const machine = this.config(root);
    // an initial that names a history state needs a default to end the search
    const fix = (node, c) => {
      for (const n of node.children) {
        const k = c.states[n.key];
        if (n.mustHaveDefault && !k.target) k.target = this.historyDefault(n);
        if (n.children.length) fix(n, k);
      }
    };
    fix(root, machine);
    machine.context = Object.fromEntries([...VARS.map((v) => [v, r.int(0, 2)]), ...Array.from({ length: this.counters }, (_, i) => [`c${i + 1}`, 0])]);
    if (root.children.some((n) => n.kind === 'final') || root.kind === 'parallel') {
      if (this.limits.child || r.chance(0.5)) machine.output = { x: '{{ context.x }}', t: '{{ event.type }}' };
    }
    const setup = {};
    if (this.limits.child && r.chance(0.5)) setup.context = { x: 'input.x' };
    for (const key of ['guards', 'actions', 'delays', 'actors']) if (Object.keys(this[key]).length) setup[key] = this[key];
    return { machine, ...(Object.keys(setup).length ? { setup } : {}), options: { unknownActions: 'trace', onError: 'fail' } };
  }
}
