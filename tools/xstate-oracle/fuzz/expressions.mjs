// Guards and assignments, within the subset that JavaScript and expr-lang agree on.
import { Tree, VARS } from './tree.mjs';

export class Expressions extends Tree {
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
}
