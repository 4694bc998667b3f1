package scheduler

import (
	"context"
	"log/slog"
	"time"
)

// What the watch calls overdue, and how often it looks.
const (
	overdueBy  = 5 * time.Second
	watchEvery = 5 * time.Second
)

type overdueStore interface {
	Overdue(ctx context.Context, by time.Duration) (timers, unownedBuckets int, err error)
}

// Watch looks over all buckets, held or not, for what nobody takes care of, and raises the alarm. It
// needs no lease and changes nothing.
type Watch struct {
	store  overdueStore
	log    *slog.Logger
	report func(overdueTimers, unownedBuckets int)
}

// NewWatch returns a watch. report, which may be nil, gets what each look found.
func NewWatch(s overdueStore, log *slog.Logger, report func(overdueTimers, unownedBuckets int)) *Watch {
	if report == nil {
		report = func(int, int) {}
	}
	return &Watch{store: s, log: log, report: report}
}

// Run looks until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := w.LookOnce(ctx); err != nil && ctx.Err() == nil {
				w.log.Warn("watch cannot look", "error", err)
			}
		}
	}
}

// LookOnce looks once.
func (w *Watch) LookOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	timers, unowned, err := w.store.Overdue(ctx, overdueBy)
	if err != nil {
		return err
	}
	w.report(timers, unowned)
	if timers > 0 {
		w.log.Error("timers are overdue", "timers", timers, "by", overdueBy)
	}
	if unowned > 0 {
		w.log.Warn("buckets without a worker", "buckets", unowned)
	}
	return nil
}
