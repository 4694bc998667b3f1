package storetest

import (
	"errors"
	"time"

	"github.com/detent-run/detent/internal/store"
)

var guardTests = []test{
	{"guard: an owner that is no more", guardFence},
	{"guard: a lane that the owner does not have", guardLane},
	{"guard: a deadline that has not come", guardEarly},
	{"guard: an event that came in late", guardLate},
	{"guard: the bound of the commit check", guardBound},
	{"guard: an event was handled before", guardHandled},
	{"guard: rows that are not there", guardCounts},
	{"guard: a snapshot that is not the latest", guardPredecessor},
	{"guard: what cannot be stored", guardBadBatch},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func guardFence(b *bench) {
	b.prepareFull()
	stranger := b.full()
	stranger.Owner = b.owner + 1000
	b.refused(stranger, is(store.ErrFenced))
	c := b.full()
	if err := b.Leave(b.ctx, b.owner); err != nil {
		b.Fatal(err)
	}
	b.refused(c, is(store.ErrFenced))
}

func guardLane(b *bench) {
	b.prepareFull()
	c := b.full()
	c.Lane = 1 // the bench has two
	b.apply(c)
	c = b.commit()
	c.Lane = 2
	b.refused(c, is(store.ErrFenced))
}

func guardEarly(b *bench) {
	b.prepareFull()
	c := b.full()
	c.LastDeadline = b.apply(b.commit()).Database.Add(time.Hour)
	b.refused(c, func(err error) bool { return errors.Is(err, store.ErrRetry) && errors.Is(err, store.ErrEarly) })
	c.LastDeadline = b.apply(b.commit()).Database
	b.apply(c)
}

func guardLate(b *bench) {
	b.prepareFull()
	// c:1 is consumed and c:2 deferred; c:3 waits, and neither was seen.
	at := b.accept("m", "c:3")
	c := b.full()
	c.Checks = []store.Check{{Key: key("m"), Time: at, No: 2}, {Key: key("n"), Time: at, No: 2}}
	b.refused(c, func(err error) bool {
		var late *store.LateEventsError
		if !errors.As(err, &late) {
			return false
		}
		same(b, "late machines", sortedKeys(late.Keys), sortedKeys([]store.Key{key("m")})) // n's waiting row is parked
		return true
	})
	c.Checks[0].Time = at.Add(-time.Microsecond)
	b.apply(c)
}

// guardBound: what lies before the bound is late, and a tie with it is not: two transactions can stamp the
// same microsecond. After a timer (No -1) no event of its own time is late.
func guardBound(b *bench) {
	b.start("m", "m-other")
	answers := must(b.Accept(b.ctx, []store.Incoming{incoming("m", "c:1", `{}`), incoming("m", "c:2", `{}`)}))
	at := answers[0].AcceptedAt
	for _, c := range []struct {
		what string
		time time.Time
		no   int
		late bool
	}{
		{"before", at.Add(-time.Microsecond), 1 << 30, false},
		{"a timer of the same time", at, -1, false},
		{"an event before them", at, 0, false},
		{"the first, a tie", at, 1, false},
		{"the second", at, 2, true},
		{"a later time", at.Add(time.Microsecond), -1, true},
	} {
		commit := b.commit()
		commit.Checks = []store.Check{{Key: key("m"), Time: c.time, No: c.no}, {Key: key("m-other"), Time: c.time.Add(time.Hour), No: 5}}
		_, err := b.Apply(b.ctx, commit)
		var late *store.LateEventsError
		if errors.As(err, &late) != c.late || !c.late && err != nil {
			b.Errorf("%s: %v", c.what, err)
		}
	}
	// What the batch consumes itself is not late; what lies between is.
	commit := b.commit()
	commit.Consumed = []store.EventRef{ref("m", "c:1")}
	commit.Checks = []store.Check{{Key: key("m"), Time: at, No: 2}}
	b.apply(commit)
	same(b, "waiting", b.waiting(), []string{"m c:2"})
}

func guardHandled(b *bench) {
	b.prepareFull()
	c := b.commit()
	c.History = []store.HistoryEntry{b.entry("m", "c:1", 2, "applied")}
	b.apply(c)
	b.refused(b.full(), is(store.ErrDuplicate))
	// Entries that consume nothing are as many as there are.
	c = b.commit()
	c.History = []store.HistoryEntry{b.entry("m", "", 3, "deferred"), b.entry("m", "", 4, "suspended")}
	b.apply(c)
}

func guardCounts(b *bench) {
	b.prepareFull()
	c := b.full()
	c.Consumed = append(c.Consumed, ref("m", "c:none"))
	b.refused(c, is(store.ErrDuplicate))

	c = b.full()
	c.Deferred = append(c.Deferred, ref("n", "c:none"))
	b.refused(c, is(store.ErrDuplicate))

	// Nobody else removes a timer: a commit that does not find one is wrong, and reading again would not
	// mend it.
	wrong := func(err error) bool {
		return !errors.Is(err, store.ErrDuplicate) && !errors.Is(err, store.ErrRetry) && !errors.Is(err, store.ErrUnknown)
	}
	c = b.full()
	c.TimersDeleted = append(c.TimersDeleted, timer("m", 7))
	b.refused(c, wrong)
	c = b.full()
	c.TimersDeleted[0].Deadline = c.TimersDeleted[0].Deadline.Add(time.Microsecond)
	b.refused(c, wrong)

	b.apply(b.full())
}

func guardPredecessor(b *bench) {
	b.prepareFull()
	for _, row := range []store.SnapshotRow{
		{Key: key("m"), Seq: 3, PrevSeq: 2, Status: "active"}, // a macrostep that is not there
		{Key: key("m"), Seq: 1, PrevSeq: 0, Status: "active"}, // as if it had not started
	} {
		c := b.full()
		c.Snapshots = []store.SnapshotRow{row}
		b.refused(c, is(store.ErrDuplicate))
	}
}

func guardBadBatch(b *bench) {
	b.prepareFull()
	for what, spoil := range map[string]func(c *store.Commit){
		"NUL in a text":      func(c *store.Commit) { c.History[0].Event = []byte("{\"a\":\"\x00\"}") },
		"no UTF-8":           func(c *store.Commit) { c.Snapshots[0].Snapshot = []byte("\"\xff\"") },
		"unknown outcome":    func(c *store.Commit) { c.History[0].Outcome = "lost" },
		"unknown status":     func(c *store.Commit) { c.Snapshots[0].Status = "asleep" },
		"consumed, deferred": func(c *store.Commit) { c.History[0].Outcome = "deferred" },
		"seq 0":              func(c *store.Commit) { c.History[0].Seq = 0 },
		"event id too long":  func(c *store.Commit) { c.Messages[0].EventID = string(make([]byte, 5000)) },
		"empty event id":     func(c *store.Commit) { c.TimersAdded[0].EventID = "" },
	} {
		c := b.full()
		spoil(c)
		b.refused(c, func(err error) bool {
			for _, other := range []error{store.ErrRetry, store.ErrUnknown, store.ErrDuplicate, store.ErrFenced} {
				if errors.Is(err, other) {
					b.Errorf("%s: it is the batch's own fault, not %v", what, err)
				}
			}
			return true
		})
	}
	b.apply(b.full())
}
