package engine

import (
	"time"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/store"
)

// The statuses of a machine as the store keeps them. The core knows active, done, error and stopped;
// starting and suspended are the shell's.
const (
	statusStarting  = "starting"
	statusActive    = "active"
	statusDone      = "done"
	statusError     = "error"
	statusStopped   = "stopped"
	statusSuspended = "suspended"
)

func statusOf(s machine.Status) string {
	switch s {
	case machine.Done:
		return statusDone
	case machine.Failed:
		return statusError
	case machine.Stopped:
		return statusStopped
	default:
		return statusActive
	}
}

// held is a machine as its owner knows it between two batches.
type held struct {
	key      store.Key
	def      *machine.Definition
	self     *machine.Identity
	seq      int64            // of the last entry of history, 0 before the first
	status   string           // as the store keeps it
	snapshot machine.Snapshot // the zero Snapshot until the machine has started
	deferred bool             // parked events wait for another configuration
	bytes    int              // of the snapshot as written, for the cache's bound
}

// started reports whether the machine has had its first macrostep.
func (h *held) started() bool { return h.snapshot.Seq > 0 }

// work is one machine's share of a batch: how it stands, and what waits for it.
type work struct {
	held
	events  []store.InboxRow // in the order of (event time, no)
	broken  error            // why the machine cannot be read, nil when it can
	raw     []byte           // the snapshot as it is, of a machine that cannot be read
	omitted bool             // its snapshot has not been read
	due     bool             // its timers are due: it was read for itself

	// horizon is the instant up to which the lane has seen every event that was acknowledged before
	// it. No timer beyond it may be decided: an earlier event might still turn up.
	horizon machine.Time
	// processing is the database's clock as the lane read it.
	processing machine.Time
	// enough reports whether the machine has had its share after n macrosteps.
	enough func(n int) bool
}

func timeOf(t time.Time) machine.Time { return machine.Time(t.UnixMicro()) }

func toTime(t machine.Time) time.Time { return time.UnixMicro(int64(t)).UTC() }
