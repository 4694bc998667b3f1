package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/store"
)

// timersDefinition arms as many timers as it is told to, all for one instant.
const timersDefinition = `{"machine": {"initial": "a", "context": {"n": 0}, "states": {"a": {"on": {
	"ARM": {"actions": {"raise": {"event": {"type": "T"}, "delay": "then", "id": "{{ event.id }}"}}},
	"T": {"actions": {"assign": {"n": "context.n + 1"}}}}}}},
	"setup": {"delays": {"then": {"at": "event.at"}}}}`

// blind is a store that finds no due timers: the lane knows of none but those that it was told of.
type blind struct{ laneStore }

func (b blind) DueTimers(context.Context, []int16, time.Time, int) ([]store.TimerRow, bool, clock.Sample, error) {
	now := time.Now()
	return nil, false, clock.Sample{Database: now, Sent: now, Received: now}, nil
}

// A machine has more timers than fit into a batch. Told once that it has any, the lane fires them all.
func TestManyTimersOfOneMachine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("timers", timersDefinition)
	r.create("m", "timers")
	l, _ := r.lane(blind{r.db})
	at := time.Now().Add(time.Second)
	const n = 5*machineShare + 1
	for i := range n {
		r.send("m", "", fmt.Sprintf(`{"type":"ARM","id":"t%d","at":%d}`, i, at.UnixMilli()))
	}
	r.drain(l)
	r.waitUntil(at)
	l.Due(key("m"))
	r.drain(l)
	if v := r.view("m"); string(v.Context) != fmt.Sprintf(`{"n":%d}`, n) || len(v.Timers) > 0 {
		t.Errorf("context %s, and %d timers wait", v.Context, len(v.Timers))
	}
	r.checkFold("m")
}

// More machines are due at one instant than fit into a batch. Told once, the lane comes to them all.
func TestManyMachinesDue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("timers", timersDefinition)
	l, _ := r.lane(blind{r.db})
	at := time.Now().Add(2 * time.Second)
	keys := make([]store.Key, 2*dueShare+1)
	for i := range keys {
		keys[i] = key(fmt.Sprint("m", i))
		r.create(keys[i].Machine, "timers")
		r.send(keys[i].Machine, "", fmt.Sprintf(`{"type":"ARM","id":"t","at":%d}`, at.UnixMilli()))
	}
	r.drain(l)
	r.waitUntil(at)
	l.Due(keys...)
	r.drain(l)
	for _, k := range keys {
		if v := r.view(k.Machine); string(v.Context) != `{"n":1}` {
			t.Fatalf("%s: %s, and %d timers wait", k.Machine, v.Context, len(v.Timers))
		}
	}
}

// A refused batch does not make the lane forget that timers are due.
func TestTimerOfARefusedBatch(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("timers", timersDefinition)
	r.create("m", "timers")
	f := &faulty{DB: r.db}
	l, _ := r.lane(blind{f})
	r.drain(l)
	at := time.Now().Add(200 * time.Millisecond)
	r.send("m", "", fmt.Sprintf(`{"type":"ARM","id":"t","at":%d}`, at.UnixMilli()))
	r.drain(l)
	r.waitUntil(at)
	l.Due(key("m"))
	f.beforeApply = func(*store.Commit) error {
		f.beforeApply = nil
		return fmt.Errorf("cut off: %w", store.ErrRetry)
	}
	if _, err := l.AdvanceOnce(t.Context()); err == nil {
		t.Fatal("the batch was not refused")
	}
	r.drain(l)
	if v := r.view("m"); string(v.Context) != `{"n":1}` {
		t.Errorf("context %s, and %d timers wait", v.Context, len(v.Timers))
	}
}

// Machines that are too large to be read at once are moved on all the same, and each is read once.
func TestLargeMachinesShareALane(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("large", `{"machine": {"initial": "a", "context": {"s": "", "n": 0}, "states": {"a": {"on": {
		"FILL": {"actions": {"assign": {"s": "event.s"}}}, "ADD": {"actions": {"assign": {"n": "context.n + 1"}}}}}}}}`)
	l, owner := r.lane(nil)
	large := fmt.Sprintf(`{"type":"FILL","s":%q}`, strings.Repeat("x", 1_000_000))
	var ids []string
	for i := range 20 {
		ids = append(ids, fmt.Sprint("m", i))
		r.create(ids[i], "large")
		r.send(ids[i], "", large)
	}
	r.drain(l)
	if err := r.db.Leave(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	s := &reads{laneStore: r.db}
	l, _ = r.lane(s)
	for _, id := range ids {
		r.send(id, "", `{"type":"ADD"}`)
	}
	r.drain(l)
	for _, id := range ids {
		if v := r.view(id); !strings.HasSuffix(string(v.Context), `"n":1}`) || v.Status != statusActive {
			t.Fatalf("%s is %s", id, v.Status)
		}
	}
	if s.most > 10<<20 {
		t.Errorf("%d bytes of snapshots were read at once", s.most)
	}
	slices.Sort(s.read)
	if twice := slices.Compact(slices.Clone(s.read)); len(twice) != len(s.read) {
		t.Errorf("read again: %v", s.read)
	}
}

// reads is a store that notes what is read of machines.
type reads struct {
	laneStore
	read []string
	most int // bytes of snapshots at once
}

func (r *reads) LoadMachines(ctx context.Context, keys []store.Key) ([]store.Machine, error) {
	rows, err := r.laneStore.LoadMachines(ctx, keys)
	bytes := 0
	for _, row := range rows {
		if !row.Omitted {
			r.read = append(r.read, row.Key.Machine)
			bytes += len(row.Snapshot)
		}
	}
	r.most = max(r.most, bytes)
	return rows, err
}

// A machine with a long inbox, and one whose timers are always due, leave their lane to others in between.
func TestNoMachineKeepsALane(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("timers", timersDefinition)
	// Each step of a hog takes more than a batch's share of time.
	r.define("hog", `{"machine": {"initial": "a", "context": {"n": 0}, "states": {"a": {
		"after": {"0": {"target": "a", "reenter": true, "guard": {"expr": "context.n < 60"}, "actions": "work"}},
		"on": {"WORK": {"actions": "work"}}}}},
		"setup": {"actions": {"work": {"assign": {"n": "context.n + count(1..90000, # % 7 != 9) / 90000"}}}}}`)
	l, _ := r.lane(nil)
	for _, id := range []string{"hog1", "hog2"} {
		r.create(id, "hog")
	}
	r.create("m", "timers")
	for range claimLimit + machineShare {
		r.send("m", "", `{"type":"T"}`)
	}
	r.create("quick", "timers")
	r.send("quick", "q", `{"type":"T"}`)
	batches := 0
	for string(r.view("quick").Context) != `{"n":1}` {
		if batches++; batches > 3*longestRound {
			t.Fatalf("%d batches went to others; hogs: %s, %s", batches, r.view("hog1").Context, r.view("hog2").Context)
		}
		if _, err := l.AdvanceOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.history("m")); n > claimLimit {
		t.Errorf("%d events came first", n)
	}
	r.drain(l)
	for _, id := range []string{"hog1", "hog2"} {
		if v := r.view(id); string(v.Context) != `{"n":60}` {
			t.Errorf("%s: %s, %s", id, v.Context, v.Suspension)
		}
	}
	if v := r.view("m"); string(v.Context) != fmt.Sprintf(`{"n":%d}`, claimLimit+machineShare) {
		t.Errorf("m: %s", v.Context)
	}
}
