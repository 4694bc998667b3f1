// Transitions of a state: what they go to, under which guard, with which actions.
import { Actions } from './actions.mjs';

export class Transitions extends Actions {
  target(source) {
    const { r } = this;
    const root = !source.parent;
    const siblings = root ? [] : source.parent.children.filter((n) => n !== source);
    const children = source.children;
    const others = this.nodes.filter((n) => n.parent);
    const final = (n) => n.kind === 'final' && n.parent === this.nodes[0]; // the end of the machine: not too often
    const kind = r.weighted([
      ['sibling', siblings.length ? 9 : 0],
      ['final', siblings.some((n) => n.kind === 'final') ? (source.depth > 1 ? 7 : 2) : 0],
      ['child', children.length ? 5 : 0],
      ['any', 5],
      ['path', siblings.some((s) => s.children.length) ? 3 : 0],
      ['self', root ? 0 : 2],
      ['ancestor', source.depth > 1 ? 2 : 0],
      ['history', this.nodes.some((n) => n.kind === 'history') ? 3 : 0],
      ['multi', this.nodes.some((n) => n.kind === 'parallel') ? 4 : 0],
      ['root', root ? 0.5 : 0.2],
    ]);
    switch (kind) {
      case 'sibling': {
        const s = r.pick(siblings);
        return (final(s) ? r.pick(siblings) : s).key;
      }
      case 'final': return siblings.find((n) => n.kind === 'final').key;
      case 'child': {
        const c = r.pick(children);
        return c.children.length && r.chance(0.3) ? `.${c.key}.${r.pick(c.children).key}` : `.${c.key}`;
      }
      case 'path': {
        const s = r.pick(siblings.filter((n) => n.children.length));
        const c = r.pick(s.children);
        return [s.key, c.key, ...(c.children.length && r.chance(0.4) ? [r.pick(c.children).key] : [])].join('.');
      }
      case 'self': return r.chance(0.7) ? source.key : this.ref(source);
      case 'ancestor': {
        const up = [];
        for (let n = source.parent; n.parent; n = n.parent) up.push(n);
        return this.ref(r.pick(up));
      }
      case 'history': return this.ref(r.pick(this.nodes.filter((n) => n.kind === 'history')));
      case 'multi': {
        const p = r.pick(this.nodes.filter((n) => n.kind === 'parallel'));
        const regions = p.children.filter((n) => n.kind === 'compound' || n.kind === 'parallel');
        if (regions.length < 2) return this.ref(p);
        const targets = r.sample(regions, r.int(2, regions.length)).map((n) => {
          let t = r.pick(n.children);
          if (t.kind === 'compound' && r.chance(0.4)) t = r.pick(t.children);
          return this.ref(t);
        });
        return targets;
      }
      case 'root': return '#m';
      default: {
        let n = r.pick(others);
        if (final(n) && r.chance(0.7)) n = r.pick(others);
        return this.ref(n);
      }
    }
  }

  transition(source, { pTarget = 0.85, pGuard = 0.3, tag = 't' } = {}) {
    const { r } = this;
    const t = {};
    if (r.chance(pTarget)) t.target = this.target(source);
    if (r.chance(pGuard)) t.guard = this.guard();
    this.put(t, 'actions', this.list(tag, t.target ? 0.5 : 0.7, t.target ? 0.2 : 0.5, 0.15));
    if (t.target && r.chance(0.15)) t.reenter = true;
    if (!t.target && !t.actions) t.actions = this.act(tag);
    return t.target && typeof t.target === 'string' && Object.keys(t).length === 1 && r.chance(0.7) ? t.target : t;
  }

  transitions(source, options) {
    const { r } = this;
    if (!r.chance(0.22)) return this.transition(source, options);
    const first = this.transition(source, { ...options, pGuard: 1 });
    const out = [first];
    if (r.chance(0.3)) out.push(this.transition(source, { ...options, pGuard: 1 }));
    out.push(this.transition(source, { ...options, pGuard: 0.3 }));
    return out;
  }

  always(source) {
    const { r } = this;
    const on = `event.type == "${r.pick(['A', 'B', 'k.a'])}"`; // shared by several regions, so that they go off together
    if (r.chance(0.15)) {
      // no target and no change: taken once per event
      const t = { guard: r.chance(0.6) ? { expr: on } : this.guard(1), actions: [this.act('w')] };
      if (r.chance(0.2)) t.actions.push({ raise: { event: this.internalEvent() } });
      return t;
    }
    const counter = `c${++this.counters}`; // bounds how often it can be taken
    const bound = `context.${counter} < ${r.int(1, 4)}`;
    const t = {
      guard: r.weighted([
        [() => ({ expr: `${bound} && ${on}` }), 1],
        [() => ({ expr: `${bound} && ${this.compare()}` }), 3],
        [() => ({ and: [{ expr: bound }, this.guard(1)] }), 3],
      ])(),
      actions: [{ assign: { [counter]: `context.${counter} + 1` } }],
    };
    if (r.chance(0.75)) t.target = this.target(source);
    if (r.chance(0.6)) t.actions.push(this.act('w'));
    if (r.chance(0.15)) t.actions.push({ raise: { event: this.internalEvent() } });
    if (t.target && r.chance(0.15)) t.reenter = true;
    return t;
  }

  // Regions that go off together on one event: in which order?
  inStep(source, event) {
    const { r } = this;
    const counter = `c${++this.counters}`;
    const t = { guard: { expr: `context.${counter} < ${r.int(2, 5)} && event.type == "${event}"` }, actions: [{ assign: { [counter]: `context.${counter} + 1` } }, this.act('w')] };
    if (r.chance(0.3)) t.actions.push(this.assign());
    const inside = source.children.filter((n) => n.kind !== 'history');
    if (inside.length && r.chance(0.3)) t.target = `.${r.pick(inside).key}`;
    else if (r.chance(0.15)) t.target = this.target(source);
    return t;
  }
}
