package engine

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/store"
)

// The scripts under testdata/decide tell what a lane decides, in times relative to the start:
//
//	define                    a definition
//	send at=5s id=1           an event is accepted; the line below is its payload
//	advance upto=10s [share=N]
//	stand                     how the machine stands
func TestDecide(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/decide", func(t *testing.T, path string) {
		t.Parallel()
		s := newScript()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return s.run(t, d)
		})
	})
}

// scriptEpoch is second 0 of the scripts.
var scriptEpoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

type script struct {
	held   held
	inbox  []store.InboxRow // waiting and not parked
	parked []store.InboxRow
	timers map[int64]store.TimerRow // the table, by number
}

func newScript() *script {
	return &script{timers: map[int64]store.TimerRow{}}
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	switch d.Cmd {
	case "define":
		def, err := compileJSON([]byte(d.Input))
		if err != nil {
			return "error: " + err.Error()
		}
		id := store.Key{Namespace: "default", Machine: "m"}
		s.held = held{key: id, def: def, status: statusStarting, self: &machine.Identity{ID: "m", Definition: "d", Version: 1}}
		return ""
	case "start":
		input := `{"type":"xstate.init"}`
		if d.Input != "" {
			input = fmt.Sprintf(`{"type":"xstate.init","input":%s}`, d.Input)
		}
		s.accept(startEventID, at(t, d, "at"), input)
		return ""
	case "send":
		var id string
		d.ScanArgs(t, "id", &id)
		s.accept(callerPrefix+id, at(t, d, "at"), d.Input)
		return ""
	case "advance":
		return s.advance(t, d)
	case "stand":
		return s.stand()
	default:
		t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
		return ""
	}
}

func at(t *testing.T, d *datadriven.TestData, arg string) time.Time {
	t.Helper()
	var text string
	d.ScanArgs(t, arg, &text)
	after, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	return scriptEpoch.Add(after)
}

func (s *script) accept(id string, when time.Time, event string) {
	ref := store.EventRef{Key: s.held.key, EventID: id}
	s.inbox = append(s.inbox, store.InboxRow{EventRef: ref, EventTime: when, Event: []byte(strings.TrimSpace(event))})
}

// advance decides batches until nothing more can be decided, and checks what every commit must keep.
func (s *script) advance(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	horizon, share := at(t, d, "upto"), machineShare
	if d.HasArg("share") {
		d.ScanArgs(t, "share", &share)
	}
	var out strings.Builder
	for {
		w := &work{held: s.held, horizon: timeOf(horizon), processing: timeOf(horizon)}
		w.enough = func(n int) bool { return n >= share }
		for _, row := range s.inbox {
			if !row.EventTime.After(horizon) {
				w.events = append(w.events, row)
			}
		}
		got := decide(w)
		s.commit(t, &got)
		for _, e := range got.history {
			out.WriteString(describeEntry(e) + "\n")
		}
		if !got.more {
			return out.String()
		}
	}
}

func (s *script) commit(t *testing.T, d *decision) {
	t.Helper()
	for _, ref := range d.consumed {
		s.take(t, ref)
	}
	for _, ref := range d.deferred {
		s.parked = append(s.parked, s.take(t, ref))
	}
	if d.parked {
		s.parked, s.inbox = append(s.parked, s.inbox...), nil
		clear(s.timers)
	}
	if d.unparked {
		s.inbox, s.parked = append(s.parked, s.inbox...), nil
	}
	for _, row := range d.gone {
		if _, ok := s.timers[row.No]; !ok {
			t.Fatalf("timer %d is deleted but not in the table", row.No)
		}
		delete(s.timers, row.No)
	}
	for _, row := range d.armed {
		if _, ok := s.timers[row.No]; ok {
			t.Fatalf("timer %d is armed twice", row.No)
		}
		s.timers[row.No] = row
	}
	if d.snapshot == nil {
		return
	}
	if want := s.held.seq + int64(len(d.history)); d.snapshot.Seq != want {
		t.Fatalf("snapshot has seq %d after %d entries on %d", d.snapshot.Seq, len(d.history), s.held.seq)
	}
	s.held = d.next
	if s.held.started() {
		// What the database has is all that a restart knows.
		back, err := s.held.def.DecodeSnapshot(s.held.self, d.snapshot.Snapshot)
		if err != nil {
			t.Fatalf("snapshot cannot be read back: %v", err)
		}
		again := s.held.def.AppendSnapshot(nil, back)
		if !bytes.Equal(again, d.snapshot.Snapshot) {
			t.Fatalf("snapshot changes by being read:\n%s\n%s", d.snapshot.Snapshot, again)
		}
		s.held.snapshot = back
	}
}

func (s *script) take(t *testing.T, ref store.EventRef) store.InboxRow {
	t.Helper()
	for i, row := range s.inbox {
		if row.EventRef == ref {
			s.inbox = append(s.inbox[:i:i], s.inbox[i+1:]...)
			return row
		}
	}
	t.Fatalf("event %s is consumed but not in the inbox", ref.EventID)
	return store.InboxRow{}
}

// stand says how the machine stands in a few lines.
func (s *script) stand() string {
	var out strings.Builder
	fmt.Fprintf(&out, "seq=%d status=%s", s.held.seq, s.held.status)
	if s.held.started() {
		fmt.Fprintf(&out, " value=%s context=%s now=%s", s.held.def.StateValue(s.held.snapshot), s.held.snapshot.Context, since(toTime(s.held.snapshot.Now)))
	}
	out.WriteString("\n")
	for _, timer := range s.held.snapshot.Timers {
		_, inTable := s.timers[timer.No]
		fmt.Fprintf(&out, "timer %s due=%s event=%s table=%v\n", timerEventID(&timer), since(toTime(timer.Deadline)), timer.Event.Get("type").Text(), inTable)
	}
	for _, row := range s.inbox {
		fmt.Fprintf(&out, "waits %s %s\n", row.EventID, row.Event)
	}
	for _, row := range s.parked {
		fmt.Fprintf(&out, "parked %s %s\n", row.EventID, row.Event)
	}
	return out.String()
}

func since(t time.Time) string { return t.Sub(scriptEpoch).String() }

// describeEntry says an entry of history in one line.
func describeEntry(e store.HistoryEntry) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s %s", e.Seq, e.Outcome, e.Event)
	if e.EventID != "" {
		fmt.Fprintf(&out, " id=%s", e.EventID)
	}
	fmt.Fprintf(&out, " at=%s", since(e.EventTime))
	if !e.EffectiveTime.Equal(e.EventTime) {
		fmt.Fprintf(&out, " effective=%s", since(e.EffectiveTime))
	}
	if e.IsTimer {
		fmt.Fprintf(&out, " late=%sms", strconv.FormatFloat(e.LatenessMs, 'f', -1, 64))
	}
	fmt.Fprintf(&out, " %s -> %s", orDash(e.From), orDash(e.To))
	for _, part := range []struct {
		name string
		json []byte
	}{{"changes", e.Changes}, {"effects", e.Effects}, {"reason", e.Reason}} {
		if len(part.json) > len("{}") {
			fmt.Fprintf(&out, " %s=%s", part.name, part.json)
		}
	}
	return out.String()
}

func orDash(json []byte) string {
	if json == nil {
		return "-"
	}
	return string(json)
}
