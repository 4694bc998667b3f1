package machine

import (
	"slices"
	"strings"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// Almost every snapshot that is read was written by AppendSnapshot, key for key in its order, and is legal.
// readWritten reads these several times as fast as a reader can that must be able to say what is wrong:
// it stops at the first thing that it does not expect, and the text is then read again by the patient
// reader of snapshot_decode.go, which has the last word.

// written is a snapshot under way from the text that AppendSnapshot wrote.
type written struct {
	d  *Definition
	in value.Reader
	s  Snapshot

	state            string // the state value, as it is written
	children, actors value.Value
}

// readWritten reads what AppendSnapshot wrote. It reports false when it is not sure.
func (d *Definition) readWritten(text []byte) (Snapshot, bool) {
	w := written{d: d, in: value.NewReader(text), children: noContext}
	w.read()
	if !w.in.Done() || !w.isLegal() {
		return Snapshot{}, false
	}
	return w.s, true
}

func (w *written) read() {
	in, s := &w.in, &w.s
	in.Expect(`{"status":`)
	s.Status = Status(slices.Index(statusNames[:], in.Text())) // 255 if there is none
	in.Expect(`,"value":`)
	w.state = in.Raw()
	in.Expect(`,"historyValue":`)
	w.readHistory()
	in.Expect(`,"context":`)
	s.Context = in.Value(w.d.likely)
	in.Expect(`,"children":`)
	if !in.Next(`{}`) {
		w.children = in.Value(value.Value{})
	}
	if in.Next(`,"output":`) {
		s.Output = in.Value(value.Value{})
	}
	if in.Next(`,"error":`) {
		s.Error = in.Value(value.Value{})
	}
	in.Expect(`,"detent":{"seq":`)
	w.readDurable()
	in.Expect(`}}`)
}

func (w *written) readHistory() {
	if w.in.Next(`{}`) {
		return
	}
	r := snapshotReader{d: w.d}
	w.s.history = r.history(w.in.Value(value.Value{}))
	w.doubt(r.err != nil)
}

// doubt leaves the text to the patient reader.
func (w *written) doubt(reason bool) {
	if reason {
		w.in.Refuse()
	}
}

// readDurable reads what appendDurable wrote.
func (w *written) readDurable() {
	in, s := &w.in, &w.s
	s.Seq = in.Int(1)
	in.Expect(`,"now":`)
	s.Now = Time(in.Int(minTime))
	in.Expect(`,"active":[`)
	w.readActive()
	if in.Next(`,"actors":`) {
		w.actors = in.Value(value.Value{})
	}
	var timers []Timer
	if in.Next(`,"timers":[`) {
		timers = w.readTimers()
	}
	in.Expect(`,"nextActor":`)
	s.nextChild = in.Int(1)
	in.Expect(`,"nextTimer":`)
	s.nextTimer = in.Int(1)
	if in.Next(`,"hops":`) {
		s.hops = int(min(in.Int(1), hopsInPlace))
	}
	for i := range timers {
		w.doubt(s.timerFault(timers, i) != "")
	}
	s.Timers = timers
}

func (w *written) readActive() {
	var room [16]int32
	active := room[:0]
	for !w.in.Next(`]`) && !w.in.Bad() {
		if len(active) > 0 {
			w.in.Expect(`,`)
		}
		n, ok := w.d.byID[w.in.Text()]
		w.doubt(!ok || w.d.nodes[n].kind == syntax.History)
		active = append(active, n)
	}
	w.s.active = slices.Clone(active)
}

func (w *written) readTimers() []Timer {
	var timers []Timer
	for !w.in.Next(`]`) && !w.in.Bad() {
		if len(timers) > 0 {
			w.in.Expect(`,`)
		}
		timers = append(timers, w.readTimer())
		w.doubt(len(timers) > maxTimers)
	}
	return timers
}

// readTimer reads what appendTimer wrote.
func (w *written) readTimer() Timer {
	in := &w.in
	in.Expect(`{"no":`)
	t := Timer{No: in.Int(1)}
	in.Expect(`,"seq":`)
	t.Seq = in.Int(1)
	in.Expect(`,"deadline":`)
	t.Deadline = Time(in.Int(minTime))
	if in.Next(`,"id":`) {
		t.SendID = in.Text()
		w.doubt(t.SendID == "")
	}
	t.forgotten = in.Next(`,"forgotten":true`)
	if in.Next(`,"to":`) {
		r := snapshotReader{d: w.d}
		t.To = r.address(in.Value(value.Value{}), "")
		w.doubt(r.err != nil)
	}
	in.Expect(`,"event":`)
	t.Event = w.readTimerEvent()
	in.Expect(`}`)
	if own := t.Event.Get("type").Text(); t.SendID == own {
		t.SendID = own // one copy of the text is enough
	} else {
		t.SendID = strings.Clone(t.SendID)
	}
	return t
}

// readTimerEvent reads the event of a timer. That of a key of after is the same for all machines.
func (w *written) readTimerEvent() value.Value {
	raw := w.in.Raw()
	if constant, ok := w.d.timerEvents[raw]; ok {
		return constant
	}
	r := value.NewReader([]byte(raw))
	event := r.Value(value.Value{})
	w.doubt(!r.Done() || !isEvent(event))
	return event
}

// isLegal reports whether what was read can be in this definition.
func (w *written) isLegal() bool {
	s := &w.s
	if int(s.Status) >= len(statusNames) || s.Context.Kind() != value.Object ||
		!s.Output.IsAbsent() && s.Status != Done || s.Error.IsAbsent() == (s.Status == Failed) {
		return false
	}
	r := snapshotReader{d: w.d}
	if r.checkConfiguration(s.active); r.err != nil {
		return false
	}
	s.Children = r.children(w.children, w.actors, s.nextChild)
	var room [128]byte
	state, _ := w.d.appendStateValue(room[:0], configurationOf(s.active).sorted, 0)
	return r.err == nil && string(state) == w.state
}
