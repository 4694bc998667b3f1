package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/clock"
)

// TimerRow is a deadline to come.
type TimerRow struct {
	Key      Key
	Deadline time.Time
	No       int64
	EventID  string // t:<seq>.<no>
	Type     string // of its event
}

// dueTimersSQL bounds the index scan by a parameter: clock_timestamp() in its place would change from
// row to row, and the scan would walk over everything that is pending.
const dueTimersSQL = `
SELECT t.namespace, t.machine_id, t.deadline, t.no, t.event_id, t.event_type
FROM unnest(@buckets::smallint[]) AS b (bucket)
CROSS JOIN LATERAL (
    SELECT * FROM detent.timer t
    WHERE t.bucket = b.bucket AND t.deadline <= @until
    ORDER BY t.deadline
    LIMIT @limit
) t
ORDER BY t.deadline
LIMIT @limit`

// DueTimers returns the timers of the buckets with a deadline up to the given one, earliest first, and
// a reading of the clock. more reports that the limit cut it off. Without buckets it only reads the clock.
func (db *DB) DueTimers(ctx context.Context, buckets []int16, until time.Time, limit int) (rows []TimerRow, more bool, at clock.Sample, err error) {
	const op = "due timers"
	ctx, cancel := bounded(ctx)
	defer cancel()
	batch := &pgx.Batch{}
	batch.Queue(clockSQL)
	if len(buckets) > 0 {
		batch.Queue(dueTimersSQL, pgx.StrictNamedArgs{"buckets": buckets, "until": until, "limit": limit + 1})
	}
	at.Sent = time.Now()
	results := db.pool.SendBatch(ctx, batch)
	defer results.Close()
	if err := results.QueryRow().Scan(&at.Database); err != nil {
		return nil, false, clock.Sample{}, readFault(op, err)
	}
	at.Received = time.Now()
	if len(buckets) == 0 {
		return nil, false, at, nil
	}
	found, err := results.Query()
	if err != nil {
		return nil, false, clock.Sample{}, readFault(op, err)
	}
	rows, err = pgx.CollectRows(found, scanTimer)
	if err != nil {
		return nil, false, clock.Sample{}, readFault(op, err)
	}
	if len(rows) > limit {
		return rows[:limit], true, at, nil
	}
	return rows, false, at, nil
}

func scanTimer(row pgx.CollectableRow) (TimerRow, error) {
	var t TimerRow
	err := row.Scan(&t.Key.Namespace, &t.Key.Machine, &t.Deadline, &t.No, &t.EventID, &t.Type)
	return t, err
}

const overdueSQL = `
SELECT
    (SELECT count(*) FROM (
        SELECT FROM unnest(@buckets::smallint[]) AS b (bucket)
        CROSS JOIN LATERAL (
            SELECT FROM detent.timer t WHERE t.bucket = b.bucket AND t.deadline <= now() - @by::interval LIMIT @most
        ) t
        LIMIT @most
    ) overdue),
    (SELECT count(*) FROM detent.bucket WHERE owner_id IS NULL)`

// overdueMost is where Overdue stops counting.
const overdueMost = 10_000

// Overdue counts the timers of all buckets whose deadline passed longer ago than by, up to a bound, and
// the buckets that nobody holds.
func (db *DB) Overdue(ctx context.Context, by time.Duration) (timers, unownedBuckets int, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	buckets := make([]int16, Buckets)
	for i := range buckets {
		buckets[i] = int16(i)
	}
	err = db.pool.QueryRow(ctx, overdueSQL, pgx.StrictNamedArgs{"buckets": buckets, "by": by, "most": overdueMost}).
		Scan(&timers, &unownedBuckets)
	return timers, unownedBuckets, readFault("overdue", err)
}
