// Child machines: what is said between a machine and its children, and the children themselves.
//
// A machine of the family knows its children by the names in `limits.children`, and a child knows that it
// has a parent by `limits.child`. Messages to children are bounded by counters, so that two machines do not
// keep each other busy for ever; those that do so all the same are left out by the walk.
import { Expressions } from './expressions.mjs';
import { EVENTS, REPLIES, REQUESTS } from './tree.mjs';

export class Family extends Expressions {
  get hasChildren() {
    return Boolean(this.limits.children?.length);
  }

  // What a machine of a family hears, beside what every machine does.
  heard() {
    const { r } = this;
    return [
      ...(this.hasChildren ? [[() => r.pick(REPLIES), 5]] : []),
      ...(this.limits.child ? [[() => r.pick(REQUESTS), 8], [() => 'R.*', 1]] : []),
    ];
  }

  // What a machine of a family does, beside what every machine does.
  dealings() {
    return [
      ...(this.hasChildren
        ? [[() => this.spawn(), 3], [() => ({ stopChild: this.spawnedID() }), 1], [() => this.sendTo(this.spawnedID()), 0.4]]
        : []),
      ...(this.limits.child ? [[() => this.sendParent(), 8], [() => ({ assign: { x: 'context.nothing.here' } }), 0.3]] : []),
    ];
  }

  spawnedID() {
    return this.r.pick(['sp1', 'sp2']);
  }

  // Never two at once of one id.
  spawn() {
    const id = this.spawnedID();
    return [{ stopChild: id }, { spawnChild: { src: this.childName(), id, input: { x: '{{ context.x }}' } } }];
  }

  childName() {
    const name = this.r.pick(this.limits.children);
    this.actors[name] = { machine: name };
    return name;
  }

  sendParent() {
    const { r } = this;
    const event = { type: r.pick(REPLIES), v: r.chance(0.5) ? r.int(0, 2) : '{{ context.x % 3 }}' };
    return r.chance(0.8) ? { sendParent: { event } } : { sendTo: { to: '#_parent', event, delay: this.delay() } };
  }

  sendTo(id) {
    const { r } = this;
    const counter = `c${++this.counters}`;
    const event = { type: r.chance(0.85) ? r.pick(REQUESTS) : r.pick(EVENTS), v: r.int(0, 2) };
    const send = r.chance(0.15) ? { forwardTo: { to: id } } : { sendTo: { to: id, event, ...(r.chance(0.2) ? { delay: this.delay() } : {}) } };
    return { choose: [{ guard: { expr: `context.${counter} < ${r.int(1, 4)}` }, actions: [{ assign: { [counter]: `context.${counter} + 1` } }, send] }] };
  }

  // A child that a state invokes, and what the state has to say to it.
  invokeChild(node, config) {
    const { r } = this;
    const invoke = { src: this.childName(), input: { x: '{{ context.x }}' } };
    if (r.chance(0.8)) invoke.id = `kid${++this.kids}`;
    const output = r.chance(0.4) ? [{ assign: { y: 'event.output.x' } }] : [];
    if (r.chance(0.85)) invoke.onDone = this.bounded(this.transition(node, { pGuard: 0.1, tag: 'kd' }), output);
    if (r.chance(0.7)) invoke.onError = this.bounded(this.transition(node, { pGuard: 0, tag: 'ke' }), []);
    if (invoke.id) {
      if (r.chance(0.5)) config.entry = [...[config.entry ?? []].flat(), this.sendTo(invoke.id)];
      if (r.chance(0.3)) config.exit = [...[config.exit ?? []].flat(), this.sendTo(invoke.id)];
      const type = r.pick(EVENTS);
      if (r.chance(0.7)) config.on = { ...config.on, [type]: { actions: [this.sendTo(invoke.id), this.act('s')] } };
    }
    config.invoke = config.invoke ? [config.invoke, invoke] : r.chance(0.5) ? invoke : [invoke];
  }

  // A child that ends at once, in a state that its end enters again, would never come to rest.
  bounded(transition, actions) {
    const counter = `c${++this.counters}`;
    const t = typeof transition === 'string' ? { target: transition } : { ...transition };
    const bound = { expr: `context.${counter} < ${this.r.int(1, 3)}` };
    t.guard = t.guard ? { and: [bound, t.guard] } : bound;
    t.actions = [{ assign: { [counter]: `context.${counter} + 1` } }, ...actions, ...[t.actions ?? []].flat()];
    return t;
  }
}
