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

// How large the events of a page may be together, and those of one machine that is read for itself. As
// many events can be kilobytes or a gigabyte, and a lane handles only so many of them in a batch.
const (
	claimBytes   = 8 << 20
	machineBytes = 128 << 10
)

// Page is what a claim found.
type Page struct {
	Events []InboxRow   // in the order of (event time, no)
	More   bool         // the limit, or their size, cut it off
	Cut    map[Key]bool // of ClaimMachines: more waits for these than was read
	Clock  clock.Sample
	Now    time.Time // the database's clock, read before the inbox: every event acknowledged before it is in Events, unless More
}

// clockSQL reads the clock.
const clockSQL = `SELECT clock_timestamp()`

// claimSQL reads the oldest waiting events of the buckets. Each bucket is read for itself, in the order
// of the index and no further than the limit; only what comes of that is sorted. How large an event is
// can be told without reading it, so what does not fit is not read. The first one always is.
var (
	claimSQL     = claimWhere("NOT i.parked")
	claimPastSQL = claimWhere(`NOT i.parked AND (i.namespace, i.machine_id) NOT IN (
                SELECT e.namespace, e.machine_id FROM unnest(@namespaces::text[], @machines::text[]) AS e (namespace, machine_id)
            )`)
)

func claimWhere(condition string) string {
	return `
SELECT w.bucket, w.namespace, w.machine_id, w.event_id, w.event_time, w.no, w.event, h.event_id IS NOT NULL AS seen, w.found
FROM (
    SELECT i.*, count(*) OVER () AS found, sum(i.size) OVER (ORDER BY i.event_time, i.no, i.machine_id, i.event_id) - i.size AS before
    FROM (
        SELECT i.*
        FROM unnest(@buckets::smallint[]) AS b (bucket)
        CROSS JOIN LATERAL (
            SELECT i.bucket, i.namespace, i.machine_id, i.event_id, i.event_time, i.no, i.event, octet_length(i.event) AS size
            FROM detent.inbox i
            WHERE i.bucket = b.bucket AND ` + condition + `
            ORDER BY i.event_time, i.no
            LIMIT @limit
        ) i
        ORDER BY i.event_time, i.no, i.machine_id, i.event_id
        LIMIT @limit
    ) i
) w
LEFT JOIN detent.history_entry h
    ON h.bucket = w.bucket AND h.namespace = w.namespace AND h.machine_id = w.machine_id AND h.event_id = w.event_id
WHERE w.before < @bytes
ORDER BY w.event_time, w.no, w.machine_id, w.event_id`
}

// Claim reads the waiting events of the buckets, not the parked ones, oldest first, and no more of them
// than a batch can hold. It passes over those of the excepted machines, and changes nothing.
func (db *DB) Claim(ctx context.Context, buckets []int16, limit int, except ...Key) (Page, error) {
	sql, args := claimSQL, pgx.StrictNamedArgs{"buckets": buckets, "limit": limit + 1, "bytes": claimBytes}
	if len(except) > 0 {
		columns := columnsOf(except)
		sql, args["namespaces"], args["machines"] = claimPastSQL, columns.namespaces, columns.machines
	}
	rows, page, err := db.claim(ctx, sql, args)
	if err != nil {
		return Page{}, err
	}
	for _, r := range rows[:min(limit, len(rows))] {
		page.Events = append(page.Events, r.InboxRow)
	}
	page.More = len(rows) > 0 && rows[0].found > len(page.Events)
	return page, nil
}

// claimMachinesSQL reads the beginning of some machines' inboxes, each by the prefix of the primary key.
// The cast keeps the planner from the index of all that waits in a bucket.
const claimMachinesSQL = `
SELECT w.bucket, w.namespace, w.machine_id, w.event_id, w.event_time, w.no, w.event, h.event_id IS NOT NULL AS seen, w.found
FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[]) AS u (bucket, namespace, machine_id)
CROSS JOIN LATERAL (
    SELECT i.*, count(*) OVER () AS found, sum(i.size) OVER (ORDER BY i.event_time, i.no, i.event_id) - i.size AS before
    FROM (
        SELECT i.*, octet_length(i.event) AS size
        FROM detent.inbox i
        WHERE i.bucket = u.bucket AND i.namespace = u.namespace AND i.machine_id = u.machine_id AND i.parked::integer = 0
        ORDER BY i.event_time, i.no, i.event_id
        LIMIT @limit
    ) i
) w
LEFT JOIN detent.history_entry h
    ON h.bucket = w.bucket AND h.namespace = w.namespace AND h.machine_id = w.machine_id AND h.event_id = w.event_id
WHERE w.before < @bytes
ORDER BY w.event_time, w.no, w.machine_id, w.event_id`

// ClaimMachines reads the waiting events of these machines, not the parked ones, oldest first, at most
// limit of each, and of large ones fewer. It changes nothing. What is left is told by Page.Cut, not by More.
func (db *DB) ClaimMachines(ctx context.Context, keys []Key, limit int) (Page, error) {
	columns := columnsOf(keys)
	rows, page, err := db.claim(ctx, claimMachinesSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"limit": limit + 1, "bytes": machineBytes,
	})
	if err != nil {
		return Page{}, err
	}
	page.Cut = map[Key]bool{}
	read := map[Key]int{}
	for _, r := range rows {
		if read[r.Key] < limit {
			read[r.Key]++
			page.Events = append(page.Events, r.InboxRow)
		}
		page.Cut[r.Key] = r.found > read[r.Key]
	}
	return page, nil
}

// claimedRow is an event and how many the same claim found, those that did not fit included.
type claimedRow struct {
	InboxRow
	found int
}

// claim reads the clock and then, in a statement of its own, the events: whatever was acknowledged
// before that reading is visible to a statement that begins after it.
func (db *DB) claim(ctx context.Context, sql string, args pgx.StrictNamedArgs) ([]claimedRow, Page, error) {
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
		return nil, Page{}, readFault(op, err)
	}
	page.Clock.Database, page.Clock.Received = page.Now, time.Now()
	found, err := results.Query()
	if err != nil {
		return nil, Page{}, readFault(op, err)
	}
	rows, err := pgx.CollectRows(found, func(row pgx.CollectableRow) (claimedRow, error) {
		var bucket int16
		var r claimedRow
		err := row.Scan(&bucket, &r.Key.Namespace, &r.Key.Machine, &r.EventID, &r.EventTime, &r.No, &r.Event, &r.Seen, &r.found)
		return r, err
	})
	return rows, page, readFault(op, err)
}
