package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/store"
)

const switchDefinition = `{"machine": {"id": "switch", "initial": "off", "context": {"n": 0},
	"states": {
		"off": {"on": {"FLIP": {"target": "on", "actions": {"assign": {"n": "context.n + 1"}}}}},
		"on": {"on": {"FLIP": "off"}}}}}`

func TestLaneAppliesEventsInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("switch", switchDefinition)
	r.create("a", "switch")
	l, _ := r.lane(nil)
	r.drain(l)
	r.expect("a", statusActive, `"off"`)
	for i := range 200 { // more than a machine's share of a batch
		r.send("a", fmt.Sprint("e", i), `{"type":"FLIP"}`)
	}
	r.drain(l)
	r.expect("a", statusActive, `"off"`)
	if v := r.view("a"); string(v.Context) != `{"n":100}` || v.Seq != 201 {
		t.Fatalf("context %s at seq %d", v.Context, v.Seq)
	}
	r.checkFold("a")
}

func TestLaneAppliesAnEventOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("switch", switchDefinition)
	r.create("a", "switch")
	l, _ := r.lane(nil)
	first := r.send("a", "e", `{"type":"FLIP"}`)
	if again := r.send("a", "e", `{"type":"FLIP"}`); again != first {
		t.Fatalf("the same event again was accepted as %v, first as %v", again, first)
	}
	r.drain(l)
	if again := r.send("a", "e", `{"type":"FLIP"}`); again != first {
		t.Fatalf("the same event after it was handled was accepted as %v, first as %v", again, first)
	}
	r.drain(l)
	r.expect("a", statusActive, `"on"`)
	_, err := r.engine.Send(t.Context(), "a", "e", []byte(`{"type":"OTHER"}`))
	var told *Error
	if !errors.As(err, &told) || told.Code != CodeIdempotencyConflict {
		t.Fatalf("another event of the same id: %v", err)
	}
}

const orderDefinition = `{"machine": {"id": "order", "initial": "open",
	"states": {
		"open": {"after": {"1000": "expired"}, "on": {"PAY": "paid"}},
		"paid": {}, "expired": {"on": {"PAY": "late"}}, "late": {}}}}`

// The lane is stopped while the deadline passes. What was acknowledged before it wins, what was
// accepted after it loses.
func TestDeadlineWithStoppedLane(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("order", orderDefinition)
	for _, id := range []string{"early", "late", "unpaid"} {
		r.create(id, "order")
	}
	l, _ := r.lane(nil)
	r.drain(l)
	deadline := r.view("late").Timers[0].Deadline
	if a := r.send("early", "", `{"type":"PAY"}`); !a.AcceptedAt.Before(r.view("early").Timers[0].Deadline) {
		t.Fatalf("accepted only at %s: the deadline must be longer for this host", a.AcceptedAt)
	}
	r.waitUntil(deadline.Add(10 * time.Millisecond))
	r.send("late", "", `{"type":"PAY"}`)
	l, _ = r.replace(l)
	r.drain(l)
	r.expect("early", statusActive, `"paid"`)
	r.expect("late", statusActive, `"late"`)
	r.expect("unpaid", statusActive, `"expired"`)
	for _, id := range []string{"early", "late", "unpaid"} {
		r.checkFold(id)
	}
	if entry := r.history("unpaid")[1]; !entry.EffectiveTime.Equal(deadline) && !entry.IsTimer {
		t.Fatalf("the deadline was handled as of %s, it was %s", entry.EffectiveTime, deadline)
	}
}

// waitUntil waits until the database's clock shows the instant.
func (r *rig) waitUntil(instant time.Time) {
	r.t.Helper()
	for {
		_, _, at, err := r.db.DueTimers(r.t.Context(), nil, time.Time{}, 0)
		if err != nil {
			r.t.Fatal(err)
		}
		if !at.Database.Before(instant) {
			return
		}
		time.Sleep(instant.Sub(at.Database))
	}
}

// replace ends the lane's owner as a takeover does and returns a lane of a new one.
func (r *rig) replace(l *Lane) (*Lane, int64) {
	r.t.Helper()
	if err := r.db.Leave(r.t.Context(), l.o.Owner); err != nil {
		r.t.Fatal(err)
	}
	return r.lane(nil)
}

func TestFencedLaneCannotCommit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("switch", switchDefinition)
	r.create("a", "switch")
	old, _ := r.lane(nil)
	r.drain(old)
	r.send("a", "e", `{"type":"FLIP"}`)
	next, _ := r.replace(old)
	if _, err := old.AdvanceOnce(t.Context()); !errors.Is(err, store.ErrFenced) {
		t.Fatalf("a lane whose owner was ended: %v", err)
	}
	r.expect("a", statusActive, `"off"`)
	r.drain(next)
	r.expect("a", statusActive, `"on"`)
	r.checkFold("a")
}

// faulty is a store whose calls a test can bend.
type faulty struct {
	*store.DB
	beforeApply func(*store.Commit) error // an error is returned instead of applying
	afterApply  func(*store.Commit) error // ... instead of success
}

func (f *faulty) Apply(ctx context.Context, c *store.Commit) (clock.Sample, error) {
	if f.beforeApply != nil {
		if err := f.beforeApply(c); err != nil {
			return clock.Sample{}, err
		}
	}
	sample, err := f.DB.Apply(ctx, c)
	if err == nil && f.afterApply != nil {
		err = f.afterApply(c)
	}
	return sample, err
}

// An event is committed after the lane has read the inbox, and before it commits a later event of
// the same machine: the commit check finds it, and it comes first.
func TestCommitCheckFindsLateEvents(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("order", orderDefinition)
	r.create("a", "order")
	s := &faulty{DB: r.db}
	l, _ := r.lane(s)
	r.drain(l)
	deadline := r.view("a").Timers[0].Deadline
	r.waitUntil(deadline)
	tried := 0
	s.beforeApply = func(c *store.Commit) error {
		if tried++; tried == 1 {
			// It was stamped before the deadline, but its transaction took until now.
			r.insertLate("a", "c:slow", deadline.Add(-time.Millisecond), `{"type":"PAY"}`)
		}
		return nil
	}
	l.Due(key("a"))
	r.drain(l)
	r.expect("a", statusActive, `"paid"`)
	if tried < 2 {
		t.Fatal("the first commit was not refused")
	}
	r.checkFold("a")
}

// insertLate commits an inbox row with an event time of the past.
func (r *rig) insertLate(id, eventID string, at time.Time, event string) {
	r.t.Helper()
	ref := store.EventRef{Key: key(id), EventID: eventID}
	// A message carries its sender's event time, whenever it is committed.
	owner, err := r.db.Join(r.t.Context(), store.OwnerInfo{Host: "sender", PID: 1, Lanes: 1})
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = r.db.Apply(r.t.Context(), &store.Commit{Owner: owner, Messages: []store.Message{{EventRef: ref, EventTime: at, Event: []byte(event)}}})
	if err != nil {
		r.t.Fatal(err)
	}
}

// The answer to a COMMIT is lost: the lane reads again and does nothing twice.
func TestUnknownCommit(t *testing.T) {
	t.Parallel()
	for _, committed := range []bool{true, false} {
		t.Run(fmt.Sprintf("committed=%v", committed), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.define("switch", switchDefinition)
			r.create("a", "switch")
			s := &faulty{DB: r.db}
			l, _ := r.lane(s)
			r.drain(l)
			r.send("a", "e", `{"type":"FLIP"}`)
			lose := func(*store.Commit) error {
				s.beforeApply, s.afterApply = nil, nil
				return fmt.Errorf("cut off: %w", store.ErrUnknown)
			}
			if committed {
				s.afterApply = lose
			} else {
				s.beforeApply = lose
			}
			if _, err := l.AdvanceOnce(t.Context()); !errors.Is(err, store.ErrUnknown) {
				t.Fatalf("got %v", err)
			}
			r.drain(l)
			r.expect("a", statusActive, `"on"`)
			r.checkFold("a")
		})
	}
}

// One machine's batch is refused by the database for good: that machine is suspended, the others go on.
func TestPoisonedBatchIsHalved(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("switch", switchDefinition)
	s := &faulty{DB: r.db}
	l, _ := r.lane(s)
	for i := range 9 {
		r.create(fmt.Sprint("m", i), "switch")
	}
	r.drain(l)
	for i := range 9 {
		r.send(fmt.Sprint("m", i), "", `{"type":"FLIP"}`)
	}
	refused := errors.New("value too long")
	s.beforeApply = func(c *store.Commit) error {
		poisoned := slices.ContainsFunc(c.History, func(e store.HistoryEntry) bool {
			return e.Key.Machine == "m5" && e.Outcome == outcomeApplied
		})
		if poisoned {
			return refused
		}
		return nil
	}
	r.drain(l)
	for i := range 9 {
		if i == 5 {
			r.expect("m5", statusSuspended, `"off"`)
			continue
		}
		r.expect(fmt.Sprint("m", i), statusActive, `"on"`)
	}
	// What arrives for it is parked, and nobody spins on it.
	r.send("m5", "", `{"type":"FLIP"}`)
	r.drain(l)
	r.expect("m5", statusSuspended, `"off"`)
}

// A definition that never comes to rest suspends its machine and harms no other.
func TestEndlessMachineIsSuspended(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("endless", `{"machine": {"initial": "a", "states": {"a": {"always": "b"}, "b": {"always": "a"}}}}`)
	r.define("switch", switchDefinition)
	r.create("bad", "endless")
	r.create("good", "switch")
	l, _ := r.lane(nil)
	r.drain(l)
	if v := r.view("bad"); v.Status != statusSuspended || v.Value != nil || v.Suspension == nil {
		t.Fatalf("the endless machine is %s in %s because of %s", v.Status, v.Value, v.Suspension)
	}
	r.expect("good", statusActive, `"off"`)
}

// A loop of `after: 0` lets an event in.
func TestTimelessLoopLetsEventsIn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("loop", `{"machine": {"initial": "a", "states": {
		"a": {"after": {"0": "b"}, "on": {"STOP": "stopped"}},
		"b": {"after": {"0": "a"}, "on": {"STOP": "stopped"}},
		"stopped": {}}}}`)
	r.create("a", "loop")
	l, _ := r.lane(nil)
	for range 5 {
		if _, err := l.AdvanceOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.send("a", "", `{"type":"STOP"}`)
	for range 200 {
		if _, err := l.AdvanceOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if string(r.view("a").Value) == `"stopped"` {
			r.checkFold("a")
			return
		}
		l.Due(key("a"))
	}
	t.Fatal("the event never got its turn")
}

// Senders, two owners that keep taking over from each other, deadlines and repeated sends, all at
// once: every acknowledged event is in history exactly once, in an order without gaps, and history
// folds to the snapshot.
func TestTakeoversLoseNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("counter", `{"machine": {"id": "counter", "initial": "on", "context": {"n": 0, "ticks": 0},
		"states": {"on": {
			"after": {"7": {"target": "on", "reenter": true, "actions": {"assign": {"ticks": "context.ticks + 1"}}}},
			"on": {"ADD": {"actions": {"assign": {"n": "context.n + 1"}}}}}}}}`)
	const machines, senders, sends = 8, 4, 60
	for i := range machines {
		r.create(fmt.Sprint("m", i), "counter")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var senderGroup, laneGroup sync.WaitGroup
	for n := range senders {
		senderGroup.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			for i := range sends {
				id, name := fmt.Sprint("m", random.IntN(machines)), fmt.Sprintf("s%d-%d", n, i)
				for range 1 + random.IntN(2) { // some twice
					if _, err := r.engine.Send(t.Context(), id, name, []byte(`{"type":"ADD"}`)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	stop := make(chan struct{})
	laneGroup.Go(func() {
		l, _ := r.lane(nil)
		for turn := 0; ; turn++ {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := l.AdvanceOnce(t.Context()); err != nil {
				t.Error(err)
				return
			}
			if turn%5 == 4 {
				old := l
				l, _ = r.replace(l)
				if n, err := old.AdvanceOnce(t.Context()); n != 0 && !errors.Is(err, store.ErrFenced) {
					t.Errorf("the old owner went on: %d, %v", n, err)
				}
			}
		}
	})
	senderGroup.Wait()
	close(stop)
	laneGroup.Wait()
	r.settle()

	seen := map[string]int{}
	for i := range machines {
		id := fmt.Sprint("m", i)
		r.checkFold(id)
		for _, e := range r.history(id) {
			seen[id+" "+e.EventID]++
		}
	}
	for what, times := range seen {
		if times != 1 {
			t.Errorf("%s is in history %d times", what, times)
		}
	}
	adds := 0
	for i := range machines {
		for _, e := range r.history(fmt.Sprint("m", i)) {
			if string(e.Event) == `{"type":"ADD"}` {
				adds++
			}
		}
	}
	if adds != senders*sends {
		t.Errorf("%d events applied, %d acknowledged", adds, senders*sends)
	}
}

// settle lets a new owner handle what is left in the inbox.
func (r *rig) settle() {
	r.t.Helper()
	ctx := r.t.Context()
	leases := r.owners()
	for _, id := range leases {
		if err := r.db.Leave(ctx, id); err != nil && !errors.Is(err, store.ErrFenced) {
			r.t.Fatal(err)
		}
	}
	l, _ := r.lane(nil)
	for range 1000 {
		page, err := r.db.Claim(ctx, l.buckets, 1)
		if err != nil {
			r.t.Fatal(err)
		}
		if len(page.Events) == 0 {
			return
		}
		if _, err := l.AdvanceOnce(ctx); err != nil {
			r.t.Fatal(err)
		}
	}
	r.t.Fatal("the inbox never empties")
}

func (r *rig) owners() []int64 {
	r.t.Helper()
	id, err := r.db.Join(r.t.Context(), store.OwnerInfo{Host: "look", PID: 1, Lanes: 1})
	if err != nil {
		r.t.Fatal(err)
	}
	leases, err := r.db.Beat(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	var ids []int64
	for _, p := range leases.Peers {
		ids = append(ids, p.ID)
	}
	return ids
}
