#!/usr/bin/env node
// Makes random cases: definitions that XState accepts, with events that make them move.
// node generate.mjs --seed=1 --count=2000 --out=FILE [--nodes=18] [--depth=4] [--steps=9] [--prefix=fuzz] [--quiet]
// The same arguments always give the same file. Needs `npm ci` in tools/xstate-oracle first.
import { createWriteStream } from 'node:fs';
import { Session } from '../oracle/run.mjs';

const arg = (name, fallback) => process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
const SEED = Number(arg('seed', 1));
const COUNT = Number(arg('count', 100));
const OUT = arg('out');
const NODES = Number(arg('nodes', 18));
const DEPTH = Number(arg('depth', 4));
const STEPS = Number(arg('steps', 9));
const PREFIX = arg('prefix', 'fuzz');

// ---- randomness
function rng(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const r = {
    int: (lo, hi) => lo + Math.floor(next() * (hi - lo + 1)),
    chance: (p) => next() < p,
    pick: (list) => list[Math.floor(next() * list.length)],
    weighted(table) {
      let x = next() * table.reduce((s, [, w]) => s + w, 0);
      for (const [v, w] of table) if ((x -= w) < 0) return v;
      return table[table.length - 1][0];
    },
    sample(list, n) {
      const copy = [...list];
      const out = [];
      while (out.length < n && copy.length) out.push(copy.splice(Math.floor(next() * copy.length), 1)[0]);
      return out;
    },
  };
  return r;
}

const EVENTS = ['A', 'B', 'C', 'D', 'k.a', 'k.b', 'k.b.c'];
const INTERNAL = ['I', 'J', 'K'];
const LATE = ['L', 'M'];
const VARS = ['x', 'y', 'z'];

// ---- one definition
class Maker {
  constructor(r) {
    this.r = r;
    this.nodes = [];
    this.ids = 0;
    this.acts = 0;
    this.counters = 0;
    this.sends = 0;
    this.usedNames = new Set();
    this.guards = {};
    this.delays = {};
    this.actions = {};
    this.actors = {};
  }

  // The tree first, so that transitions can name any node of it.
  tree() {
    const { r } = this;
    const budget = { left: r.int(Math.ceil(NODES / 2), NODES) };
    const root = { key: 'm', path: [], depth: 0, children: [], id: 'm' };
    this.nodes.push(root);
    root.kind = r.chance(0.25) ? 'parallel' : 'compound';
    this.grow(root, budget);
    return root;
  }

  grow(node, budget) {
    const { r } = this;
    const parallel = node.kind === 'parallel';
    const names = r.chance(0.3) ? ['a', 'b', 'c', 'd', 'e'] : ['p', 'q', 'r', 's', 't'];
    const count = parallel ? r.weighted([[1, 1], [2, 8], [3, 3]]) : r.weighted([[2, 6], [3, 5], [4, 1]]);
    for (let i = 0; i < count; i++) {
      const child = { key: names[i], parent: node, path: [...node.path, names[i]], depth: node.depth + 1, children: [] };
      budget.left--;
      node.children.push(child);
      this.nodes.push(child);
    }
    for (const child of node.children) {
      const deep = child.depth >= DEPTH || budget.left < 2;
      child.kind = deep
        ? 'atomic'
        : parallel
          ? r.weighted([['compound', 12], ['atomic', 2], ['parallel', 2]])
          : r.weighted([['atomic', 8], ['compound', 6], ['parallel', 4]]);
      if (child.kind !== 'atomic') this.grow(child, budget);
    }
    if (!parallel) node.initialKey = r.chance(0.75) ? node.children[0].key : r.pick(node.children).key;
    const add = (key, kind, extra) => {
      const n = { key, kind, parent: node, path: [...node.path, key], depth: node.depth + 1, children: [], ...extra };
      node.children.push(n);
      this.nodes.push(n);
    };
    if (parallel ? r.chance(0.08) : r.chance(node.depth === 0 ? 0.5 : 0.55)) add('f', 'final');
    if (node.depth > 0 && r.chance(0.35)) add('h', 'history', { deep: r.chance(0.5) });
    for (const n of node.children) if (r.chance(0.12) && n.kind !== 'history') n.id = `id${++this.ids}`;
    for (const n of node.children) if (n.kind === 'history' && r.chance(0.3)) n.id = `id${++this.ids}`;
  }

  // ---- expressions
  compare() {
    const { r } = this;
    const v = `context.${r.pick(VARS)}`;
    return r.weighted([
      [`${v} > ${r.int(0, 4)}`, 3],
      [`${v} < ${r.int(1, 6)}`, 3],
      [`${v} % 2 == ${r.int(0, 1)}`, 4],
      [`${v} % 3 != ${r.int(0, 2)}`, 2],
      [`${v} >= context.${r.pick(VARS)}`, 2],
      [`event.v == ${r.int(0, 2)}`, 4],
      [`event.v != ${r.int(0, 2)}`, 2],
    ]);
  }

  guardExpr() {
    const { r } = this;
    return r.weighted([
      [() => this.compare(), 6],
      [() => `${this.compare()} && ${this.compare()}`, 2],
      [() => `${this.compare()} || ${this.compare()}`, 2],
      [() => `!(${this.compare()})`, 1],
      [() => `${this.compare()} ? ${this.compare()} : ${this.compare()}`, 1],
    ])();
  }

  guard(level = 0) {
    const { r } = this;
    return r.weighted([
      [() => ({ expr: this.guardExpr() }), 6],
      [() => this.namedGuard(), 3],
      [() => this.stateIn(), 2],
      ...(level < 2
        ? [
            [() => ({ and: [this.guard(level + 1), this.guard(level + 1)] }), 1],
            [() => ({ or: [this.guard(level + 1), this.guard(level + 1)] }), 1],
            [() => ({ not: this.guard(level + 1) }), 1],
          ]
        : []),
    ])();
  }

  namedGuard() {
    const { r } = this;
    if (r.chance(0.5)) {
      const name = r.pick(['g1', 'g2', 'g3']);
      this.guards[name] ??= this.guardExpr();
      return r.chance(0.5) ? name : { type: name };
    }
    const name = r.pick(['above', 'even']);
    this.guards.above = 'context.x + params.add > params.limit';
    this.guards.even = '(context.y + params.add) % 2 == 0';
    return { type: name, params: { add: r.int(0, 2), limit: r.chance(0.5) ? r.int(0, 5) : '{{ context.z }}' } };
  }

  stateIn() {
    const node = this.r.pick(this.nodes.filter((n) => n.kind !== 'history' && n.parent));
    if (this.r.chance(0.5)) return { stateIn: this.ref(node) };
    return { stateIn: node.path.join('.') };
  }

  ref(node) {
    return node.id && node.id !== 'm' && this.r.chance(0.6) ? `#${node.id}` : `#${['m', ...node.path].join('.')}`;
  }

  assign() {
    const { r } = this;
    const value = (v) =>
      r.weighted([
        [`context.${v} + 1`, 6],
        [`context.${v} + context.${r.pick(VARS)}`, 2],
        [`context.${v} * 2 % 7`, 1],
        [r.int(0, 3), 2],
        [`context.${r.pick(VARS)} > 2 ? 0 : context.${v} + 2`, 2],
        [`event.v == 1 ? context.${v} + 3 : context.${v}`, 2],
      ]);
    return { assign: Object.fromEntries(r.sample(VARS, r.chance(0.75) ? 1 : 2).map((v) => [v, value(v)])) };
  }

  // ---- actions
  act(tag) {
    const { r } = this;
    const type = `${tag}${++this.acts}`;
    if (!r.chance(0.25)) return type;
    return { type, params: r.weighted([[{ x: '{{ context.x }}' }, 3], [{ t: '{{ event.type }}' }, 3], [{ s: 'y={{ context.y }}', z: ['{{ context.z + 1 }}'] }, 1]]) };
  }

  special(where) {
    const { r } = this;
    return r.weighted([
      [() => ({ raise: { event: this.internalEvent() } }), 6],
      [() => this.delayedRaise(), 4],
      [() => ({ cancel: r.pick(this.sendIds ?? ['s1']) }), 1],
      [() => ({ emit: { event: { type: r.pick(['note', 'ping']), x: '{{ context.x }}' } } }), 2],
      [() => ({ choose: this.branches(where) }), 3],
      [() => this.namedAction(), 2],
    ])();
  }

  internalEvent() {
    const { r } = this;
    const type = r.chance(0.8) ? r.pick(INTERNAL) : r.pick(EVENTS);
    return { type, v: r.chance(0.5) ? r.int(0, 2) : '{{ context.x % 3 }}' };
  }

  delayedRaise() {
    const { r } = this;
    const event = { type: r.pick(LATE), v: r.int(0, 2) };
    const raise = { event, delay: this.delay() };
    if (r.chance(0.3)) return { raise };
    raise.id = `s${++this.sends}`;
    (this.sendIds ??= []).push(raise.id);
    return [{ cancel: raise.id }, { raise }]; // never two pending with one id
  }

  delay() {
    const { r } = this;
    return r.weighted([
      [() => r.int(1, 8) * 5, 6],
      [() => this.namedDelay(), 2],
    ])();
  }

  namedDelay() {
    const { r } = this;
    const name = r.pick(['short', 'long', 'byX']);
    this.delays[name] ??= { short: 12, long: { duration: '33ms' }, byX: 'context.x * 5 + 10' }[name];
    return name;
  }

  branches(where) {
    const { r } = this;
    const body = () => {
      const out = [];
      if (r.chance(0.6)) out.push(this.act(where));
      if (r.chance(0.5)) out.push(this.assign());
      if (r.chance(0.25)) out.push({ raise: { event: this.internalEvent() } });
      if (!out.length) out.push(this.act(where));
      return out;
    };
    const out = [{ guard: this.guard(1), actions: body() }];
    if (r.chance(0.4)) out.push({ guard: this.guard(1), actions: body() });
    if (r.chance(0.6)) out.push({ actions: body() });
    return out;
  }

  namedAction() {
    const { r } = this;
    const name = r.pick(['bump', 'addTo', 'several']);
    if (name === 'bump') this.actions.bump = { assign: { x: 'context.x + 1' } };
    if (name === 'addTo') {
      this.actions.addTo = { assign: { y: 'context.y + params.n', z: 'params.n' } };
      return { type: 'addTo', params: { n: r.chance(0.5) ? r.int(1, 3) : '{{ context.x + 1 }}' } };
    }
    if (name === 'several') this.actions.several = ['bump2', { assign: { z: 'context.z + 1' } }, { type: 'inside', params: { z: '{{ context.z }}' } }];
    if (name === 'several') this.actions.bump2 = { assign: { y: 'context.y + 1' } };
    return name;
  }

  list(tag, pAct, pAssign, pSpecial) {
    const { r } = this;
    const out = [];
    if (r.chance(pAct)) out.push(this.act(tag));
    if (r.chance(pAssign)) out.push(this.assign());
    if (r.chance(pSpecial)) out.push(...[this.special(tag)].flat());
    if (r.chance(0.003)) out.push({ assign: { x: 'context.nothing.here' } }); // cannot be evaluated: status error
    if (out.length > 1 && r.chance(0.3)) out.reverse();
    // a cancel must stay before its raise
    const at = out.findIndex((a) => a.raise?.id);
    const c = at < 0 ? -1 : out.findIndex((a) => a.cancel === out[at].raise.id);
    if (c > at) [out[at], out[c]] = [out[c], out[at]];
    return out;
  }

  put(config, key, list) {
    if (list.length) config[key] = list.length === 1 && this.r.chance(0.5) ? list[0] : list;
  }

  // ---- transitions
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

  // ---- nodes
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
      const d = r.weighted([[() => r.pick(EVENTS), 12], [() => r.pick(INTERNAL), 3], [() => r.pick(LATE), 2], [() => 'k.*', 1], [() => 'k.b.*', 0.6], [() => '*', 0.8]])();
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
      if (r.chance(0.5)) machine.output = { x: '{{ context.x }}', t: '{{ event.type }}' };
    }
    const setup = {};
    for (const key of ['guards', 'actions', 'delays', 'actors']) if (Object.keys(this[key]).length) setup[key] = this[key];
    return { machine, ...(Object.keys(setup).length ? { setup } : {}), options: { unknownActions: 'trace', onError: 'fail' } };
  }
}

// ---- one case: the definition, then steps chosen by looking at where the machine is
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

function features(microsteps, machine, found) {
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

function makeCase(seed) {
  const r = rng(seed);
  const maker = new Maker(r);
  const definition = maker.definition();
  let session;
  try {
    session = new Session({ definition }, { explain: true });
  } catch (err) {
    return { discard: 'refused', why: err.message };
  }
  const machine = session.snapshot.machine;
  if (!machine) return { discard: 'error' };
  const found = new Set();
  const expect = [];
  const steps = [];
  const record = (o) => {
    const { microsteps, ...rest } = o;
    features(microsteps, machine, found);
    if (rest.status === 'error' && rest.errorKind === 'engine') return 'endless';
    if (session.illegal) return 'illegal'; // XState lost or duplicated states: see history-domain in the README
    if (rest.actions.length > 60 || microsteps.length > 60) return 'long-winded';
    if (microsteps.some((m) => Object.values(m.context).some((v) => v > 1e6))) return 'large-numbers';
    expect.push(rest);
    return undefined;
  };
  const now = (o) => JSON.stringify([o.value, o.context, o.status, o.actions, o.emitted ?? [], o.pending ?? [], o.children ?? {}]);
  let changed = 0;
  let bad = record(session.start());
  if (bad) return { discard: bad };
  if (expect[0].status !== 'active') return { discard: 'over-at-start' };
  const total = r.int(Math.ceil(STEPS * 0.6), STEPS + 2);
  for (let i = 0; i < total; i++) {
    const s = session.snapshot;
    if (s.status !== 'active') {
      if (i > 0 && r.chance(0.3)) { /* one step more: a finished machine does nothing */ } else break;
    }
    const handled = [...new Set((s._nodes ?? []).flatMap((n) => [...n.transitions.keys()]))].filter((d) => !d.startsWith('xstate.'));
    if (maker.sync && r.chance(0.5)) handled.push(maker.sync, maker.sync);
    const due = session.nextDue;
    const children = Object.keys(s.children ?? {}).filter((id) => s.children[id].getSnapshot().status === 'active');
    const roll = r.weighted([
      ['handled', handled.length ? 10 : 0],
      ['random', 1],
      ['time', due !== undefined ? 4 : 0.3],
      ['task', children.length ? 3 : 0],
    ]);
    let step;
    if (roll === 'handled') {
      const d = r.pick(handled);
      const type = d === '*' ? r.pick([...EVENTS, 'other']) : d.endsWith('.*') ? r.pick(EVENTS.filter((e) => e.startsWith(d.slice(0, -2)))) : d;
      step = { event: { type, v: r.int(0, 2) } };
    } else if (roll === 'time') step = { advance: due !== undefined ? (r.chance(0.8) ? due : r.int(1, 60)) : r.int(1, 30) };
    else if (roll === 'task') {
      const id = r.pick(children);
      step = r.chance(0.75) ? { complete: { id, output: r.int(0, 3) } } : { fail: { id, error: 'broken' } };
    } else step = { event: { type: r.pick(EVENTS), v: r.int(0, 2) } };
    let o;
    try {
      o = session.step(step);
    } catch (err) {
      return { discard: 'clock', why: err.message };
    }
    const before = expect[expect.length - 1];
    steps.push(step);
    bad = record(o);
    if (bad) return { discard: bad };
    const after = expect[expect.length - 1];
    if (after.actions.length || now({ ...after, actions: [] }) !== now({ ...before, actions: [], emitted: [] })) changed++;
  }
  if (steps.length < 3) return { discard: 'short' };
  if (session.sameSendId) return { discard: 'same-send-id' }; // XState's behaviour there is better kept to the hand-made cases
  if (session.snapshot.status === 'error') found.add('status-error');
  if (session.snapshot.status === 'done') found.add('status-done');
  if (changed / steps.length < 0.6) return { discard: 'dull' };
  for (const key of ['choose', 'emit', 'cancel', 'stateIn', 'invoke', 'output']) if (definitionHas(definition, key)) found.add(`has-${key}`);
  if (maker.nodes.some((n) => n.kind === 'parallel')) found.add('has-parallel');
  return { case: { definition, steps, expect }, found, changed, machine };
}

const definitionHas = (d, key) => JSON.stringify(d).includes(`"${key}":`);

// ---- all of them
const out = OUT ? createWriteStream(OUT) : process.stdout;
const stats = { made: 0, tried: 0, steps: 0, changed: 0, bytes: 0, nodes: 0, depth: {}, done: 0, error: 0, discards: {}, features: {}, traces: 0, pending: 0 };
for (let n = 0; stats.made < COUNT; n++) {
  stats.tried++;
  const seed = (Math.imul(SEED, 1_000_003) + n) | 0;
  const made = makeCase(seed);
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
