// Package parts puts the parts of a Detent process together: what cmd/server and cmd/worker share.
package parts

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/engine"
	"github.com/detent-run/detent/internal/scheduler"
	"github.com/detent-run/detent/internal/settings"
	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/telemetry"
	"github.com/detent-run/detent/internal/worker"
)

// Settings reads a program's settings. It reports false when the arguments asked for its usage only,
// which it has written then.
func Settings(args, environ []string, stderr io.Writer, usage string) (settings.Settings, bool, error) {
	if len(args) == 0 {
		s, err := settings.Load(environ)
		return s, true, err
	}
	fmt.Fprintf(stderr, "%s\n\n%s", usage, settings.Usage())
	switch args[0] {
	case "-h", "-help", "--help":
		return settings.Settings{}, false, nil
	}
	return settings.Settings{}, false, fmt.Errorf("unknown argument %q: everything is set by environment variables", args[0])
}

// lanesPerCore is how many lanes a worker runs for each core, unless it is told.
const lanesPerCore = 2

// Lanes returns the number of lanes that a setting means: 0 is by the number of cores.
func Lanes(setting int) int {
	if setting > 0 {
		return setting
	}
	return lanesPerCore * runtime.GOMAXPROCS(0)
}

// Worker returns a worker with the scheduler of its buckets. applied, which may be nil, is called
// after every commit of a lane.
func Worker(db *store.DB, url string, lanes int, defs *engine.Definitions, metrics *telemetry.Metrics, log *slog.Logger, applied func()) *worker.Worker {
	if applied == nil {
		applied = func() {}
	}
	return worker.New(db, worker.Options{
		URL:   url,
		Lanes: Lanes(lanes),
		Defs:  defs,
		Log:   log,
		NewScheduler: func(db *store.DB, c *clock.Clock, deliver func([]store.Key)) worker.Scheduler {
			return scheduler.New(db, c, deliver, log)
		},
		Applied: func(c *store.Commit, took time.Duration) {
			observe(metrics, c, took)
			applied()
		},
		Held:   metrics.LeasesHeld,
		Fenced: metrics.Fenced,
	})
}

// observe counts what a commit did.
func observe(m *telemetry.Metrics, c *store.Commit, took time.Duration) {
	m.Committed(took)
	for i := range c.History {
		h := &c.History[i]
		m.Macrostep(h.Outcome)
		if h.IsTimer {
			m.TimerFired(h.Definition, time.Duration(h.LatenessMs*float64(time.Millisecond)))
		} else {
			m.EventHandled(h.Definition, h.ProcessedAt.Sub(h.EventTime))
		}
	}
}

// Migrate brings the database up to date, waiting a while for one that is only just starting.
func Migrate(ctx context.Context, url string, log *slog.Logger) error {
	const patience, every = 30 * time.Second, time.Second
	deadline := time.Now().Add(patience)
	for {
		err := store.Migrate(ctx, url)
		if err == nil || !store.Unreachable(err) || time.Now().After(deadline) {
			return err
		}
		log.Warn("the database does not answer yet", "error", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(every):
		}
	}
}
