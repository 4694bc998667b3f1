package machine_test

import (
	"maps"
	"slices"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// The twin is section 3 of docs/semantics.md, written down as it stands there: sets are maps or lists
// that are searched, whatever could be known ahead is worked out again every time, and nothing is
// shared. It has no code in common with the engine but the reading of documents and the expressions,
// which have tests of their own. The numbers in the comments are those of the text.
//
//	twin_test.go            what a machine is, and the macrostep (3.2 to 3.5)
//	twin_tree_test.go       the tree (3.1)
//	twin_selection_test.go  selection, conflicts, guards (3.6, 3.7, 3.12)
//	twin_microstep_test.go  microstep, completion (3.8, 3.11)
//	twin_sets_test.go       domain, exit set, entry set, history (3.9, 3.10)
//	twin_actions_test.go    actions (3.12)
//	twin_effects_test.go    timers, children (3.13, 3.14)
//	twin_show_test.go       what is compared
//	twin_generate_test.go, twin_generate_actions_test.go  random definitions
//	twin_agree_test.go      the comparison

// twinMachine is a machine between two macrosteps (3.2).
type twinMachine struct {
	active   []*twinNode // in the order in which they became active
	context  value.Value
	status   machine.Status
	output   value.Value
	history  map[*twinNode][]*twinNode
	children []machine.Child
	timers   []machine.Timer
	named    map[string]int64 // which timer an id names: the one that was started last

	failure machine.FailureKind
	seq     int64
	now     machine.Time
	hops    int

	nextTimer, nextChild int64
}

// clone copies everything that can change.
func (m twinMachine) clone() twinMachine {
	m.active = slices.Clone(m.active)
	m.history = maps.Clone(m.history)
	m.children = slices.Clone(m.children)
	m.timers = slices.Clone(m.timers)
	m.named = maps.Clone(m.named)
	return m
}

// twinStep is a macrostep under way.
type twinStep struct {
	*twin
	self   *machine.Identity
	was    twinMachine // before the macrostep
	is     twinMachine // what it has become so far
	origin machine.Origin
	from   machine.Time // delays count from here

	event    machine.Event
	input    value.Value
	params   value.Value
	queue    []machine.Event // the internal queue
	rounds   int
	starting bool        // the microstep of the start is under way
	initial  []*twinNode // ... which leads to these

	before   []*twinNode // active before the microstep
	changed  bool        // 3.8.8
	recorded bool

	overtaken map[*twinTransition]bool // left nothing, and another one has left its source
	complete  map[*twinNode]bool       // parallel nodes dealt with in this microstep

	invoking map[string]int64 // ids of the actors that the node being entered invokes
	unborn   map[int64]bool   // actors that this macrostep created and stopped

	immediate []machine.Effect
	deferred  []machine.Effect
	handled   bool
	trace     []machine.Microstep
	inName    int // how deep in named actions
}

// twinFailure is how the twin gives a macrostep up: it panics with one.
type twinFailure machine.FailureKind

// twinCancel is the deferred effect of cancelling by id.
type twinCancel struct {
	machine.Effect
	id string
}

// twinResult is what a macrostep leads to.
type twinResult struct {
	machine twinMachine
	effects []machine.Effect
	trace   []machine.Microstep
	handled bool
	changed bool
}

// start makes a machine (3.4).
func (w *twin) start(self *machine.Identity, input value.Value, at machine.Moment) twinResult {
	s := &twinStep{twin: w, self: self, origin: machine.FromStart, from: at.Event, input: input, unborn: map[int64]bool{}}
	s.was = twinMachine{
		context: value.OfObject(), history: map[*twinNode][]*twinNode{}, named: map[string]int64{},
		now: at.Event, nextTimer: 1, nextChild: 1,
	}
	s.initial = w.initialNodes()
	s.was.active = w.initialConfiguration(s.initial)
	s.is = s.was.clone()
	s.is.seq = 1
	return s.macrostep(func() {
		s.is.context = w.doc.Machine.Context
		if s.is.context.IsAbsent() {
			s.is.context = value.OfObject()
		}
		context := s.is.context
		for _, a := range w.doc.Setup.Context {
			context = context.With(a.Key, orNull(s.code(a.Code)))
		}
		s.is.context, s.was.context = context, context
		s.event = machine.Event{Type: "xstate.init", Data: typed("xstate.init")}
		if !input.IsAbsent() {
			s.event.Data = s.event.Data.With("input", input)
		}
		s.starting, s.handled = true, true
		s.is.active = []*twinNode{w.root}
		s.microstep([]*twinTransition{{source: w.root, targets: append([]*twinNode{w.root}, s.initial...), reenter: true}})
		s.starting = false
		s.settle()
	})
}

// step handles one event. A machine that has ended takes none, nor one that comes of a timer that is
// not pending (3.3.4, 3.13).
func (w *twin) step(m twinMachine, self *machine.Identity, ev machine.Event, at machine.Moment) twinResult {
	s := &twinStep{twin: w, self: self, was: m, is: m.clone(), origin: ev.Origin, unborn: map[int64]bool{}}
	s.is.seq++
	s.pass(at)
	if m.status != machine.Active {
		return twinResult{machine: m}
	}
	if ev.Timer == 0 {
		return s.macrostep(func() { s.mainLoop(ev) })
	}
	i := slices.IndexFunc(s.is.timers, func(t machine.Timer) bool { return t.No == ev.Timer })
	if i < 0 {
		return twinResult{machine: m}
	}
	fired := s.is.timers[i]
	s.is.timers = slices.Delete(s.is.timers, i, i+1)
	delete(s.is.named, fired.SendID) // the id is forgotten, whichever timer it names
	s.was.timers = slices.Clone(s.is.timers)
	r := s.macrostep(func() {
		if fired.To.Kind == machine.ToSelf {
			s.mainLoop(ev)
			return
		}
		s.handled = true
		if fired.To.Kind != machine.ToChild || slices.ContainsFunc(s.is.children, func(c machine.Child) bool { return c.No == fired.To.No }) {
			s.deferred = append(s.deferred, machine.Send{To: fired.To, Event: fired.Event})
		}
	})
	r.changed = true // the timer is gone
	return r
}

// pass sets the times of the macrostep: see "Time" in docs/divergences.md.
func (s *twinStep) pass(at machine.Moment) {
	s.is.now = max(s.was.now, at.Event)
	s.from = s.is.now
	if s.origin == machine.External || at.Event > s.was.now {
		s.is.hops = 0
		return
	}
	s.is.hops = min(s.is.hops+1, 100)
	if s.is.hops == 100 {
		s.from = max(s.is.now, at.Processing)
	}
}

// mainLoop is a macrostep for an event of the mailbox (3.5).
func (s *twinStep) mainLoop(ev machine.Event) {
	s.event = ev
	transitions := s.selectFor(ev)
	s.handled = len(transitions) > 0
	if !s.handled && isError(ev.Type) {
		s.stopAll()
		panic(twinFailure(machine.DataFailure))
	}
	s.microstep(transitions)
	s.settle()
}

// settle is 3.5.3.
func (s *twinStep) settle() {
	look := true
	for s.is.status == machine.Active {
		s.rounds++
		if s.rounds > s.doc.Options.MaxMicrosteps {
			panic(twinFailure(machine.EngineFailure))
		}
		if look {
			if transitions := s.selectEventless(); len(transitions) > 0 {
				s.microstep(transitions)
				look = s.changed
				continue
			}
		}
		if len(s.queue) == 0 {
			return
		}
		s.event, s.queue = s.queue[0], s.queue[1:]
		s.microstep(s.selectFor(s.event))
		look = true
	}
}

// macrostep runs what a macrostep does, and ends it: well (3.3.3), or with a failure (3.15).
func (s *twinStep) macrostep(do func()) (r twinResult) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		kind, ok := p.(twinFailure)
		if !ok {
			panic(p)
		}
		r = s.failed(machine.FailureKind(kind))
	}()
	do()
	if s.is.status != machine.Active {
		s.stopAll()
	}
	effects := s.runDeferred()
	if s.is.status != machine.Active {
		for _, t := range slices.Clone(s.is.timers) {
			effects = s.cancelTimer(t, effects)
		}
	}
	return twinResult{machine: s.is, effects: effects, trace: s.trace, handled: s.handled, changed: s.hasChanged()}
}

// failed is 3.15.
func (s *twinStep) failed(kind machine.FailureKind) twinResult {
	m := s.was.clone()
	m.status, m.failure = machine.Failed, kind
	m.seq, m.now, m.hops = s.is.seq, s.is.now, s.is.hops
	effects := s.immediate
	if kind == machine.DataFailure { // nobody took a child's error: the others are stopped
		effects = append(effects, s.deferred...)
		m.children = nil
	}
	for _, t := range m.timers {
		effects = append(effects, machine.CancelTimer{Timer: t})
	}
	m.timers, m.named = nil, map[string]int64{}
	return twinResult{machine: m, effects: effects, trace: s.trace, handled: s.handled, changed: true}
}

// hasChanged reports whether anything of the machine is not as before.
func (s *twinStep) hasChanged() bool {
	sameTimer := func(a, b machine.Timer) bool {
		return a.No == b.No && (s.was.named[a.SendID] == a.No) == (s.is.named[b.SendID] == b.No)
	}
	return s.origin == machine.FromStart || s.is.status != s.was.status ||
		!slices.Equal(s.is.active, s.was.active) || !value.Equal(s.is.context, s.was.context) ||
		!slices.Equal(s.is.children, s.was.children) ||
		!slices.EqualFunc(s.was.timers, s.is.timers, sameTimer) ||
		!maps.EqualFunc(s.is.history, s.was.history, func(a, b []*twinNode) bool { return slices.Equal(a, b) })
}

// typed is an event of nothing but a type.
func typed(eventType string) value.Value {
	return value.OfObject(value.Member{Key: "type", Value: value.OfText(eventType)})
}

// orNull is what is kept of a value that may not be there.
func orNull(v value.Value) value.Value {
	if v.IsAbsent() {
		return value.NullValue
	}
	return v
}
