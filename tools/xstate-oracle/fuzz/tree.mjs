// The tree of states of a random machine: first of all, so that transitions can name any node of it.
export const EVENTS = ['A', 'B', 'C', 'D', 'k.a', 'k.b', 'k.b.c'];
export const INTERNAL = ['I', 'J', 'K'];
export const LATE = ['L', 'M'];
export const REQUESTS = ['Q', 'R.a', 'R.b']; // to a child
export const REPLIES = ['S', 'T']; // to a parent
export const VARS = ['x', 'y', 'z'];

// The classes of this folder build on each other: tree, expressions, actions, transitions, states. Each
// draws from the same random numbers, in the order in which the definition is made.
export class Tree {
  // limits: {nodes, depth, children: [name of a child machine], child: whether it is one}
  constructor(r, limits) {
    this.r = r;
    this.limits = limits;
    this.nodes = [];
    this.ids = 0;
    this.kids = 0;
    this.acts = 0;
    this.counters = 0;
    this.sends = 0;
    this.usedNames = new Set();
    this.guards = {};
    this.delays = {};
    this.actions = {};
    this.actors = {};
  }


  tree() {
    const { r, limits } = this;
    const budget = { left: r.int(Math.ceil(limits.nodes / 2), limits.nodes) };
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
      const deep = child.depth >= this.limits.depth || budget.left < 2;
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

  ref(node) {
    return node.id && node.id !== 'm' && this.r.chance(0.6) ? `#${node.id}` : `#${['m', ...node.path].join('.')}`;
  }
}
