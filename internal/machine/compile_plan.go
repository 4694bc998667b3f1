package machine

import "github.com/detent-run/detent/internal/machine/syntax"

// maxPlanned is how many states all plans of a definition may hold together. A machine of very many
// regions with very many transitions to all of them would take its square in memory; what is not
// planned is worked out when it is taken.
const maxPlanned = 1_000_000

// plan works out, for every transition whose entry does not depend on history, its domain and what
// it enters. It does so with the very procedures that a microstep uses.
func (c *compiler) plan() {
	c.d.initial = &transition{
		at: "", pointer: []string{}, source: 0, targets: []int32{0}, reenter: true,
	}
	c.planTransition(c.d.initial)
	if !c.d.initial.static {
		c.planStart()
	}
	c.foresee(initType, c.d.initial)
	c.d.sketch = c.sketch(0, nil)
	for i := range c.d.nodes {
		n := &c.d.nodes[i]
		for _, t := range n.always {
			c.planTransition(t)
			c.foresee("", t)
		}
		for _, x := range n.exact {
			for _, t := range x.list {
				c.planTransition(t)
				c.foresee(c.types[x.event], t)
			}
		}
	}
}

// planTransition plans one transition, unless a history state has a say in it.
func (c *compiler) planTransition(t *transition) {
	if len(t.targets) == 0 {
		t.static, t.domain = true, t.source
		return
	}
	if c.planned > maxPlanned {
		return
	}
	effective := c.d.effectiveTargets(t, nil, nil)
	domain := c.d.domain(t, effective)
	set := entrySet{d: c.d}
	set.addTransition(t, domain, effective)
	if set.dynamic {
		return
	}
	c.keepPlan(t, domain, &set)
}

// planStart plans the transition of the start where an initial is a history state: at the start
// nothing is recorded, so that its default is what it stands for.
func (c *compiler) planStart() {
	set := entrySet{d: c.d}
	set.addTransition(c.d.initial, none, c.d.initial.targets)
	c.keepPlan(c.d.initial, none, &set)
}

// sketch appends a state and what is entered with it by default. As in XState, an initial that names a history
// state leads no further than to that state.
func (c *compiler) sketch(state int32, to []int32) []int32 {
	to = append(to, state)
	switch n := &c.d.nodes[state]; n.kind {
	case syntax.Compound:
		return c.sketch(n.initial.targets[0], to)
	case syntax.Parallel:
		for _, region := range n.regions {
			to = c.sketch(region, to)
		}
	}
	return to
}

func (c *compiler) keepPlan(t *transition, domain int32, set *entrySet) {
	set.markInitials()
	c.checkPlan(t, set)
	c.planned += len(set.states)
	t.static, t.domain, t.plan = true, domain, set.states
	t.ids = make([]string, len(t.plan))
	for i, x := range t.plan {
		t.ids[i] = c.d.nodes[x.state].id
	}
}

// checkPlan refuses a transition that would enter two children of one compound state.
func (c *compiler) checkPlan(t *transition, set *entrySet) {
	for _, x := range set.states {
		n := &c.d.nodes[x.state]
		if n.parent == none || c.d.nodes[n.parent].kind != syntax.Compound {
			continue
		}
		// The first that is entered below a compound state is the child that is entered.
		i, _ := set.find(n.parent + 1)
		if first := set.states[i].state; first != x.state {
			c.fault(t.at, CodeConflictingTarget, "this would enter two states that cannot be active together: #%s and #%s",
				c.d.nodes[first].id, n.id)
		}
	}
}
