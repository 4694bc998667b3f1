// Package worker leases buckets and runs lanes over them.
//
// A worker process is an owner: it joins with an id that is never used again, and everything it does
// to machines is fenced by that id. Membership is in the database alone; nothing is elected. Each
// owner counts a heartbeat up and looks at the others' (BeatOnce): it takes unowned buckets up
// to its fair share, gives those above it up, and ends owners that are dead, either because their
// advisory lock is gone (a killed process: seen within one or two beats) or because their heartbeat
// has not moved for expiry by this owner's own monotonic clock (a frozen or cut-off one). Being wrong
// about another owner's death is safe: its fence is taken away, so its next commit fails as a whole,
// and it joins anew.
//
// An owner that is fenced, or whose lane is stuck, drops everything it kept in memory and starts
// again under a new id.
//
// The package imports engine, store and clock. What it needs of a scheduler it declares itself; its
// caller gives it one.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/engine"
	"github.com/detent-run/detent/internal/store"
)

// Times of membership.
const (
	beatEvery    = 250 * time.Millisecond
	beatTimeout  = 2 * time.Second
	expiry       = 5 * time.Second // an unmoved heartbeat means death; a lane stuck for so long, too
	absences     = 2               // beats in a row without the advisory lock that mean death
	rejoinAfter  = 200 * time.Millisecond
	leaveTimeout = 5 * time.Second
)

// Scheduler is what a worker needs of the scheduler of its buckets.
type Scheduler interface {
	Hold(buckets []int16)
	Armed(rows []store.TimerRow)
	Run(ctx context.Context) error
}

// Options of New.
type Options struct {
	URL   string // of the database
	Lanes int    // at least 1
	Defs  *engine.Definitions
	Log   *slog.Logger

	// NewScheduler makes the scheduler of one tenure.
	NewScheduler func(db *store.DB, c *clock.Clock, deliver func([]store.Key)) Scheduler
	// Applied is called after every commit of a lane; may be nil.
	Applied func(*store.Commit, time.Duration)
	// Held is told how many buckets this worker holds, whenever that changes; may be nil.
	Held func(buckets int)
	// Fenced is called when this worker has lost its leases; may be nil.
	Fenced func()
}

// Worker holds machines and moves them on, until it is stopped.
type Worker struct {
	o       Options
	db      *store.DB // for what is done under no owner's name
	current holder
}

// New returns a worker. db is used to join and leave; lanes get connections of their own.
func New(db *store.DB, o Options) *Worker {
	if o.Applied == nil {
		o.Applied = func(*store.Commit, time.Duration) {}
	}
	if o.Held == nil {
		o.Held = func(int) {}
	}
	if o.Fenced == nil {
		o.Fenced = func() {}
	}
	return &Worker{o: o, db: db}
}

// Hint wakes the lane that holds the machine, if this worker has it.
func (w *Worker) Hint(key store.Key) {
	if t := w.current.get(); t != nil {
		t.lane(key.Bucket()).Wake()
	}
}

// Run serves one tenure after another until ctx ends; then it gives its leases up and returns nil.
func (w *Worker) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := w.serve(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, store.ErrFenced):
			w.o.Log.Warn("leases lost; joining anew", "error", err)
			w.o.Fenced()
		default:
			w.o.Log.Error("worker interrupted; joining anew", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(rejoinAfter):
		}
	}
	return nil
}

// serve joins, works under the new id, and leaves.
func (w *Worker) serve(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	join, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	id, err := w.db.Join(join, store.OwnerInfo{Host: host, PID: os.Getpid(), Lanes: w.o.Lanes})
	if err != nil {
		return err
	}
	err = w.tenure(ctx, id)
	leave, cancelLeave := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancelLeave()
	if leaveErr := w.db.Leave(leave, id); leaveErr != nil && !errors.Is(leaveErr, store.ErrFenced) {
		// The others find out by themselves.
		w.o.Log.Warn("cannot leave in order", "owner", id, "error", leaveErr)
	}
	return err
}
