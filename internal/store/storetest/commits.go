package storetest

import (
	"fmt"
	"slices"

	"github.com/detent-run/detent/internal/store"
)

var commitTests = []test{
	{"apply: everything at once", applyEverything},
	{"apply: nothing", applyNothing},
	{"apply: a snapshot replaces its predecessor", applySnapshots},
	{"apply: a machine that was suspended before it started", applySuspendedStart},
	{"apply: messages", applyMessages},
	{"apply: dead letters", applyDeadLetters},
	{"apply: the clock's sample", applySample},
}

func applyEverything(b *bench) {
	b.start("m", "n")
	b.accept("m", "c:1")
	c := b.commit()
	c.TimersAdded = []store.TimerRow{timer("m", 1), timer("m", 2)}
	b.apply(c)

	c = b.commit()
	b.take(c, "m", "c:1", 2)
	c.LastDeadline = timer("m", 1).Deadline
	c.Checks = []store.Check{{Key: key("m"), Time: timer("m", 1).Deadline, No: -1}}
	c.TimersDeleted = []store.TimerRow{{Key: key("m"), Deadline: timer("m", 1).Deadline, No: 1}}
	c.TimersAdded = []store.TimerRow{timer("n", 3)}
	c.Messages = []store.Message{{EventRef: ref("n", "m:m.2.1"), EventTime: timer("m", 1).Deadline, No: 1, Event: []byte(`{"type":"HI"}`)}}
	b.apply(c)

	same(b, "timers", b.due(), []store.TimerRow{timer("m", 2), timer("n", 3)})
	same(b, "waiting", b.waiting(), []string{"n m:m.2.1"})
	same(b, "history", b.seqs("m"), []int64{1, 2})
	same(b, "seq", b.find("m").Seq, int64(2))
}

func applyNothing(b *bench) {
	if at := b.apply(b.commit()); at.Database.IsZero() {
		b.Error("no reading of the clock")
	}
}

func applySnapshots(b *bench) {
	b.start("m")
	before := b.find("m")
	c := b.commit()
	c.Snapshots = []store.SnapshotRow{snapshot("m", 2, "done")}
	b.apply(c)
	m := b.find("m")
	if m.UpdatedAt.Before(before.UpdatedAt) {
		b.Errorf("updated at %v, before that at %v", m.UpdatedAt, before.UpdatedAt)
	}
	same(b, "seq", m.Seq, int64(2))
	same(b, "status", m.Status, "done")
	// The next one may skip numbers: what counts is that its predecessor is the stored one.
	row := snapshot("m", 5, "stopped")
	row.PrevSeq = 2
	c = b.commit()
	c.Snapshots = []store.SnapshotRow{row}
	b.apply(c)
	same(b, "seq", b.find("m").Seq, int64(5))
}

func applySuspendedStart(b *bench) {
	b.create("m")
	c := b.commit()
	c.Snapshots = []store.SnapshotRow{{Key: key("m"), Seq: 1, Status: "suspended", Reason: []byte(`{"code":"expression"}`)}}
	b.apply(c)
	m := b.find("m")
	same(b, "status", m.Status, "suspended")
	same(b, "reason", string(m.Reason), `{"code":"expression"}`)
	if m.Snapshot != nil {
		b.Errorf("snapshot %q of a machine that has none", m.Snapshot)
	}
}

func applyMessages(b *bench) {
	b.start("m", "n")
	at := b.accept("n", "c:1")
	message := func(id string, no int) store.Message {
		return store.Message{EventRef: ref("n", id), EventTime: at, No: no, Event: []byte(`{"type":"HI"}`)}
	}
	c := b.commit()
	// Of the same time as c:1, whose number is 1.
	c.Messages = []store.Message{message("m:m.2.3", 3), message("m:m.2.0", 0), message("m:m.2.2", 2)}
	b.apply(c)
	want := []string{"n m:m.2.0", "n c:1", "n m:m.2.2", "n m:m.2.3"}
	same(b, "waiting", b.waiting(), want)
	b.apply(c) // a message that is there already was sent before
	same(b, "waiting", b.waiting(), want)
}

func applyDeadLetters(b *bench) {
	b.start("m")
	at := b.accept("m", "c:1")
	c := b.commit()
	c.Consumed = []store.EventRef{ref("m", "c:1")}
	c.History = []store.HistoryEntry{b.entry("m", "c:1", 2, "dead")}
	c.DeadLetters = []store.DeadLetter{{
		EventRef: ref("m", "c:1"), Seq: 2, EventTime: at, Event: []byte(`{"type":"GO"}`), Reason: []byte(`{"code":"schema"}`),
	}}
	b.apply(c)
	same(b, "outcome", must(b.Outcomes(b.ctx, []store.EventRef{ref("m", "c:1")}))[0].Outcome, "dead")
	same(b, "waiting", b.waiting(), []string{})
}

func applySample(b *bench) {
	b.start("m")
	before := b.accept("m", "c:1")
	at := b.apply(b.commit())
	after := b.accept("m", "c:2")
	if at.Database.Before(before) || at.Database.After(after) || at.Sent.After(at.Received) {
		b.Errorf("sample %+v is not between %v and %v", at, before, after)
	}
}

// changesNothing runs f, and holds what the store shows of the machines to what it showed before.
func (b *bench) changesNothing(what string, machines []string, f func()) {
	b.Helper()
	type view struct {
		Machines []store.Machine
		History  [][]store.HistoryEntry
		Timers   []store.TimerRow
		Waiting  []string
	}
	look := func() view {
		v := view{Timers: b.due(), Waiting: b.waiting()}
		for _, id := range machines {
			v.Machines = append(v.Machines, must(b.LoadMachines(b.ctx, []store.Key{key(id)}))...)
			v.History = append(v.History, must(b.History(b.ctx, key(id), 0, 1000)))
		}
		return v
	}
	before := look()
	f()
	same(b, what+" changed something", look(), before)
}

// full is a commit with something in every list that it takes for m to handle c:1.
func (b *bench) full() *store.Commit {
	c := b.commit()
	b.take(c, "m", "c:1", 2)
	c.Deferred = []store.EventRef{ref("m", "c:2")}
	c.Unparked = []store.Key{key("n")}
	c.TimersDeleted = []store.TimerRow{timer("m", 1)}
	c.TimersAdded = []store.TimerRow{timer("m", 2)}
	c.Messages = []store.Message{{EventRef: ref("n", "m:m.2.1"), EventTime: timer("m", 1).Deadline, Event: []byte(`{"type":"HI"}`)}}
	return c
}

// prepareFull makes what full needs.
func (b *bench) prepareFull() {
	b.start("m", "n")
	b.accept("m", "c:1")
	b.accept("m", "c:2")
	b.accept("n", "c:9")
	c := b.commit()
	c.Deferred = []store.EventRef{ref("n", "c:9")}
	c.TimersAdded = []store.TimerRow{timer("m", 1)}
	b.apply(c)
}

// refused applies a commit that must fail and change nothing.
func (b *bench) refused(c *store.Commit, check func(error) bool) {
	b.Helper()
	b.changesNothing("a refused commit", []string{"m", "n"}, func() {
		if _, err := b.Apply(b.ctx, c); err == nil || !check(err) {
			b.Errorf("apply: %v", err)
		}
	})
}

func sortedKeys(keys []store.Key) []string {
	names := []string{}
	for _, k := range keys {
		names = append(names, fmt.Sprint(k))
	}
	slices.Sort(names)
	return names
}
