package engine

import (
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
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

// decide folds the pure core over what waits for one machine: its events and those of its timers
// that are due, in the order of (event time, timers first, no). It is pure, and it cannot fail: a
// macrostep that fails is itself a decision.
//
// Two rules make the outcome independent of when the lane comes to it:
//
//   - Before an event is decided, every timer with a deadline up to the event's effective time is
//     decided, those armed a moment ago in this batch too.
//   - A timer is decided only up to the horizon. When an event waits behind a timer that lies beyond
//     it, both wait for the next batch.
func decide(w *work) decision {
	d := foldAll(w, false)
	if d.snapshot != nil && len(d.snapshot.Snapshot) > maxSnapshot {
		d = foldAll(w, true)
	}
	return d
}

// maxSnapshot is how large a machine may grow, in bytes as written: a context that grows with every
// event would make each one dearer than the one before. A macrostep that leads beyond it fails.
const maxSnapshot = 4 << 20

// foldAll makes macrostep after macrostep. Measuring each of them would cost the usual case dearly, so
// that is done only in a second attempt, when the first has led to a machine that is too large.
func foldAll(w *work, measured bool) decision {
	f := &fold{w: w, measured: measured, decision: decision{work: w, next: w.held}}
	for f.step() {
		f.macrosteps++
		if w.enough(f.macrosteps) {
			f.decision.more = true
			break
		}
	}
	return f.finish()
}

// suspend is the decision about a machine whose batch cannot be committed or whose snapshot cannot
// be read: it waits for an operator, and what waits for it stays.
func suspend(w *work, why reason) decision {
	f := &fold{w: w, decision: decision{work: w, next: w.held}}
	f.suspend(item{row: store.InboxRow{EventRef: store.EventRef{Key: w.key}, EventTime: toTime(w.processing)}}, why)
	return f.finish()
}

// item is one event in its turn: a timer is an inbox row ahead of its time.
type item struct {
	ev  machine.Event
	row store.InboxRow
}

// fold is the state of a decision under way. decision.next is the machine as it stands so far.
type fold struct {
	w          *work
	measured   bool // whether each macrostep's snapshot is measured
	decision   decision
	i          int // events before it are dealt with
	macrosteps int
	value      []byte // state value of decision.next as JSON; nil when it is to be worked out
}

// step makes one macrostep and reports whether another can follow at once.
func (f *fold) step() bool {
	d := &f.decision
	if d.next.status == statusSuspended {
		d.parked = f.i < len(f.w.events)
		return false
	}
	f.skipSeen()
	if !d.next.started() {
		return f.start()
	}
	event, timer := f.nextEvent(), f.nextTimer()
	switch {
	case timer != nil && (event == nil || timer.Deadline <= f.effective(event)):
		return timer.Deadline <= f.w.horizon && f.fire(*timer)
	case event != nil:
		f.i++
		return f.handle(*event)
	default:
		return false
	}
}

// skipSeen takes events out of the inbox that history has already.
func (f *fold) skipSeen() {
	for f.i < len(f.w.events) && f.w.events[f.i].Seen {
		f.decision.consumed = append(f.decision.consumed, f.w.events[f.i].EventRef)
		f.i++
	}
}

func (f *fold) nextEvent() *store.InboxRow {
	if f.i == len(f.w.events) {
		return nil
	}
	return &f.w.events[f.i]
}

func (f *fold) nextTimer() *machine.Timer {
	if timers := f.decision.next.snapshot.Timers; len(timers) > 0 {
		return &timers[0]
	}
	return nil
}

// effective is the event's effective time: a machine's now never goes back.
func (f *fold) effective(row *store.InboxRow) machine.Time {
	return max(f.decision.next.snapshot.Now, timeOf(row.EventTime))
}

// start handles the machine's first event, wherever it stands in the order: a clock that was set
// back may have stamped others before it. Without it nothing can be done yet.
func (f *fold) start() bool {
	rest := f.w.events[f.i:]
	for i, row := range rest {
		if row.EventID != startEventID {
			continue
		}
		copy(rest[1:i+1], rest[:i])
		rest[0] = row
		f.i++
		return f.begin(row)
	}
	return false
}

func (f *fold) begin(row store.InboxRow) bool {
	next := &f.decision.next
	it, err := itemOf(row, machine.FromStart)
	if err != nil {
		return f.suspend(it, failureReason(err))
	}
	res, err := guarded(func() (machine.Result, error) {
		return next.def.Start(next.self, it.ev.Data.Get("input"), f.moment(it))
	})
	return f.settle(it, res, err)
}

// handle takes an event from the inbox. An event that a user's transaction put there was not held to
// the definition at the door, so what comes from outside is held to it here.
func (f *fold) handle(row store.InboxRow) bool {
	it, err := itemOf(row, originOf(row.EventID))
	if err == nil && it.ev.Origin == machine.External {
		err = f.decision.next.def.CheckEvent(it.ev.Data)
	}
	if err != nil {
		return f.bury(it, reason{Code: codeEvent, Message: err.Error()})
	}
	return f.take(it)
}

// fire handles a timer as the event that it is: its event time is its deadline.
func (f *fold) fire(t machine.Timer) bool {
	return f.take(item{
		ev: machine.Event{Type: t.Event.Get("type").Text(), Data: t.Event, Origin: machine.FromTimer, Timer: t.No},
		row: store.InboxRow{
			EventRef:  store.EventRef{Key: f.decision.next.key, EventID: timerEventID(&t)},
			EventTime: toTime(t.Deadline),
			No:        -1, // ties go to the timer
			Event:     t.Event.AppendJSON(nil),
		},
	})
}

func (f *fold) take(it item) bool {
	next := &f.decision.next
	res, err := guarded(func() (machine.Result, error) {
		return next.def.Step(next.snapshot, it.ev, f.moment(it))
	})
	return f.settle(it, res, err)
}

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

func (f *fold) moment(it item) machine.Moment {
	at := timeOf(it.row.EventTime)
	return machine.Moment{Event: at, Processing: max(f.w.processing, at)}
}

func (f *fold) stateValue() []byte {
	next := &f.decision.next
	if f.value == nil && next.started() {
		f.value = next.def.StateValue(next.snapshot).AppendJSON(nil)
	}
	return f.value
}

// finish turns the machine as it stands into rows.
func (f *fold) finish() decision {
	d := &f.decision
	if len(d.history) == 0 {
		return *d
	}
	if d.snapshot == nil {
		d.snapshot = &store.SnapshotRow{}
	}
	if f.w.broken != nil {
		d.snapshot.Snapshot = f.w.raw
	} else if d.next.started() {
		d.snapshot.Snapshot = d.next.def.AppendSnapshot(nil, d.next.snapshot)
		d.next.bytes = len(d.snapshot.Snapshot)
	}
	d.snapshot.Key, d.snapshot.PrevSeq, d.snapshot.Seq, d.snapshot.Status = d.next.key, f.w.seq, d.next.seq, d.next.status
	// A suspended machine has no rows in the timer table, which parking takes out with the waiting
	// events; the list stays in its snapshot.
	if d.next.status != statusSuspended {
		d.gone, d.armed = timerChanges(d.next.key, f.w.snapshot.Timers, d.next.snapshot.Timers)
	}
	return *d
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

// itemOf reads an inbox row's event.
func itemOf(row store.InboxRow, o machine.Origin) (item, error) {
	data, err := value.ParseStored(row.Event)
	ev := machine.NewEvent(data)
	ev.Origin = o
	return item{ev: ev, row: row}, err
}

// originOf tells where an event came from by its id.
func originOf(eventID string) machine.Origin {
	switch {
	case strings.HasPrefix(eventID, messagePrefix):
		return machine.FromMessage
	case strings.HasPrefix(eventID, taskPrefix):
		return machine.FromResult
	default:
		return machine.External
	}
}
