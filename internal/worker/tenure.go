package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/engine"
	"github.com/detent-run/detent/internal/store"
)

// tenure is a worker's time under one owner id.
type tenure struct {
	w         *Worker
	id        int64
	db        *store.DB // its connections bear the owner's name
	lanes     []*engine.Lane
	scheduler Scheduler
	presence  *store.Presence
	peers     *peers
	held      map[int16]bool
}

// holder lets other goroutines find the tenure under way.
type holder struct {
	mu sync.Mutex
	t  *tenure
}

func (h *holder) get() *tenure {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.t
}

func (h *holder) set(t *tenure) {
	h.mu.Lock()
	h.t = t
	h.mu.Unlock()
}

// tenure works under the id until ctx ends or the leases are lost.
func (w *Worker) tenure(ctx context.Context, id int64) error {
	const beside = 4 // heartbeat, presence, scheduler, and one to spare
	db, err := store.Open(ctx, w.o.URL, store.Options{ApplicationName: store.OwnerName(id), MaxConns: int32(w.o.Lanes + beside)})
	if err != nil {
		return err
	}
	defer db.Close()
	t := &tenure{w: w, id: id, db: db, peers: newPeers(id), held: map[int16]bool{}}
	c := &clock.Clock{}
	t.scheduler = w.o.NewScheduler(db, c, t.deliver)
	for no := range w.o.Lanes {
		t.lanes = append(t.lanes, engine.NewLane(db, w.o.Defs, engine.LaneOptions{
			Owner: id, No: no, Clock: c, Log: w.o.Log, Applied: t.applied,
		}))
	}
	w.o.Log.Info("joined", "owner", id, "lanes", w.o.Lanes)
	w.current.set(t)
	defer w.current.set(nil)
	defer w.o.Held(0)

	group, ctx := errgroup.WithContext(ctx)
	for _, lane := range t.lanes {
		group.Go(func() error { return lane.Run(ctx) })
	}
	group.Go(func() error { return t.scheduler.Run(ctx) })
	group.Go(func() error { return t.beats(ctx) })
	return group.Wait()
}

// applied passes on what a lane has made durable.
func (t *tenure) applied(c *store.Commit, took time.Duration) {
	if len(c.TimersAdded) > 0 {
		t.scheduler.Armed(c.TimersAdded)
	}
	t.w.o.Applied(c, took)
}

// deliver tells the lanes which of their machines have timers that are due.
func (t *tenure) deliver(keys []store.Key) {
	byLane := make([][]store.Key, len(t.lanes))
	for _, k := range keys {
		no := t.laneNo(k.Bucket())
		byLane[no] = append(byLane[no], k)
	}
	for no, mine := range byLane {
		if len(mine) > 0 {
			t.lanes[no].Due(mine...)
		}
	}
}

func (t *tenure) laneNo(bucket int16) int { return int(bucket) % len(t.lanes) }

func (t *tenure) lane(bucket int16) *engine.Lane { return t.lanes[t.laneNo(bucket)] }

// beats keeps the leases until ctx ends. It returns store.ErrFenced when they are lost.
func (t *tenure) beats(ctx context.Context) error {
	defer t.dropPresence()
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		if err := t.BeatOnce(ctx); errors.Is(err, store.ErrFenced) {
			return err
		} else if err != nil && ctx.Err() == nil {
			// The others may think this owner dead meanwhile: then the fence stops it.
			t.w.o.Log.Warn("heartbeat failed", "owner", t.id, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// BeatOnce renews the leases, takes over from the dead, and moves towards the fair share.
func (t *tenure) BeatOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	now := time.Now()
	for no, lane := range t.lanes {
		if d := lane.StuckFor(now); d > expiry {
			return fmt.Errorf("lane %d has been stuck for %s: %w", no, d.Round(time.Millisecond), store.ErrFenced)
		}
	}
	t.keepPresence(ctx)
	leases, err := t.db.Beat(ctx, t.id)
	if err != nil {
		return err
	}
	for _, dead := range t.peers.Dead(leases.Peers, now) {
		taken, err := t.w.db.TakeOver(ctx, dead)
		if err != nil {
			return fmt.Errorf("take over from owner %d: %w", dead.ID, err)
		}
		if taken {
			t.w.o.Log.Warn("took over from a dead owner", "owner", dead.ID, "buckets", dead.Held)
			if leases, err = t.db.Beat(ctx, t.id); err != nil {
				return err
			}
		}
	}
	return t.balance(ctx, leases)
}

// balance moves what this owner holds towards its fair share.
func (t *tenure) balance(ctx context.Context, leases store.Leases) error {
	share := fairShare(leases.Peers)
	held := leases.Held
	switch {
	case len(held) > share:
		kept := held[:share]
		t.hold(kept) // returns when no lane touches the rest any more
		if err := t.db.Release(ctx, t.id, held[share:]); err != nil {
			return fmt.Errorf("release buckets: %w", err)
		}
		return nil
	case len(held) < share && len(leases.Unowned) > 0:
		got, err := t.db.Lease(ctx, t.id, share-len(held))
		if err != nil {
			return fmt.Errorf("lease buckets: %w", err)
		}
		held = append(held, got...)
	}
	t.hold(held)
	return nil
}

// fairShare is how many buckets each of the living owners may hold.
func fairShare(peers []store.Peer) int {
	n := max(1, len(peers))
	return (store.Buckets + n - 1) / n
}

// hold gives every lane its part of the buckets, when that is not what it was.
func (t *tenure) hold(buckets []int16) {
	if !t.differs(buckets) {
		return
	}
	byLane := make([][]int16, len(t.lanes))
	t.held = make(map[int16]bool, len(buckets))
	for _, b := range buckets {
		t.held[b] = true
		byLane[t.laneNo(b)] = append(byLane[t.laneNo(b)], b)
	}
	for no, mine := range byLane {
		t.lanes[no].Hold(mine)
	}
	t.scheduler.Hold(buckets)
	t.w.o.Held(len(buckets))
	t.w.o.Log.Info("holding", "owner", t.id, "buckets", len(buckets))
}

func (t *tenure) differs(buckets []int16) bool {
	if len(buckets) != len(t.held) {
		return true
	}
	for _, b := range buckets {
		if !t.held[b] {
			return true
		}
	}
	return false
}

// keepPresence holds the advisory lock whose absence tells the others of this owner's death. Without
// it, as behind a pooler in transaction mode, only the heartbeat tells.
func (t *tenure) keepPresence(ctx context.Context) {
	if t.presence != nil && t.presence.Check(ctx) == nil {
		return
	}
	t.dropPresence()
	p, err := t.db.HoldPresence(ctx, t.id)
	if ctx.Err() != nil && err != nil {
		return
	}
	if err != nil {
		t.w.o.Log.Warn("cannot hold the presence lock", "owner", t.id, "error", err)
		return
	}
	t.presence = p
}

func (t *tenure) dropPresence() {
	if t.presence == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), beatTimeout)
	defer cancel()
	if err := t.presence.Close(ctx); err != nil {
		t.w.o.Log.Debug("presence lock was gone", "owner", t.id, "error", err)
	}
	t.presence = nil
}
