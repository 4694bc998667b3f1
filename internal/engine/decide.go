package engine

import (
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
	"github.com/detent-run/detent/internal/store"
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
	space      machine.Workspace
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
		return f.space.Start(next.def, next.self, it.ev.Data.Get("input"), f.moment(it))
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
		return f.space.Step(next.def, next.snapshot, it.ev, f.moment(it))
	})
	return f.settle(it, res, err)
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
