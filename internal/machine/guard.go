package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/expr"
)

// guard is one compiled guard. It sees the context as it is, the event under way, and the
// configuration from before the microstep.
type guard interface {
	holds(m *macrostep) (bool, *Failure)
}

// exprGuard is an expression.
type exprGuard struct {
	at      string
	program *expr.Program
}

func (g *exprGuard) holds(m *macrostep) (bool, *Failure) {
	ok, err := g.program.EvalBool(&m.scope)
	if err != nil {
		return false, expressionFailure(g.at, err)
	}
	return ok, nil
}

// literalGuard is a boolean in setup.guards.
type literalGuard bool

func (g literalGuard) holds(*macrostep) (bool, *Failure) { return bool(g), nil }

// namedGuard is one of setup.guards with its params.
type namedGuard struct {
	params *expression
	body   *guardBody
}

// guardBody is what a name in setup.guards stands for. It is shared by all who use the name.
type guardBody struct{ guard guard }

func (g *namedGuard) holds(m *macrostep) (bool, *Failure) {
	params, f := m.eval(g.params)
	if f != nil {
		return false, f
	}
	outer := m.scope.Params
	m.scope.Params = params
	ok, f := g.body.guard.holds(m)
	m.scope.Params = outer
	return ok, f
}

// andGuard holds when all do. It looks no further than the first that does not.
type andGuard []guard

func (g andGuard) holds(m *macrostep) (bool, *Failure) {
	for _, x := range g {
		if ok, f := x.holds(m); !ok || f != nil {
			return false, f
		}
	}
	return true, nil
}

// orGuard holds when one does. It looks no further than that one.
type orGuard []guard

func (g orGuard) holds(m *macrostep) (bool, *Failure) {
	for _, x := range g {
		if ok, f := x.holds(m); ok || f != nil {
			return ok, f
		}
	}
	return false, nil
}

// notGuard turns a guard round.
type notGuard struct{ guard guard }

func (g notGuard) holds(m *macrostep) (bool, *Failure) {
	ok, f := g.guard.holds(m)
	return !ok && f == nil, f
}

// stateInID is stateIn with an id: the state is active.
type stateInID int32

func (g stateInID) holds(m *macrostep) (bool, *Failure) { return m.current.has(int32(g)), nil }

// stateInPaths is stateIn with a path or a state value: it is a part of the machine's state value.
type stateInPaths struct {
	never  bool    // a key that no state has
	active []int32 // all of these are active
	inner  []int32 // ... and each of these is written as an object in the state value
}

func (g *stateInPaths) holds(m *macrostep) (bool, *Failure) {
	c := &m.current
	if m.starting {
		c = &m.whole
	}
	if g.never {
		return false, nil
	}
	for _, n := range g.active {
		if !c.has(n) {
			return false, nil
		}
	}
	return !slices.ContainsFunc(g.inner, func(n int32) bool { return !m.d.isObject(n, c) }), nil
}
