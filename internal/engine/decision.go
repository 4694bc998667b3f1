package engine

import (
	"time"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/store"
)

// decision is what a batch does to one machine: how it stands afterwards, and the rows that say so.
type decision struct {
	work *work
	next held // how the machine stands once the decision is committed

	consumed    []store.EventRef
	deferred    []store.EventRef
	parked      bool // the machine is suspended: all that waits is parked
	unparked    bool // the configuration changed: what was deferred waits again
	history     []store.HistoryEntry
	deadLetters []store.DeadLetter
	check       *store.Check // nil when nothing was decided that an unseen event could have preceded
	lastFired   machine.Time // deadline of the last timer that fired, 0 when none did
	snapshot    *store.SnapshotRow
	gone, armed []store.TimerRow

	more   bool // something is left that the machine can do at once
	shared bool // ... and it has had a machine's whole share of the batch
}

// empty reports whether the decision changes nothing.
func (d *decision) empty() bool {
	return len(d.consumed) == 0 && len(d.deferred) == 0 && len(d.history) == 0 && !d.parked && !d.unparked && d.snapshot == nil
}

// gather puts the rows of a batch's decisions together. What nearly every decision has gets its room at once.
func gather(decisions []decision) *store.Commit {
	consumed, entries := 0, 0
	for i := range decisions {
		consumed += len(decisions[i].consumed)
		entries += len(decisions[i].history)
	}
	c := &store.Commit{
		Consumed:  make([]store.EventRef, 0, consumed),
		History:   make([]store.HistoryEntry, 0, entries),
		Snapshots: make([]store.SnapshotRow, 0, len(decisions)),
		Checks:    make([]store.Check, 0, len(decisions)),
	}
	for i := range decisions {
		decisions[i].addTo(c)
	}
	return c
}

// addTo adds the decision's rows to a commit.
func (d *decision) addTo(c *store.Commit) {
	c.Consumed = append(c.Consumed, d.consumed...)
	c.Deferred = append(c.Deferred, d.deferred...)
	c.History = append(c.History, d.history...)
	c.DeadLetters = append(c.DeadLetters, d.deadLetters...)
	c.TimersDeleted = append(c.TimersDeleted, d.gone...)
	c.TimersAdded = append(c.TimersAdded, d.armed...)
	if d.parked {
		c.Parked = append(c.Parked, d.next.key)
	}
	if d.unparked {
		c.Unparked = append(c.Unparked, d.next.key)
	}
	if d.snapshot != nil {
		c.Snapshots = append(c.Snapshots, *d.snapshot)
	}
	if d.check != nil {
		c.Checks = append(c.Checks, *d.check)
	}
	if d.lastFired != 0 {
		if t := toTime(d.lastFired); t.After(c.LastDeadline) {
			c.LastDeadline = t
		}
	}
}

// timerChanges compares the timers that the table has with those that it must have, both in the
// order of (deadline, no), and returns the rows to delete and to insert.
func timerChanges(key store.Key, was, is []machine.Timer) (gone, armed []store.TimerRow) {
	i, j := 0, 0
	for i < len(was) || j < len(is) {
		switch {
		case j == len(is) || i < len(was) && timerBefore(&was[i], &is[j]):
			gone = append(gone, timerRow(key, &was[i]))
			i++
		case i == len(was) || timerBefore(&is[j], &was[i]):
			armed = append(armed, timerRow(key, &is[j]))
			j++
		default:
			i, j = i+1, j+1
		}
	}
	return gone, armed
}

func timerBefore(a, b *machine.Timer) bool {
	return a.Deadline < b.Deadline || a.Deadline == b.Deadline && a.No < b.No
}

func timerRow(key store.Key, t *machine.Timer) store.TimerRow {
	return store.TimerRow{
		Key:      key,
		Deadline: toTime(t.Deadline),
		No:       t.No,
		EventID:  timerEventID(t),
		Type:     t.Event.Get("type").Text(),
	}
}

// later returns the check that covers both: no event up to the later of the two bounds may be unseen.
func later(c *store.Check, key store.Key, t time.Time, no int) *store.Check {
	if c != nil && (c.Time.After(t) || c.Time.Equal(t) && c.No >= no) {
		return c
	}
	return &store.Check{Key: key, Time: t, No: no}
}
