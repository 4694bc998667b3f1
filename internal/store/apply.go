package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/clock"
)

// fenceSQL proves that the lease still stands, and keeps it standing until the transaction ends.
const fenceSQL = `SELECT detent.fence(@owner, @lane)`

// assertDueSQL is never early, and reads the clock.
const assertDueSQL = `SELECT detent.assert_due(@deadline::timestamptz)`

// Apply commits a batch in one transaction. Its errors are ErrFenced, *LateEventsError, ErrDuplicate,
// ErrRetry and ErrUnknown; any other means that the batch itself is bad.
//
// The statements are sent at once, in an order that matters:
//
//  1. The fence, and that no deadline fires early.
//  2. What the batch consumes or defers leaves the waiting rows.
//  3. The commit check, a statement of its own: its snapshot is taken after the clock was looked at, so
//     it sees every event that was acknowledged before the latest deadline that fires here. It comes
//     before a suspended machine's events are parked, lest one that came in late be parked unseen.
//  4. Everything else. Rows go in sorted by their key, so that two transactions never wait in a ring.
func (db *DB) Apply(ctx context.Context, c *Commit) (clock.Sample, error) {
	const op = "apply"
	ctx, cancel := bounded(ctx)
	defer cancel()
	b := &applyBatch{}
	b.Queue(fenceSQL, pgx.StrictNamedArgs{"owner": c.Owner, "lane": c.Lane})
	b.Queue(assertDueSQL, pgx.StrictNamedArgs{"deadline": nullTime(c.LastDeadline)})
	b.consume(c.Consumed)
	b.deferEvents(c.Deferred)
	b.check(c.Checks)
	b.park(c.Parked)
	b.unpark(c.Unparked)
	b.deleteTimers(c.TimersDeleted)
	b.addTimers(c.TimersAdded)
	b.addMessages(c.Messages)
	b.addSnapshots(c.Snapshots)
	b.deletePredecessors(c.Snapshots)
	b.addHistory(c.History)
	b.addDeadLetters(c.DeadLetters)

	conn, err := db.acquire(ctx, op)
	if err != nil {
		return clock.Sample{}, err
	}
	defer conn.Release()
	sample := clock.Sample{Sent: time.Now()}
	results := conn.SendBatch(ctx, &b.Batch)
	err = func() error {
		if _, err := results.Exec(); err != nil {
			return err
		}
		return results.QueryRow().Scan(&sample.Database)
	}()
	sample.Received = time.Now()
	// Close reads the remaining answers, the last of which is that of the commit.
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return clock.Sample{}, writeFault(op, err)
	}
	return sample, nil
}

// applyBatch is the statements of an Apply. Its methods queue nothing for an empty list.
type applyBatch struct{ pgx.Batch }

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
