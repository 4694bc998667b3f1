package store

import (
	"cmp"
	"time"

	"github.com/jackc/pgx/v5"
)

// deleteTimersSQL finds each row by its whole key: whoever removes a timer knows its deadline from the
// machine's snapshot.
const deleteTimersSQL = `
WITH gone AS (
    DELETE FROM detent.timer t
    USING unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @deadlines::timestamptz[], @nos::bigint[])
        AS u (bucket, namespace, machine_id, deadline, no)
    WHERE t.bucket = u.bucket AND t.deadline = u.deadline AND t.namespace = u.namespace AND t.machine_id = u.machine_id AND t.no = u.no
    RETURNING 1
)
SELECT detent.assert_count('timer', @count, count(*)) FROM gone`

// deleteTimers takes out what fired or was cancelled. Nobody else removes a timer, so each must be there.
func (b *applyBatch) deleteTimers(rows []TimerRow) {
	if len(rows) == 0 {
		return
	}
	args := timerArgs(rows)
	args["count"] = len(rows)
	b.Queue(deleteTimersSQL, args)
}

const addTimersSQL = `
INSERT INTO detent.timer (bucket, namespace, machine_id, deadline, no, event_id, event_type)
SELECT * FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @deadlines::timestamptz[], @nos::bigint[], @event_ids::text[], @event_types::text[])`

func (b *applyBatch) addTimers(rows []TimerRow) {
	if len(rows) == 0 {
		return
	}
	rows = byBucket(rows, func(r *TimerRow) Key { return r.Key }, compareTimers)
	args := timerArgs(rows)
	args["event_ids"] = column(rows, func(r *TimerRow) string { return r.EventID })
	args["event_types"] = column(rows, func(r *TimerRow) string { return r.Type })
	b.Queue(addTimersSQL, args)
}

func timerArgs(rows []TimerRow) pgx.StrictNamedArgs {
	columns := newKeyColumns(len(rows))
	for _, r := range rows {
		columns.add(r.Key)
	}
	return pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"deadlines": column(rows, func(r *TimerRow) time.Time { return r.Deadline }),
		"nos":       column(rows, func(r *TimerRow) int64 { return r.No }),
	}
}

// compareTimers is the order of timers within a bucket.
func compareTimers(a, b *TimerRow) int {
	return cmp.Or(a.Deadline.Compare(b.Deadline), compareNames(a.Key, b.Key), cmp.Compare(a.No, b.No))
}
