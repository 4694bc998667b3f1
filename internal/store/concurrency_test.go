package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/testdb"
)

// crowd is lanes and callers on the same machines.
type crowd struct {
	t     *testing.T
	db    *store.DB
	owner int64
	ids   []string

	accepting atomic.Bool  // callers are still at work
	put       atomic.Int64 // events that were put into an inbox
	handled   atomic.Int64
	seen      atomic.Int64 // of these, second rows of an event: Accept lost a race with a lane
}

const crowdLanes, crowdMachines, crowdCallers, crowdRounds = 3, 12, 4, 25

// TestNoDeadlocks runs lanes that send messages to one another's machines beside callers that send
// the same events to all of them, each in an order of his own. Nobody is the victim of a deadlock, and
// every event is handled once.
func TestNoDeadlocks(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	c := &crowd{t: t, db: open(t, url, store.Options{MaxConns: crowdLanes + crowdCallers})}
	owner, err := c.db.Join(t.Context(), store.OwnerInfo{Host: "h", PID: 1, Lanes: crowdLanes})
	if err != nil {
		t.Fatal(err)
	}
	c.owner = owner
	for i := range crowdMachines {
		c.ids = append(c.ids, create(t, c.db, fmt.Sprintf("m-%d", i)))
	}
	c.put.Store(crowdMachines)
	c.accepting.Store(true)
	var callers, lanes sync.WaitGroup
	for n := range crowdCallers {
		callers.Go(func() { c.call(n) })
	}
	for n := range crowdLanes {
		lanes.Go(func() { c.work(n) })
	}
	callers.Wait()
	c.accepting.Store(false)
	lanes.Wait()
	if got := query1[int64](t, url, `SELECT count(*) FROM detent.inbox`); got != 0 {
		t.Errorf("%d events are left", got)
	}
	if got := query1[int64](t, url, `SELECT count(*) FROM detent.history_entry`); got != c.put.Load()-c.seen.Load() {
		t.Errorf("%d entries of history for %d events, %d of them twice", got, c.put.Load(), c.seen.Load())
	}
	if got := query1[int64](t, url, `SELECT count(*) FROM detent.snapshot`); got != crowdMachines {
		t.Errorf("%d snapshots of %d machines", got, crowdMachines)
	}
}

// call sends events. Two callers at a time bring the same ids.
func (c *crowd) call(caller int) {
	for round := range crowdRounds {
		events := make([]store.Incoming, crowdMachines)
		for i := range events {
			id := fmt.Sprintf("c:%d.%d", caller/2, round)
			events[i] = store.Incoming{EventRef: ref(c.ids[(i+caller*5)%crowdMachines], id), Event: []byte(`{"type":"GO"}`)}
		}
		answers, err := c.db.Accept(c.t.Context(), events)
		if err != nil {
			c.t.Error(err)
			return
		}
		for _, a := range answers {
			if a.Outcome == store.Accepted {
				c.put.Add(1)
			}
		}
	}
}

// work is a lane, until all that was put in is handled.
func (c *crowd) work(lane int) {
	var buckets []int16
	for b := int16(lane); b < store.Buckets; b += crowdLanes {
		buckets = append(buckets, b)
	}
	seqs := map[store.Key]int64{}
	for c.accepting.Load() || c.handled.Load() < c.put.Load() {
		if c.t.Failed() {
			return
		}
		page, err := c.db.Claim(c.t.Context(), buckets, 40)
		if err != nil {
			c.t.Error(err)
			return
		}
		commit := c.decide(lane, page, seqs)
		_, err = c.db.Apply(c.t.Context(), commit)
		var late *store.LateEventsError
		switch {
		case errors.As(err, &late), errors.Is(err, store.ErrDuplicate): // the next page shows why
		case err != nil:
			c.t.Error(err)
			return
		default:
			for _, s := range commit.Snapshots {
				seqs[s.Key] = s.Seq
			}
			c.put.Add(int64(len(commit.Messages)))
			c.handled.Add(int64(len(commit.Consumed)))
			c.seen.Add(int64(len(commit.Consumed) - len(commit.History)))
		}
	}
}

// decide handles a page: each event from outside leads to messages to two other machines.
func (c *crowd) decide(lane int, page store.Page, seqs map[store.Key]int64) *store.Commit {
	commit := &store.Commit{Owner: c.owner, Lane: lane}
	last := map[store.Key]*store.SnapshotRow{}
	bounds := map[store.Key]store.Check{}
	for _, e := range page.Events {
		if e.Seen {
			commit.Consumed = append(commit.Consumed, e.EventRef)
			continue
		}
		if last[e.Key] == nil {
			last[e.Key] = &store.SnapshotRow{Key: e.Key, Seq: seqs[e.Key], PrevSeq: seqs[e.Key], Status: "active", Snapshot: []byte(`{}`)}
		}
		last[e.Key].Seq++
		seq := last[e.Key].Seq
		bounds[e.Key] = store.Check{Key: e.Key, Time: e.EventTime, No: e.No}
		commit.Consumed = append(commit.Consumed, e.EventRef)
		commit.History = append(commit.History, store.HistoryEntry{
			Key: e.Key, Seq: seq, EventID: e.EventID, Outcome: "applied", Event: e.Event,
			EventTime: e.EventTime, EffectiveTime: e.EventTime, ProcessedAt: page.Now, Owner: c.owner, Lane: lane,
		})
		if strings.HasPrefix(e.EventID, "c:") {
			for n := range 2 {
				to := c.ids[(int(seq)*7+n*5+lane)%crowdMachines]
				commit.Messages = append(commit.Messages, store.Message{
					EventRef: ref(to, fmt.Sprintf("m:%s.%d.%d", e.Key.Machine, seq, n)), EventTime: page.Now.Add(time.Microsecond), No: n, Event: []byte(`{"type":"HI"}`),
				})
			}
		}
	}
	for key, row := range last {
		commit.Snapshots = append(commit.Snapshots, *row)
		commit.Checks = append(commit.Checks, bounds[key])
	}
	return commit
}
