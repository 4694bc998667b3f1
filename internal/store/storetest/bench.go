package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/store"
)

// bench is a store with an owner that holds all buckets, and the words in which the tests are written.
// What is no more than a step of a test ends the test when it fails.
type bench struct {
	*testing.T
	Store
	ctx     context.Context
	owner   int64
	buckets []int16
}

func newBench(t *testing.T, s Store) *bench {
	return &bench{T: t, Store: s, ctx: t.Context()}
}

// own joins, and takes all buckets.
func (b *bench) own() {
	b.owner = b.join()
	b.buckets = must(b.Lease(b.ctx, b.owner, store.Buckets))
	slices.Sort(b.buckets)
}

// failedStep is an error where a test cannot go on. It unwinds the test by a panic, which Run takes for
// what it is, since a method with a type parameter is not to be had.
type failedStep struct{ err error }

// must ends the test when a step of it fails. It is for the test's own goroutine.
func must[V any](v V, err error) V {
	if err != nil {
		panic(failedStep{err})
	}
	return v
}

// run runs a test up to its first failed step.
func (b *bench) run(one test) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failedStep:
			b.Fatal(r.err)
		default:
			panic(r)
		}
	}()
	b.own()
	one.run(b)
}

func key(machine string) store.Key { return store.Key{Namespace: store.Namespace, Machine: machine} }

func ref(machine, eventID string) store.EventRef {
	return store.EventRef{Key: key(machine), EventID: eventID}
}

func incoming(machine, eventID, event string) store.Incoming {
	return store.Incoming{EventRef: ref(machine, eventID), Event: []byte(event)}
}

func (b *bench) join() int64 {
	return must(b.Join(b.ctx, store.OwnerInfo{Host: "bench", PID: 1, Lanes: 2}))
}

func newMachine(id string) store.NewMachine {
	return store.NewMachine{
		Key: key(id), Definition: "order", Version: 1, Labels: []byte(`{"team":"a"}`), Fingerprint: []byte(id),
		EventID: "i:1", Event: []byte(`{"type":"xstate.init"}`), CreatedBy: "bench",
	}
}

// create makes machines whose first events wait.
func (b *bench) create(ids ...string) {
	b.Helper()
	for _, id := range ids {
		if !must(b.CreateMachine(b.ctx, newMachine(id))) {
			b.Fatalf("machine %s was there before", id)
		}
	}
}

// start makes machines and takes their first events: each is active, with seq 1 and an empty inbox.
func (b *bench) start(ids ...string) {
	b.Helper()
	b.create(ids...)
	c := b.commit()
	for _, id := range ids {
		b.take(c, id, "i:1", 1)
	}
	b.apply(c)
}

// accept sends one event and returns its time.
func (b *bench) accept(machine, eventID string) time.Time {
	b.Helper()
	a := must(b.Accept(b.ctx, []store.Incoming{incoming(machine, eventID, `{"type":"GO"}`)}))
	if a[0].Outcome != store.Accepted {
		b.Fatalf("%s of %s is not accepted but %d", eventID, machine, a[0].Outcome)
	}
	return a[0].AcceptedAt
}

func (b *bench) commit() *store.Commit { return &store.Commit{Owner: b.owner} }

// take adds to a commit that the machine handles an event of its inbox as its entry seq.
func (b *bench) take(c *store.Commit, machine, eventID string, seq int64) {
	b.Helper()
	c.Consumed = append(c.Consumed, ref(machine, eventID))
	c.Snapshots = append(c.Snapshots, snapshot(machine, seq, "active"))
	c.History = append(c.History, b.entry(machine, eventID, seq, "applied"))
}

func snapshot(machine string, seq int64, status string) store.SnapshotRow {
	return store.SnapshotRow{
		Key: key(machine), Seq: seq, PrevSeq: seq - 1, Status: status,
		Snapshot: fmt.Appendf(nil, `{"status":%q,"value":"s%d","context":{}}`, status, seq),
	}
}

// entry is an entry of history; a second is between all its times, so that none can be mistaken for another.
func (b *bench) entry(machine, eventID string, seq int64, outcome string) store.HistoryEntry {
	at := time.Date(2026, 5, 1, 12, 0, 0, 123456000, time.UTC)
	return store.HistoryEntry{
		Key: key(machine), Seq: seq, EventID: eventID, Outcome: outcome, Event: []byte(`{"type":"GO"}`),
		EventTime: at, EffectiveTime: at.Add(time.Second), ProcessedAt: at.Add(2 * time.Second), DefinitionVersion: 1,
		From: []byte(`"a"`), To: []byte(`"b"`), Actions: []byte(`[]`), Effects: []byte(`[]`), Changes: []byte(`{}`),
		Owner: b.owner, Lane: 0,
	}
}

func (b *bench) apply(c *store.Commit) clock.Sample {
	b.Helper()
	at, err := b.Apply(b.ctx, c)
	if err != nil {
		b.Fatalf("apply: %v", err)
	}
	return at
}

// timer is one with a deadline so long ago that it may fire whenever it is asked to.
func timer(machine string, no int64) store.TimerRow {
	return store.TimerRow{
		Key: key(machine), Deadline: time.Date(2026, 1, 1, 0, 0, 0, 1000, time.UTC).Add(time.Duration(no) * time.Minute),
		No: no, EventID: fmt.Sprintf("t:1.%d", no), Type: "TICK",
	}
}

// due returns the timers of all buckets, whenever they are due.
func (b *bench) due() []store.TimerRow {
	b.Helper()
	rows, _, _, err := b.DueTimers(b.ctx, b.buckets, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), 1000)
	return must(rows, err)
}

// waiting returns what is not parked, as "machine event".
func (b *bench) waiting() []string {
	b.Helper()
	names := []string{}
	for _, e := range must(b.Claim(b.ctx, b.buckets, 1000)).Events {
		names = append(names, e.Key.Machine+" "+e.EventID)
	}
	return names
}

func (b *bench) seqs(machine string) []int64 {
	b.Helper()
	seqs := []int64{}
	for _, e := range must(b.History(b.ctx, key(machine), 0, 1000)) {
		seqs = append(seqs, e.Seq)
	}
	return seqs
}

func (b *bench) find(machine string) store.Machine {
	b.Helper()
	return must(b.FindMachine(b.ctx, key(machine)))
}

// same compares and goes on.
func same[V any](b *bench, what string, got, want V) {
	b.Helper()
	if d := cmp.Diff(want, got); d != "" {
		b.Errorf("%s (- want, + got):\n%s", what, d)
	}
}

// machinesOf returns n ids that lie in at least two buckets, in the order of the ids.
func machinesOf(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("m-%03d", i)
	}
	slices.Sort(ids)
	return ids
}
