package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/value"
)

// maxTimers is how many timers a machine may have pending.
const maxTimers = 10_000

// cancelSend is a deferred cancel by id. It never leaves the package: runDeferred turns it into the
// CancelTimer of the timer that it finds, if it finds one.
type cancelSend struct{ id string }

func (cancelSend) effect() {}

// startAfter starts a timer of after. Its delay counts from the event time of the macrostep.
func (m *macrostep) startAfter(t *afterTimer) *Failure {
	deadline, f := m.deadline(t.delay)
	if f != nil {
		return f
	}
	m.startTimer(deadline, t.name, t.event, Address{})
	return nil
}

// startTimer starts a timer when the macrostep is over. It has its number from now on, so that
// timers of one deadline fire in the order of their actions.
func (m *macrostep) startTimer(deadline Time, sendID string, event value.Value, to Address) {
	m.later(StartTimer{Timer: Timer{
		No: m.nextTimer, Seq: m.seq, Deadline: deadline, SendID: sendID, Event: event, To: to,
	}})
	m.nextTimer++
}

// cancelTimer cancels a timer by its id when the macrostep is over.
func (m *macrostep) cancelTimer(sendID string) { m.later(cancelSend{id: sendID}) }

// runDeferred runs the deferred effects in order and returns all effects. A timer that is started
// and cancelled in one macrostep leaves none.
func (m *macrostep) runDeferred() ([]Effect, *Failure) {
	effects := m.immediate
	if effects == nil && len(m.deferred) > 0 {
		effects = make([]Effect, 0, len(m.deferred))
	}
	for _, e := range m.deferred {
		switch e := e.(type) {
		case StartTimer:
			if len(m.timers) >= maxTimers {
				return nil, m.engineFailure("", "the machine has %d timers pending, and may not have more", maxTimers)
			}
			m.insertTimer(e.Timer)
			effects = append(effects, e)
		case cancelSend:
			if i := m.findTimer(e.id); i >= 0 {
				effects = m.removeTimer(i, effects)
			}
		default:
			effects = append(effects, e)
		}
	}
	return effects, nil
}

// findTimer returns the place of the timer that an id names, -1 when there is none.
func (m *macrostep) findTimer(sendID string) int {
	return slices.IndexFunc(m.timers, func(t Timer) bool { return t.SendID == sendID && !t.forgotten && sendID != "" })
}

// insertTimer puts a timer on the list. An earlier one of the same id runs on, but the id no longer
// names it.
func (m *macrostep) insertTimer(t Timer) {
	m.ownTimers()
	m.forget(t.SendID)
	i, _ := slices.BinarySearchFunc(m.timers, t, compareTimers)
	m.timers = slices.Insert(m.timers, i, t)
}

// forget takes an id away from the timer that it names, as XState does when another timer of that
// id starts, and when one of that id fires, whichever it is.
func (m *macrostep) forget(sendID string) {
	if i := m.findTimer(sendID); i >= 0 {
		m.ownTimers()
		m.timers[i].forgotten = true
	}
}

// removeTimer cancels the timer at a place. If it was started by this very macrostep, nobody is told.
func (m *macrostep) removeTimer(i int, effects []Effect) []Effect {
	t := m.timers[i]
	m.ownTimers()
	m.timers = slices.Delete(m.timers, i, i+1)
	return withoutTimer(t, m.before.nextTimer, effects)
}

// cancelAllTimers cancels what is still pending of a machine that is done.
func (m *macrostep) cancelAllTimers(effects []Effect) []Effect {
	for _, t := range m.timers {
		effects = withoutTimer(t, m.before.nextTimer, effects)
	}
	m.timersOwned = m.timersOwned || len(m.timers) > 0
	m.timers = nil
	return effects
}

// withoutTimer appends the cancelling of a timer, or takes its start out again when it is one of
// those numbered from firstNew on.
func withoutTimer(t Timer, firstNew int64, effects []Effect) []Effect {
	if t.No < firstNew {
		return append(effects, CancelTimer{Timer: t})
	}
	return slices.DeleteFunc(effects, func(e Effect) bool {
		s, ok := e.(StartTimer)
		return ok && s.Timer.No == t.No
	})
}

// takeTimer takes the timer that fired off the list.
func (m *macrostep) takeTimer(no int64) (Timer, bool) {
	i := slices.IndexFunc(m.timers, func(t Timer) bool { return t.No == no })
	if i < 0 {
		return Timer{}, false
	}
	t := m.timers[i]
	m.ownTimers()
	m.timers = slices.Delete(m.timers, i, i+1)
	m.forget(t.SendID)
	m.fired = no
	return t, true
}

// timersBefore returns the timers of the snapshot before the macrostep, without the one that fired.
func (m *macrostep) timersBefore() []Timer {
	if m.fired == 0 {
		return m.before.Timers
	}
	return slices.DeleteFunc(slices.Clone(m.before.Timers), func(t Timer) bool { return t.No == m.fired })
}

// ownTimers makes the list one that may be changed.
func (m *macrostep) ownTimers() {
	if !m.timersOwned {
		m.timers = append(make([]Timer, 0, len(m.timers)+1), m.timers...)
		m.timersOwned = true
	}
}

// deliver sends the message of a delayed sendTo that is due. It was meant for the actor that had
// the id when it was sent: if that one is gone it is lost, also when another has the id now.
func (m *macrostep) deliver(t Timer) {
	m.handled = true
	if t.To.Kind == ToChild && !slices.ContainsFunc(m.children, func(c Child) bool { return c.No == t.To.No }) {
		return
	}
	m.later(Send{To: t.To, Event: t.Event})
}
