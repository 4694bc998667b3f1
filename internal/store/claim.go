package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/clock"
)

// InboxRow is an event that waits.
type InboxRow struct {
	EventRef
	EventTime time.Time
	No        int  // ordinal within the accepting transaction
	Seen      bool // history has its final entry already: it is only to be taken out
	Event     []byte
}

// Page is what a claim found.
type Page struct {
	Events []InboxRow // in the order of (event time, no)
	More   bool       // the limit cut it off
	Clock  clock.Sample
	Now    time.Time // the database's clock, read before the inbox: every event acknowledged before it is in Events, unless More
}

// clockSQL reads the clock.
const clockSQL = `SELECT clock_timestamp()`

// claimSQL reads the oldest waiting events of the buckets. Each bucket is read for itself, in the order
// of the index and no further than the limit; only what comes of that is sorted.
const claimSQL = `
SELECT w.bucket, w.namespace, w.machine_id, w.event_id, w.event_time, w.no, w.event, h.event_id IS NOT NULL AS seen
FROM (
    SELECT i.*
    FROM unnest(@buckets::smallint[]) AS b (bucket)
    CROSS JOIN LATERAL (
        SELECT i.bucket, i.namespace, i.machine_id, i.event_id, i.event_time, i.no, i.event
        FROM detent.inbox i
        WHERE i.bucket = b.bucket AND NOT i.parked
        ORDER BY i.event_time, i.no
        LIMIT @limit
    ) i
    ORDER BY i.event_time, i.no, i.machine_id
    LIMIT @limit
) w
LEFT JOIN detent.history_entry h
    ON h.bucket = w.bucket AND h.namespace = w.namespace AND h.machine_id = w.machine_id AND h.event_id = w.event_id
ORDER BY w.event_time, w.no, w.machine_id, w.event_id`

// Claim reads the waiting events of the buckets, not the parked ones, oldest first. It changes nothing.
func (db *DB) Claim(ctx context.Context, buckets []int16, limit int) (Page, error) {
	page, err := db.claim(ctx, claimSQL, pgx.StrictNamedArgs{"buckets": buckets, "limit": limit + 1})
	if len(page.Events) > limit {
		page.Events, page.More = page.Events[:limit], true
	}
	return page, err
}

// claimMachinesSQL reads the beginning of some machines' inboxes, each by the prefix of the primary key.
// The cast keeps the planner from the index of all that waits in a bucket.
const claimMachinesSQL = `
SELECT w.bucket, w.namespace, w.machine_id, w.event_id, w.event_time, w.no, w.event, h.event_id IS NOT NULL AS seen
FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[]) AS u (bucket, namespace, machine_id)
CROSS JOIN LATERAL (
    SELECT i.*
    FROM detent.inbox i
    WHERE i.bucket = u.bucket AND i.namespace = u.namespace AND i.machine_id = u.machine_id AND i.parked::integer = 0
    ORDER BY i.event_time, i.no
    LIMIT @limit
) w
LEFT JOIN detent.history_entry h
    ON h.bucket = w.bucket AND h.namespace = w.namespace AND h.machine_id = w.machine_id AND h.event_id = w.event_id
ORDER BY w.event_time, w.no, w.machine_id, w.event_id`

// ClaimMachines reads the waiting events of these machines, not the parked ones, oldest first, at most
// limit of each. It changes nothing. Page.More is false: a machine with limit events may have more.
func (db *DB) ClaimMachines(ctx context.Context, keys []Key, limit int) (Page, error) {
	columns := columnsOf(keys)
	return db.claim(ctx, claimMachinesSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines, "limit": limit,
	})
}

// claim reads the clock and then, in a statement of its own, the events: whatever was acknowledged
// before that reading is visible to a statement that begins after it.
func (db *DB) claim(ctx context.Context, sql string, args pgx.StrictNamedArgs) (Page, error) {
	const op = "claim"
	ctx, cancel := bounded(ctx)
	defer cancel()
	batch := &pgx.Batch{}
	batch.Queue(clockSQL)
	batch.Queue(sql, args)
	page := Page{Clock: clock.Sample{Sent: time.Now()}}
	results := db.pool.SendBatch(ctx, batch)
	defer results.Close()
	if err := results.QueryRow().Scan(&page.Now); err != nil {
		return Page{}, readFault(op, err)
	}
	page.Clock.Database, page.Clock.Received = page.Now, time.Now()
	rows, err := results.Query()
	if err != nil {
		return Page{}, readFault(op, err)
	}
	page.Events, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (InboxRow, error) {
		var bucket int16
		var r InboxRow
		err := row.Scan(&bucket, &r.Key.Namespace, &r.Key.Machine, &r.EventID, &r.EventTime, &r.No, &r.Event, &r.Seen)
		return r, err
	})
	return page, readFault(op, err)
}
