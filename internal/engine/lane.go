package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/store"
)

// Limits of a batch.
const (
	claimLimit     = 1024                  // events read at once
	claimMost      = 64 * claimLimit       // ... when a page led to nothing
	dueShare       = 256                   // machines with due timers in a batch
	machineShare   = 64                    // macrosteps of one machine in a batch
	decideShare    = 5 * time.Millisecond  // of deciding in a batch
	ownLookEvery   = time.Second           // how long a stopped scheduler can delay a timer
	ownLookLimit   = 4096                  // due timers that such a look takes up
	idlePoll       = 25 * time.Millisecond // an idle lane looks at the inbox this often
	firstRetry     = 20 * time.Millisecond // after an error
	longestRetry   = time.Second           //
	shunFor        = 10 * time.Second      // how long a machine is left alone that cannot even be suspended
	batchTimeout   = 10 * time.Second      // for the statements of one batch
	cacheBytesLane = 64 << 20              // snapshots that a lane keeps
)

// laneStore is what a lane asks of the database.
type laneStore interface {
	Claim(ctx context.Context, buckets []int16, limit int, except ...store.Key) (store.Page, error)
	ClaimMachines(ctx context.Context, keys []store.Key, limit int) (store.Page, error)
	LoadMachines(ctx context.Context, keys []store.Key) ([]store.Machine, error)
	DueTimers(ctx context.Context, buckets []int16, until time.Time, limit int) ([]store.TimerRow, bool, clock.Sample, error)
	Apply(ctx context.Context, c *store.Commit) (clock.Sample, error)
}

// LaneOptions is what a lane is told by its worker.
type LaneOptions struct {
	Owner   int64
	No      int
	Clock   *clock.Clock
	Log     *slog.Logger
	Applied func(*store.Commit, time.Duration) // called after every commit with the time it took; may be nil
}

// Lane is a single-threaded loop over the machines of some buckets: claim what waits, decide, apply.
//
// A machine is touched by one lane only, so deciding needs no lock on it; that the lane still holds
// it is proven by the fence in every commit. All that a lane keeps between batches is a cache and
// hints: when a batch fails in any way, what it kept of the machines concerned is dropped and read again.
type Lane struct {
	store laneStore
	defs  *Definitions
	o     LaneOptions

	batch   sync.Mutex // held during a batch; guards what follows
	buckets []int16
	cache   *cache
	limit   int       // of the next claim
	looked  time.Time // when the lane looked for due timers itself
	turns   turns
	suspect map[store.Key]bool      // the last batch of these was refused
	shunned map[store.Key]time.Time // these are left alone until then

	hints sync.Mutex // guards what follows
	due   dueMachines
	wake  chan struct{}

	progress sync.Mutex // guards what follows
	busy     time.Time  // since when a batch has been under way, zero when idle
}

// NewLane returns a lane that holds no bucket yet.
func NewLane(s laneStore, defs *Definitions, o LaneOptions) *Lane {
	return &Lane{
		store: s, defs: defs, o: o,
		cache:   newCache(cacheBytesLane),
		limit:   claimLimit,
		suspect: map[store.Key]bool{},
		shunned: map[store.Key]time.Time{},
		wake:    make(chan struct{}, 1),
	}
}

// Hold makes the lane hold exactly these buckets. It returns when a batch under way is over: from
// then on the lane does not touch the others.
func (l *Lane) Hold(buckets []int16) {
	l.batch.Lock()
	defer l.batch.Unlock()
	held := map[int16]bool{}
	for _, b := range buckets {
		held[b] = true
	}
	l.buckets = append([]int16(nil), buckets...)
	l.cache.dropUnless(func(k store.Key) bool { return held[k.Bucket()] })
	l.looked = time.Time{}
	l.Wake()
}

// Due tells the lane that timers of these machines are due. It is a claim, not a command: the lane
// fires what the machine's own list says.
func (l *Lane) Due(keys ...store.Key) {
	l.hints.Lock()
	for _, k := range keys {
		l.due.add(k)
	}
	l.hints.Unlock()
	l.Wake()
}

// Wake makes an idle lane look at once. A wake-up too many does nothing.
func (l *Lane) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// StuckFor returns for how long the batch under way has been running, 0 when the lane is idle.
func (l *Lane) StuckFor(now time.Time) time.Duration {
	l.progress.Lock()
	defer l.progress.Unlock()
	if l.busy.IsZero() {
		return 0
	}
	return now.Sub(l.busy)
}

func (l *Lane) setBusy(t time.Time) {
	l.progress.Lock()
	l.busy = t
	l.progress.Unlock()
}

// Run advances the lane until ctx ends or the owner is fenced (store.ErrFenced). A batch under way
// when ctx ends is finished.
func (l *Lane) Run(ctx context.Context) error {
	retry := firstRetry
	for ctx.Err() == nil {
		wait := time.Duration(0)
		advanced, err := l.AdvanceOnce(context.WithoutCancel(ctx))
		switch {
		case errors.Is(err, store.ErrFenced):
			return err
		case err != nil:
			l.o.Log.Warn("batch failed", "lane", l.o.No, "error", err)
			wait, retry = retry, min(2*retry, longestRetry)
		case advanced == 0:
			wait, retry = idlePoll, firstRetry
		default:
			retry = firstRetry
		}
		if wait > 0 {
			l.pause(ctx, wait, err == nil)
		}
	}
	return nil
}

// pause waits; an idle lane can be woken, one that backs off cannot.
func (l *Lane) pause(ctx context.Context, wait time.Duration, wakeable bool) {
	wake := l.wake
	if !wakeable {
		wake = nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}

// AdvanceOnce handles one batch: it claims what waits for the lane's machines, decides, and applies
// the decisions in one transaction. It returns 0 when nothing is left to do for now. After an error
// nothing was applied, or it is not known: the next call finds out.
func (l *Lane) AdvanceOnce(ctx context.Context) (int, error) {
	l.batch.Lock()
	defer l.batch.Unlock()
	if len(l.buckets) == 0 {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	l.setBusy(time.Now())
	defer l.setBusy(time.Time{})

	b, err := l.claim(ctx)
	if err != nil {
		return 0, err
	}
	decisions, rest, more := decideAll(b.works)
	rest = append(rest, b.rest...)
	l.comeAgain(decisions, rest)
	l.turns.took(decisions, len(rest) > 0 || b.full)
	applied, err := l.apply(ctx, decisions)
	if err != nil {
		return applied, err
	}
	stuck := b.full && len(decisions) == 0 && l.limit == claimMost
	l.limit = nextLimit(l.limit, b.full, len(decisions))
	if (more || len(rest) > 0 || b.full || b.past) && !stuck {
		applied++
	}
	return applied, nil
}

// nextLimit widens the claim when a full page led to nothing (all its events wait for something
// that lies behind it), so that the lane cannot stand still before a page.
func nextLimit(limit int, full bool, decisions int) int {
	if full && decisions == 0 {
		return min(2*limit, claimMost)
	}
	return claimLimit
}

// decideAll decides machine by machine until the batch has had its share of time. It returns what it did
// not come to, and whether one of the decided machines can go on at once.
func decideAll(works []*work) (decisions []decision, rest []*work, more bool) {
	decisions = make([]decision, 0, len(works))
	begin := time.Now()
	spent := func() bool { return time.Since(begin) > decideShare }
	for i, w := range works {
		if i > 0 && spent() {
			return decisions, works[i:], more
		}
		w.enough = func(n int) bool { return n >= machineShare || spent() }
		start := time.Now()
		d := decideOrSuspend(w)
		d.shared = d.more && (len(d.history) >= machineShare || time.Since(start) > decideShare/2)
		more = more || d.more
		if !d.empty() {
			decisions = append(decisions, d)
		}
	}
	return decisions, nil, more
}

func decideOrSuspend(w *work) decision {
	if w.broken != nil && w.status != statusSuspended {
		return suspend(w, failureReason(w.broken))
	}
	return decide(w)
}
