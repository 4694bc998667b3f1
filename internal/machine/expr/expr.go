package expr

import (
	"github.com/detent-run/detent/internal/machine/value"
)

// Names is a set of the variables and functions that an expression may name at its place.
type Names uint16

// The names. Self, Now, InState and HasTag are known everywhere that a macrostep is.
const (
	Context Names = 1 << iota
	Event
	Params
	Input
	Now
	Self
	InState
	HasTag

	// Everywhere is what every expression of a running machine sees.
	Everywhere = Context | Event | Now | Self | InState | HasTag
)

// Scope is what an evaluation sees. It is filled by the caller and reused from one evaluation to the
// next; the functions in it must not evaluate anything in the same Scope.
type Scope struct {
	Context, Event, Params, Input, Self value.Value
	Now                                 int64 // epoch milliseconds

	InState func(id string) (bool, error) // an unknown id is an error
	HasTag  func(tag string) bool
	Budget  *Budget // nil is a fresh one for each evaluation

	spent  *Budget       // the one that counts
	own    Budget        // stands in for a nil Budget
	locals []value.Value // what let and predicates name in the program that runs
}

// begin makes the scope ready for one evaluation of an expression or a template.
func (s *Scope) begin() {
	s.spent = s.Budget
	if s.spent == nil {
		s.own = Budget{}
		s.spent = &s.own
	}
}

// Program is a compiled expression. It is immutable and safe for concurrent use.
type Program struct {
	source   string
	root     node
	slots    int      // of Scope.locals
	builds   bool     // the result may nest deeper than what the scope holds
	stateIDs []string // see StateIDs
}

// Source returns the text of the expression.
func (p *Program) Source() string { return p.source }

// StateIDs returns the ids that the expression gives to inState as literals, so that unknown ones
// can be refused before the expression ever runs.
func (p *Program) StateIDs() []string { return p.stateIDs }

// Eval evaluates the expression. The error names the expression; it is never a wrong number:
// overflow, division by zero, NaN, a missing operand or an exhausted budget all fail.
// The error is an *EvalError. The result is never Absent: what is not there is null.
func (p *Program) Eval(s *Scope) (value.Value, error) {
	s.begin()
	return p.run(s)
}

// EvalBool evaluates a guard. A result that is no boolean is an error.
func (p *Program) EvalBool(s *Scope) (bool, error) {
	v, err := p.Eval(s)
	if err != nil {
		return false, err
	}
	if v.Kind() != value.Bool {
		return false, p.explain(failf("the result is %s, a guard must give a boolean", describe(v)))
	}
	return v.Bool(), nil
}

// run evaluates within a budget that has begun.
func (p *Program) run(s *Scope) (value.Value, error) {
	if p.slots > 0 {
		if cap(s.locals) < p.slots {
			s.locals = make([]value.Value, p.slots)
		}
		s.locals = s.locals[:p.slots]
	}
	v, err := p.root.eval(s)
	if p.slots > 0 {
		clear(s.locals) // a scope lives long, what it held need not
	}
	if err == nil && p.builds {
		err = s.checkDepth(v, maxResultDepth)
	}
	if err != nil {
		return value.Value{}, p.explain(err)
	}
	return v, nil
}
