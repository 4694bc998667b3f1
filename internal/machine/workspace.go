package machine

import (
	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/value"
)

// Workspace is the memory that macrosteps work in. Whoever takes many steps one after the other keeps
// one, so that a step allocates nothing but what its result is made of. Results never point into it:
// it changes how fast a step is, and nothing else.
//
// The zero Workspace is ready. It serves one macrostep at a time, of any machine. It holds on to the
// snapshot and the definition that it saw last.
type Workspace struct{ m macrostep }

// Start is Definition.Start in this workspace.
func (w *Workspace) Start(d *Definition, self *Identity, input value.Value, at Moment) (Result, error) {
	defer w.m.clear()
	var r Result
	err := w.m.start(d, self, input, at, &r)
	return r, err
}

// Step is Definition.Step in this workspace.
func (w *Workspace) Step(d *Definition, s Snapshot, ev Event, at Moment) (Result, error) {
	defer w.m.clear()
	var r Result
	err := w.m.step(d, &s, &ev, at, &r)
	return r, err
}

// clear makes the workspace ready for the next macrostep, and lets go of what the last one made.
func (m *macrostep) clear() {
	m.progress = progress{}
	m.budget = expr.Budget{}
	m.scope.Context, m.scope.Event, m.scope.Params = value.Value{}, value.Value{}, value.Value{}
	m.scope.Input, m.scope.Self = value.Value{}, value.Value{}
	m.external = Event{}
	clear(m.queue)
	clear(m.deferred)
	clear(m.values)
	m.queue, m.taken, m.deferred = m.queue[:0], 0, m.deferred[:0]
}

// room is what a macrostep works in: what evaluations see, and the sets of its procedures. Sets of the
// usual size need no allocation of their own, and grown ones stay for the next macrostep.
type room struct {
	before Snapshot   // a failure goes back to it
	scope  expr.Scope // its Context is the context so far
	budget expr.Budget

	current  configuration // what transitions are selected from
	next     configuration // what the microstep under way leads to
	whole    configuration // of a start: what it leads to if nothing else happens
	external Event
	queue    []Event // raised; those before taken have been handled
	taken    int
	deferred []Effect // as they run when the macrostep is over

	selected  []*transition
	exits     []run
	runs      []run
	entry     []entered
	completed []int32
	effective []int32
	values    []value.Member // of an assign

	album album

	first struct {
		order, sorted, nextOrder, nextSorted [8]int32

		selected    [2]*transition
		exits, runs [2]run
	}
}

// prepare lets the sets of a new room begin in it.
func (r *room) prepare() {
	if r.selected != nil {
		return
	}
	f := &r.first
	r.current.order, r.current.sorted = f.order[:0], f.sorted[:0]
	r.next.order, r.next.sorted = f.nextOrder[:0], f.nextSorted[:0]
	r.selected, r.exits, r.runs = f.selected[:0], f.exits[:0], f.runs[:0]
}
