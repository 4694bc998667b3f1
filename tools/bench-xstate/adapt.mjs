// Turns a Detent definition into a machine of XState 5 or of XState 6, as someone would write it there by hand:
// expressions become functions once, when the machine is made. It knows what the machines of this
// benchmark use, and refuses the rest.

/** The expressions of the benchmark's machines mean the same in JavaScript. */
function compile(text) {
  return new Function('{ context, event }', `return (${text});`);
}

function known(object, ...keys) {
  for (const key of Object.keys(object)) {
    if (!keys.includes(key)) throw new Error(`the benchmark does not know ${JSON.stringify(key)}`);
  }
}

/** Reads the candidates for one event: [{target, guard, assign}]. */
function candidates(config) {
  return [config].flat().map((candidate) => {
    const t = typeof candidate === 'string' ? { target: candidate } : candidate;
    known(t, 'target', 'guard', 'actions');
    const read = { target: t.target };
    if (t.guard) {
      known(t.guard, 'expr');
      read.guard = compile(t.guard.expr);
    }
    if (t.actions) {
      known(t.actions, 'assign');
      read.assign = Object.entries(t.actions.assign).map(([key, text]) => [key, compile(text)]);
    }
    return read;
  });
}

function mapValues(object, f) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value)]));
}

/** Copies a state's config with its transitions, children and invoked machine translated. */
function stateOf(config, transitions, machineOf) {
  known(config, 'id', 'type', 'initial', 'context', 'states', 'on', 'after', 'invoke');
  const state = { ...config };
  for (const key of ['on', 'after']) {
    if (config[key]) state[key] = mapValues(config[key], (c) => transitions(candidates(c)));
  }
  if (config.invoke) state.invoke = { ...config.invoke, src: machineOf(config.invoke.src) };
  if (config.states) state.states = mapValues(config.states, (s) => stateOf(s, transitions, machineOf));
  return state;
}

function machineWith(xstate, transitions, definition, actors) {
  known(definition, 'machine', 'setup');
  const named = definition.setup?.actors ?? {};
  const machineOf = (src) => machineWith(xstate, transitions, actors[named[src].machine], actors);
  return xstate.createMachine(stateOf(definition.machine, transitions, machineOf));
}

/** XState 5: candidates are objects, an assign is an action. */
function inFive(xstate) {
  return (list) =>
    list.map(({ target, guard, assign }) => ({
      ...(target && { target }),
      ...(guard && { guard }),
      ...(assign && { actions: xstate.assign(Object.fromEntries(assign)) })
    }));
}

/** XState 6: a transition is a function that returns the target and what changes in the context. */
function inSix(list) {
  if (list.length === 1 && !list[0].guard && !list[0].assign) return list[0];
  const results = list.map(({ target, assign }) => resultOf(target, assign));
  return (args) => {
    for (let i = 0; i < list.length; i++) {
      if (!list[i].guard || list[i].guard(args)) return results[i](args);
    }
    return undefined;
  };
}

/** The assignments are written out as one object literal, as a person would write them. */
function resultOf(target, assign) {
  if (!assign) return () => ({ target });
  const functions = assign.map(([, f]) => f);
  const members = assign.map(([key], i) => `${JSON.stringify(key)}: functions[${i}](args)`);
  const head = target ? `target: ${JSON.stringify(target)}, ` : '';
  return new Function('functions', `return (args) => ({ ${head}context: { ${members} } });`)(functions);
}

export const adapters = {
  xstate: (x, definition, actors) => machineWith(x, inFive(x), definition, actors),
  'xstate-6': (x, definition, actors) => machineWith(x, inSix, definition, actors)
};
