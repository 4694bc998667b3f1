package machine

import (
	"github.com/detent-run/detent/internal/machine/value"
)

// hopsInPlace is how many macrosteps in a row a timer or a message may cause without time going by.
// From there on delays count from the time of processing, so that a loop of "after: 0" lets time pass.
// The machine's own now stays: were it to jump as well, an event accepted meanwhile would always find
// a timer due at that very instant before it, and never get its turn.
const hopsInPlace = 100

// Start makes a machine: its first macrostep. When it fails, the error is a *Failure and the Result
// is what XState makes of it (status error); the shell chooses by OnError whether that counts.
func (d *Definition) Start(self *Identity, input value.Value, at Moment) (Result, error) {
	return new(Workspace).Start(d, self, input, at)
}

func (m *macrostep) start(d *Definition, self *Identity, input value.Value, at Moment, r *Result) error {
	m.before = Snapshot{
		Self:    self,
		Context: noContext,
		Now:     at.Event,
		active:  d.initial.after,

		nextTimer: 1,
		nextChild: 1,
	}
	m.begin(d, FromStart, at)
	if f := m.startContext(input); f != nil {
		return m.fail(f, r)
	}
	m.before.Context = m.scope.Context
	m.handled = true
	if f := m.initialMicrostep(input); f != nil {
		return m.fail(f, r)
	}
	if f := m.settle(); f != nil {
		return m.fail(f, r)
	}
	return m.finish(r)
}

// noContext is the context before there is one.
var noContext = value.OfObject()

// startContext works out the context of a machine that starts: machine.context with the keys of
// setup.context over it. All of these see machine.context, none sees another.
func (m *macrostep) startContext(input value.Value) *Failure {
	m.scope.Context, m.scope.Input = m.d.context, input
	context := m.d.context
	for _, a := range m.d.contextCode {
		v, f := m.eval(a.code)
		if f != nil {
			return f
		}
		context = context.With(a.key, present(v))
	}
	m.scope.Context = context
	return nil
}

// initialMicrostep enters the initial configuration. Before it the root alone is active, so that no
// other id holds in stateIn; but paths are looked up in the whole initial configuration, in which an
// initial that names a history state leads to that state and no further.
func (m *macrostep) initialMicrostep(input value.Value) *Failure {
	m.external = Event{Type: initType, Data: initEvent, Origin: FromStart}
	if !input.IsAbsent() {
		m.external.Data = initEvent.With("input", input)
	}
	m.handle(&m.external)
	m.starting = true
	m.whole.set(m.d.sketch)
	m.current.set(rootAlone)
	m.changed, m.recorded = false, false
	m.exits = append(m.exits[:0], run{domain: none})
	m.next.set(rootAlone)
	m.selected = append(m.selected[:0], m.d.initial)
	m.trace.begin(initType, m.selected, &m.album)
	f := m.enterInitial(m.selected)
	m.trace.end(f != nil)
	m.starting = false
	return f
}

var (
	initEvent = event(initType)
	rootAlone = []int32{0}
)

// enterInitial is a microstep's entry without an exit before it.
func (m *macrostep) enterInitial(initial []*transition) *Failure {
	if f := m.enterStates(initial); f != nil {
		return f
	}
	if m.status == Done {
		if f := m.exitAll(); f != nil {
			return f
		}
	}
	m.adopt(initial)
	return nil
}

// Step handles one event. It is pure: the same arguments give the same bytes. About failures see Start.
//
// A snapshot that is not Active takes nothing in, and neither does any snapshot the event of a timer
// that is not on its list: the Result is then the snapshot as it was, and Handled is false.
func (d *Definition) Step(s Snapshot, ev Event, at Moment) (Result, error) {
	return new(Workspace).Step(d, s, ev, at)
}

func (m *macrostep) step(d *Definition, s *Snapshot, ev *Event, at Moment, r *Result) error {
	if s.Status != Active {
		r.Snapshot = *s
		return nil
	}
	m.before, m.external = *s, *ev
	m.begin(d, ev.Origin, at)
	if ev.Timer != 0 {
		timer, ok := m.takeTimer(ev.Timer)
		if !ok {
			r.Snapshot = *s
			return nil
		}
		if timer.To.Kind != ToSelf {
			m.deliver(timer)
			return m.finish(r)
		}
	}
	if f := m.mainEventLoop(&m.external); f != nil {
		return m.fail(f, r)
	}
	return m.finish(r)
}

// begin prepares the macrostep that follows the snapshot m.before.
func (m *macrostep) begin(d *Definition, origin Origin, at Moment) {
	s := &m.before
	m.d, m.origin, m.at = d, origin, at
	m.seq, m.hops = s.Seq+1, s.hops
	m.history, m.timers, m.children = s.history, s.Timers, s.Children
	m.nextTimer, m.nextChild = s.nextTimer, s.nextChild
	m.pass(origin, at)
	m.scope.Context = s.Context
	m.scope.Now = m.now.millis()
	m.scope.Budget = &m.budget
	if d.needsSelf {
		m.scope.Self = s.Self.value()
	}
	if d.needsView && m.scope.InState == nil {
		m.scope.InState, m.scope.HasTag = m.inState, m.hasTag
	}
	m.prepare()
	m.current.set(s.active)
}

// pass sets the effective time of the macrostep, which never goes back, and the instant that its
// delays count from. A macrostep that a timer, a message or an answer causes without time going by is
// a hop; see hopsInPlace.
func (m *macrostep) pass(origin Origin, at Moment) {
	m.now = max(m.before.Now, at.Event)
	m.from = m.now
	if origin == External || origin == FromStart || at.Event > m.before.Now {
		m.hops = 0
		return
	}
	m.hops = min(m.hops+1, hopsInPlace)
	if m.hops == hopsInPlace {
		m.from = max(m.now, at.Processing)
	}
}
