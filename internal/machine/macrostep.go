package machine

import (
	"slices"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// macrostep is a macrostep under way: what the machine has become so far, and the room that its
// procedures work in. Nothing of it is visible before it is over.
type macrostep struct {
	progress
	room
}

// progress is how far a macrostep has come. It begins anew with each.
type progress struct {
	d      *Definition
	origin Origin
	at     Moment
	now    Time // effective time
	from   Time // delays count from here
	seq    int64
	hops   int

	event  *Event // the event under way; scope.Event is its data
	rounds int
	status Status
	output value.Value

	history   historyValue
	timers    []Timer
	children  []Child
	nextTimer int64
	nextChild int64

	immediate []Effect // as they ran
	trace     tracer

	invoking   []invoke // of the state whose entry actions run
	invokingNo int64    // the number that is set aside for the first of them

	known []int32 // the current configuration as the plan of a transition has it, nil when there is none

	starting     bool  // the microstep under way is the start's: stateIn looks paths up in m.whole
	changed      bool  // the microstep changed the machine, as XState counts it
	recorded     bool  // ... recorded history
	moved        bool  // the configuration, or its order, is not the snapshot's
	assigned     bool  // an assign ran
	handled      bool  // a transition was selected for the event
	fired        int64 // the number of the timer that caused the macrostep
	timersOwned  bool  // timers is no longer the snapshot's
	childrenMade bool  // children is no longer the snapshot's
}

// errorEvents is how the types of the events begin with which actors tell of their failure.
const errorEvents = "xstate.error.actor"

// mainEventLoop handles one event of the mailbox: SCXML's loop, from the point where it has taken an
// external event. An actor's error that nothing takes is the machine's own failure.
func (m *macrostep) mainEventLoop(e *Event) *Failure {
	m.handle(e)
	ts, f := m.selectTransitions(e)
	if f != nil {
		return f
	}
	m.handled = len(ts) > 0
	if !m.handled && strings.HasPrefix(e.Type, errorEvents) {
		m.stopChildren()
		return unhandledError(e)
	}
	if f := m.microstep(ts); f != nil {
		return f
	}
	return m.settle()
}

// settle goes on until the machine is at rest. Eventless transitions come before queued events, and
// are looked for after every event, also one that nothing took.
//
// In SCXML eventless transitions repeat as long as there are any. In XState they are looked for
// again only when the last ones changed the machine, so that one that changes nothing runs once for
// each event instead of for ever.
func (m *macrostep) settle() *Failure {
	for look := true; m.status == Active; {
		m.rounds++
		if limit := m.d.options.MaxMicrosteps; m.rounds > limit {
			return m.engineFailure("", "the machine does not come to rest: it has taken more than %d microsteps for one event (options.maxMicrosteps)", limit)
		}
		if look {
			ts, f := m.selectEventlessTransitions()
			if f != nil {
				return f
			}
			if len(ts) > 0 {
				if f := m.microstep(ts); f != nil {
					return f
				}
				look = m.changed
				continue
			}
		}
		if m.taken == len(m.queue) {
			return nil
		}
		if f := m.handleQueued(); f != nil {
			return f
		}
		look = true
	}
	return nil
}

// handleQueued takes the first event off the internal queue and the transitions that it enables.
func (m *macrostep) handleQueued() *Failure {
	e := &m.queue[m.taken]
	m.taken++
	m.handle(e)
	ts, f := m.selectTransitions(e)
	if f != nil {
		return f
	}
	return m.microstep(ts)
}

// handle makes an event the one under way.
func (m *macrostep) handle(e *Event) { m.event, m.scope.Event = e, e.Data }

// raise puts an event on the internal queue.
func (m *macrostep) raise(eventType string, data value.Value) {
	m.queue = append(m.queue, Event{Type: eventType, Data: data})
}

// tell notes an effect that a running machine causes the moment its action is reached. During the
// start it waits like any other: a start that fails leaves no trace.
func (m *macrostep) tell(e Effect) {
	if m.origin == FromStart {
		m.deferred = append(m.deferred, e)
		return
	}
	m.immediate = append(m.immediate, e)
}

// later notes an effect that waits for the end of the macrostep.
func (m *macrostep) later(e Effect) { m.deferred = append(m.deferred, e) }

// finish ends a macrostep that went well: its effects run, and it becomes a snapshot.
func (m *macrostep) finish(r *Result) error {
	if m.status != Active {
		m.stopChildren()
	}
	effects, f := m.runDeferred()
	if f != nil {
		return m.fail(f, r)
	}
	if m.status != Active {
		effects = m.cancelAllTimers(effects)
	}
	s := &r.Snapshot
	s.Self, s.Seq, s.Status = m.before.Self, m.seq, m.status
	s.Context, s.Output, s.Now = m.scope.Context, m.output, m.now
	s.Timers, s.Children = m.timers, m.children
	s.history, s.nextTimer, s.nextChild, s.hops = m.history, m.nextTimer, m.nextChild, m.hops
	switch {
	case m.known != nil:
		s.active = m.known
	case m.moved:
		s.active = slices.Clone(m.current.order)
	default:
		s.active = m.before.active
	}
	r.Effects, r.Trace.Microsteps = effects, m.trace.steps
	r.Handled, r.Changed = m.handled, m.hasChanged()
	return nil
}

// hasChanged reports whether the machine is not as before the macrostep.
func (m *macrostep) hasChanged() bool {
	b := &m.before
	return m.origin == FromStart || m.status != Active ||
		m.moved && !slices.Equal(m.current.order, b.active) ||
		m.assigned && !value.Equal(m.scope.Context, b.Context) ||
		m.timersOwned && !slices.EqualFunc(m.timers, b.Timers, sameTimer) ||
		m.childrenMade && !slices.EqualFunc(m.children, b.Children, func(x, y Child) bool { return x.No == y.No }) ||
		!slices.EqualFunc(m.history, b.history, func(x, y record) bool { return x.state == y.state && slices.Equal(x.states, y.states) })
}

// sameTimer reports whether two timers of one machine are the same. A timer never changes, but for
// what its id names.
func sameTimer(a, b Timer) bool { return a.No == b.No && a.forgotten == b.forgotten }
