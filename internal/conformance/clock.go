package conformance

import (
	"cmp"
	"slices"

	"github.com/detent-run/detent/internal/machine"
)

// clock is the time of a case and the timers of all its machines.
type clock struct {
	start  machine.Time // the instant at which the case starts
	now    machine.Time // since then
	timers []runningTimer
}

// runningTimer is a timer that an actor was told to start.
type runningTimer struct {
	owner *actor
	timer machine.Timer
	due   machine.Time // since the start
}

// set starts a timer. The list stays in the order in which timers were started.
func (c *clock) set(owner *actor, t machine.Timer) {
	c.timers = append(c.timers, runningTimer{owner: owner, timer: t, due: t.Deadline - c.start})
}

// clear takes a timer off and reports whether it was there.
func (c *clock) clear(owner *actor, no int64) bool {
	before := len(c.timers)
	c.timers = slices.DeleteFunc(c.timers, func(t runningTimer) bool { return t.owner == owner && t.timer.No == no })
	return len(c.timers) < before
}

// clearAll takes all timers of an actor off.
func (c *clock) clearAll(owner *actor) {
	c.timers = slices.DeleteFunc(c.timers, func(t runningTimer) bool { return t.owner == owner })
}

// next takes the next timer off that is due by end, the earlier started one of two that are due at
// once, and reports whether there is one.
func (c *clock) next(end machine.Time) (runningTimer, bool) {
	first := -1
	for i, t := range c.timers {
		if t.due <= end && (first < 0 || t.due < c.timers[first].due) {
			first = i
		}
	}
	if first < 0 {
		return runningTimer{}, false
	}
	t := c.timers[first]
	c.timers = slices.Delete(c.timers, first, first+1)
	return t, true
}

// of returns the timers of an actor, by due time and then by event.
func (c *clock) of(owner *actor) []runningTimer {
	var own []runningTimer
	for _, t := range c.timers {
		if t.owner == owner {
			own = append(own, t)
		}
	}
	slices.SortStableFunc(own, func(a, b runningTimer) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.timer.Event.Get("type").Text(), b.timer.Event.Get("type").Text()))
	})
	return own
}
