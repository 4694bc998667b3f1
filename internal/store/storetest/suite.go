// Package storetest is one suite for every implementation of the store.
//
// [Run] takes what opens an empty store and runs each test on one of its own, through the methods that
// the runtime uses and nothing else: whatever passes behaves alike for an API, a lane, a worker and a
// scheduler. What only Postgres has (plans, locks that are waited for, sessions that are cut, migrations)
// is tested in package store.
//
// The tests say nothing about how long something takes. Times are the store's own: events are stamped
// by its clock, and a timer that is to fire gets a deadline that its clock has passed.
//
// Only tests import this package.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/store"
)

// Store is everything that the runtime asks of a store, in the groups in which it asks.
type Store interface {
	Definitions
	Door
	Reads
	Work
	Timers
	Owners
	Leases
}

// Definitions is what registration needs.
type Definitions interface {
	RegisterDefinition(ctx context.Context, d store.Definition) (stored store.Definition, created bool, err error)
	Definition(ctx context.Context, namespace, name string, version int) (store.Definition, error)
	DefinitionVersions(ctx context.Context, namespace, name string, below, limit int) ([]store.Definition, error)
	Definitions(ctx context.Context, namespace, after string, limit int) ([]store.Definition, error)
}

// Door is how events come in.
type Door interface {
	CreateMachine(ctx context.Context, m store.NewMachine) (created bool, err error)
	Accept(ctx context.Context, events []store.Incoming) ([]store.Acceptance, error)
}

// Reads is what people see.
type Reads interface {
	FindMachine(ctx context.Context, key store.Key) (store.Machine, error)
	ListMachines(ctx context.Context, f store.MachineFilter) ([]store.Machine, error)
	History(ctx context.Context, key store.Key, afterSeq int64, limit int) ([]store.HistoryEntry, error)
	Outcomes(ctx context.Context, refs []store.EventRef) ([]store.HistoryEntry, error)
}

// Work is what a lane does.
type Work interface {
	Claim(ctx context.Context, buckets []int16, limit int, except ...store.Key) (store.Page, error)
	ClaimMachines(ctx context.Context, keys []store.Key, limit int) (store.Page, error)
	LoadMachines(ctx context.Context, keys []store.Key) ([]store.Machine, error)
	Apply(ctx context.Context, c *store.Commit) (clock.Sample, error)
}

// Timers is what a scheduler looks at.
type Timers interface {
	DueTimers(ctx context.Context, buckets []int16, until time.Time, limit int) (rows []store.TimerRow, more bool, at clock.Sample, err error)
	Overdue(ctx context.Context, by time.Duration) (timers, unownedBuckets int, err error)
}

// Owners is how worker processes come and go.
type Owners interface {
	Join(ctx context.Context, o store.OwnerInfo) (id int64, err error)
	Beat(ctx context.Context, id int64) (store.Leases, error)
	TakeOver(ctx context.Context, dead store.Peer) (bool, error)
	Leave(ctx context.Context, id int64) error
}

// Leases is how they share the buckets.
type Leases interface {
	Lease(ctx context.Context, id int64, n int) ([]int16, error)
	Release(ctx context.Context, id int64, buckets []int16) error
}

var _ Store = (*store.DB)(nil)

type test struct {
	name string
	run  func(b *bench)
}

// Run runs the suite. open returns a store in which nothing is yet, and closes it when its test is over.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for _, group := range [][]test{definitionTests, doorTests, claimTests, readTests, commitTests, guardTests, parkTests, timerTests, ownerTests} {
		for _, one := range group {
			t.Run(one.name, func(t *testing.T) {
				t.Parallel()
				newBench(t, open(t)).run(one)
			})
		}
	}
}
