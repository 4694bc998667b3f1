package engine

import (
	"fmt"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/store"
)

// The outcomes of a decision, as history keeps them.
const (
	outcomeApplied   = "applied"
	outcomeIgnored   = "ignored"
	outcomeDeferred  = "deferred"
	outcomeDead      = "dead"
	outcomeSuspended = "suspended"
)

// settle decides what a macrostep's result means, and reports whether the fold goes on.
func (f *fold) settle(it item, res machine.Result, err error) bool {
	if err == nil {
		err = unsupported(res.Effects)
	}
	if err == nil && f.measured {
		err = f.tooLarge(res.Snapshot)
	}
	if err != nil {
		return f.fail(it, res, failureReason(err))
	}
	timer, active := it.ev.Timer != 0, f.decision.next.snapshot.Status == machine.Active
	switch {
	case res.Handled || res.Changed:
		return f.apply(it, res, outcomeApplied, nil)
	case timer || !active:
		return f.apply(it, res, outcomeIgnored, nil)
	}
	switch f.decision.next.def.Unhandled() {
	case syntax.Defer:
		return f.postpone(it, res)
	case syntax.DeadLetter:
		return f.bury(it, reason{Code: "unhandled", Message: fmt.Sprintf("nothing takes %q in this configuration", it.ev.Type)})
	default:
		return f.apply(it, res, outcomeIgnored, nil)
	}
}

func (f *fold) tooLarge(s machine.Snapshot) error {
	n := len(f.decision.next.def.AppendSnapshot(nil, s))
	if n <= maxSnapshot {
		return nil
	}
	return reason{Code: string(machine.EngineFailure), Message: fmt.Sprintf("the machine would grow to %d bytes, at most %d", n, maxSnapshot)}
}

// fail does with a failed macrostep what the definition wants. A machine that has not started has
// nothing to be rolled back to, and what this runtime cannot do is no fault of the event: both suspend.
func (f *fold) fail(it item, res machine.Result, why reason) bool {
	policy := f.decision.next.def.OnError(it.ev.Origin)
	switch {
	case !why.ofDefinition(), it.ev.Origin == machine.FromStart && policy == syntax.Rollback:
		return f.suspend(it, why)
	case policy == syntax.Fail:
		return f.apply(it, res, outcomeApplied, why.json())
	case policy == syntax.Rollback:
		return f.bury(it, why)
	default:
		return f.suspend(it, why)
	}
}

// apply takes a macrostep's result over.
func (f *fold) apply(it item, res machine.Result, outcome string, why []byte) bool {
	next := &f.decision.next
	before := next.snapshot.Context
	entry := f.entry(it, outcome)
	next.snapshot, next.status, f.value = res.Snapshot, statusOf(res.Snapshot.Status), nil
	entry.To, entry.Reason = f.stateValue(), why
	entry.Actions, entry.Effects = actionsJSON(res.Trace), effectsJSON(res.Effects)
	entry.Changes = changesJSON(before, res.Snapshot.Context)
	f.consume(it)
	f.record(entry)
	if next.deferred && string(entry.From) != string(entry.To) {
		// What was deferred is older than what waits behind this event: it comes first, so the rest
		// is left to the next batch.
		f.decision.unparked, next.deferred, f.decision.more = true, false, true
		return false
	}
	return true
}

// postpone keeps an event that nothing takes until the configuration changes.
func (f *fold) postpone(it item, res machine.Result) bool {
	f.decision.next.snapshot.Now = res.Snapshot.Now
	f.decision.next.deferred = true
	f.decision.deferred = append(f.decision.deferred, it.row.EventRef)
	f.decided(it)
	f.record(f.entry(it, outcomeDeferred))
	return true
}

// bury undoes the macrostep and puts its event among the dead letters; the machine goes on.
func (f *fold) bury(it item, why reason) bool {
	snapshot := &f.decision.next.snapshot
	entry := f.entry(it, outcomeDead)
	entry.Reason = why.json()
	snapshot.Now = timeOf(entry.EffectiveTime)
	if it.ev.Timer != 0 {
		snapshot.Timers = without(snapshot.Timers, it.ev.Timer)
	}
	f.consume(it)
	f.record(entry)
	f.decision.deadLetters = append(f.decision.deadLetters, store.DeadLetter{
		EventRef:  it.row.EventRef,
		Seq:       f.decision.next.seq,
		EventTime: it.row.EventTime,
		Event:     it.row.Event,
		Reason:    entry.Reason,
	})
	return true
}

// suspend undoes the macrostep and leaves its event first in the inbox: an operator is asked. It
// ends the fold. The event does not widen the commit check, for it was not decided.
func (f *fold) suspend(it item, why reason) bool {
	why.EventID = it.row.EventID
	entry := f.entry(it, outcomeSuspended)
	entry.Reason = why.json()
	f.decision.next.status = statusSuspended
	f.decision.parked = true
	f.record(entry)
	f.decision.snapshot = &store.SnapshotRow{Reason: entry.Reason}
	return false
}

// consume takes the event out of the inbox, or the timer off the table: that one goes with the snapshot's list.
func (f *fold) consume(it item) {
	f.decided(it)
	if it.ev.Timer == 0 {
		f.decision.consumed = append(f.decision.consumed, it.row.EventRef)
		return
	}
	f.decision.lastFired = max(f.decision.lastFired, timeOf(it.row.EventTime))
}

// decided widens the commit check: an unseen event up to this one would have come first.
func (f *fold) decided(it item) {
	f.decision.check = later(f.decision.check, f.decision.next.key, it.row.EventTime, it.row.No)
}

// record appends the entry under the next number.
func (f *fold) record(entry store.HistoryEntry) {
	next := &f.decision.next
	next.seq++
	entry.Seq = next.seq
	if next.started() {
		next.snapshot.Seq = next.seq
	}
	f.decision.history = append(f.decision.history, entry)
}

// without returns the timers but the one of that number.
func without(timers []machine.Timer, no int64) []machine.Timer {
	rest := make([]machine.Timer, 0, len(timers))
	for _, t := range timers {
		if t.No != no {
			rest = append(rest, t)
		}
	}
	return rest
}
