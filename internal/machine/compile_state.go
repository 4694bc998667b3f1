package machine

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/syntax"
)

// here is what expressions in the machine part see. input is the start's: it is null later on.
const here = expr.Everywhere | expr.Input

// compileState compiles the behaviour of one state.
func (c *compiler) compileState(index int32) {
	s, n := c.states[index], &c.d.nodes[index]
	c.doneEvents(n)
	n.entry = c.actionList(s.Entry, here)
	n.exit = c.actionList(s.Exit, here)
	c.exits = c.exits || len(n.exit) > 0
	n.output = c.template(s.Output, child(s.At, "output"), here)
	n.always = c.transitions(index, s.Always)
	c.compileInitial(n, s)
	lists := descriptors{}
	for _, h := range s.On {
		lists.set(h.Key, c.transitions(index, h.Transitions))
		c.checkEmpty(h)
	}
	if s.OnDone != nil {
		lists.set(n.doneType, c.transitions(index, s.OnDone))
	}
	c.compileInvokes(n, s, &lists)
	c.compileAfter(n, s, &lists)
	c.compileCandidates(n, lists)
	n.alwaysAt = none
	if len(n.always) > 0 {
		n.alwaysAt = index
		c.d.hasAlways = true
	} else if n.parent != none {
		n.alwaysAt = c.d.nodes[n.parent].alwaysAt
	}
}

// compileInitial compiles the initial transition of a compound state, and the default of a history
// state: its target, or else the parent itself if that is parallel, or the parent's initial.
func (c *compiler) compileInitial(n *node, s *syntax.State) {
	if s.Initial != nil && n.kind == syntax.Compound {
		n.initial = &transition{at: s.Initial.At, source: n.index, actions: c.actionList(s.Initial.Actions, here)}
		if to, ok := c.d.children[childKey{n.index, s.Initial.Targets[0]}]; ok {
			n.initial.targets = []int32{to}
		}
	}
	if n.kind != syntax.History || n.parent == none {
		return
	}
	c.d.hasHistory = true
	parent := &c.d.nodes[n.parent]
	switch {
	case s.Target != nil:
		// The target is seen from the parent of the history state, as that of a sibling is.
		n.fallback = &transition{at: s.Target.At, source: n.index, targets: c.targets(n.index, s.Target)}
	case parent.kind == syntax.Parallel:
		n.fallback = &transition{at: s.At, source: n.index, targets: []int32{n.parent}}
	default:
		n.fallback = parent.initial
	}
}

// transitions compiles a list of candidates.
func (c *compiler) transitions(source int32, list []*syntax.Transition) []*transition {
	out := make([]*transition, len(list))
	for i, t := range list {
		out[i] = &transition{
			at:      t.At,
			pointer: []string{t.At},
			source:  source,
			targets: c.targets(source, t),
			guard:   c.guard(t.Guard, here),
			actions: c.actionList(t.Actions, here),
			reenter: t.Reenter,
		}
		if t.Guard == nil && i < len(list)-1 {
			c.warnf(list[i+1].At, CodeShadowed, "the transition before this one has no guard, so that this one is never taken")
		}
	}
	return out
}

// checkEmpty warns of [], which nobody means.
func (c *compiler) checkEmpty(h syntax.Handler) {
	if len(h.Transitions) == 0 {
		c.warnf(h.At, CodeNoCandidates, "[] is as if the key were not there; to forbid the event write {}")
	}
}

// descriptors is the candidates of a state by event descriptor, in the order in which they came.
type descriptors []described

type described struct {
	descriptor string
	list       []*transition
}

// set replaces what the descriptor had.
func (l *descriptors) set(descriptor string, list []*transition) {
	for i := range *l {
		if (*l)[i].descriptor == descriptor {
			(*l)[i].list = list
			return
		}
	}
	*l = append(*l, described{descriptor, list})
}

// add appends to what the descriptor has.
func (l *descriptors) add(descriptor string, list []*transition) {
	for i := range *l {
		if (*l)[i].descriptor == descriptor {
			(*l)[i].list = append((*l)[i].list, list...)
			return
		}
	}
	*l = append(*l, described{descriptor, list})
}

// compileInvokes compiles the actors that a state invokes.
func (c *compiler) compileInvokes(n *node, s *syntax.State, lists *descriptors) {
	for i, v := range s.Invoke {
		id := v.ID
		if id == "" {
			id = strconv.Itoa(i) + "." + n.id
		}
		n.invokes = append(n.invokes, invoke{
			at: v.At, id: id, actor: c.actor(v.Src, child(v.At, "src")), input: c.template(v.Input, child(v.At, "input"), here),
		})
		if v.OnDone != nil {
			lists.set("xstate.done.actor."+id, c.transitions(n.index, v.OnDone))
		}
		if v.OnError != nil {
			lists.set("xstate.error.actor."+id, c.transitions(n.index, v.OnError))
		}
	}
}

// compileAfter compiles the delayed transitions of a state.
func (c *compiler) compileAfter(n *node, s *syntax.State, lists *descriptors) {
	for _, h := range s.After {
		name := "xstate.after." + h.Key + "." + n.id
		d := c.delay(h.Key, h.At)
		t := afterTimer{delay: d, name: name, event: event(name)}
		n.timers = append(n.timers, t)
		c.d.timerEvents[t.event.String()] = t.event
		lists.add(name, c.transitions(n.index, h.Transitions))
		c.checkEmpty(h)
	}
}

// compileCandidates files the candidates of a state under the numbers of the event types that they
// name, and those of wildcards longest first.
func (c *compiler) compileCandidates(n *node, lists descriptors) {
	for _, l := range lists {
		w, wild := newWildcard(l.descriptor)
		number, ok := c.d.events[l.descriptor]
		if !ok {
			number = int32(len(c.d.events))
			c.d.events[l.descriptor] = number
			c.types = append(c.types, l.descriptor)
			if wild {
				c.types[number] = ""
			}
		}
		n.exact = append(n.exact, candidates{event: number, list: l.list})
		if wild {
			w.list = l.list
			n.wild = append(n.wild, w)
		}
	}
	slices.SortFunc(n.exact, func(a, b candidates) int { return cmp.Compare(a.event, b.event) })
	slices.SortStableFunc(n.wild, func(a, b wildcard) int { return cmp.Compare(len(b.descriptor), len(a.descriptor)) })
}

// checkInvokeIDs refuses two actors of one id that could run at the same time: each would hide the other.
func (c *compiler) checkInvokeIDs() {
	type place struct {
		state int32
		at    string
	}
	byID := map[string][]place{}
	for i := range c.d.nodes {
		n := &c.d.nodes[i]
		for _, v := range n.invokes {
			for _, other := range byID[v.id] {
				if c.canBeTogether(n.index, other.state) {
					c.fault(v.at, CodeDuplicateID, "two actors that can run at the same time have the id %q; the other is %s", v.id, other.at)
				}
			}
			byID[v.id] = append(byID[v.id], place{n.index, v.at})
		}
	}
}

// canBeTogether reports whether two states can be active at the same time.
func (c *compiler) canBeTogether(a, b int32) bool {
	return a == b || c.d.isDescendant(a, b) || c.d.isDescendant(b, a) || c.inSeparateRegions(a, b)
}
