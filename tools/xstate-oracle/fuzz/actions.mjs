// Lists of actions: traced ones, assignments, and now and then something special.
import { Family } from './children.mjs';
import { EVENTS, INTERNAL, LATE } from './tree.mjs';

export class Actions extends Family {
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
      ...this.dealings(),
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
}
