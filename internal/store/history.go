package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// HistoryEntry is one macrostep or decision.
type HistoryEntry struct {
	Key               Key
	Seq               int64
	EventID           string    // "" (NULL) unless this decision finally consumed the event
	Outcome           string    // applied, ignored, deferred, dead, suspended, operator
	Event             []byte    // nil when no event was concerned
	EventTime         time.Time // as recorded at acceptance, or the deadline
	EffectiveTime     time.Time
	ProcessedAt       time.Time // the database's clock as read by the lane: what Step saw as processing time
	LatenessMs        float64   // processing time - deadline; only of timers
	IsTimer           bool      // lateness_ms is NULL otherwise
	Definition        string    // its name, for metrics: the table has it by the machine
	DefinitionVersion int
	From, To          []byte // state values; nil (NULL) before the first macrostep
	Actions           []byte // JSON array
	Effects           []byte // JSON array
	Changes           []byte // JSON object: the context keys that changed, with their new values
	Reason            []byte // JSON object, nil when there is none: why dead, suspended, deferred
	Owner             int64
	Lane              int
}

const historyColumns = `
    h.namespace, h.machine_id, h.seq, coalesce(h.event_id, ''), h.outcome, h.event, h.event_time, h.effective_time,
    h.processed_at, h.lateness_ms, h.definition_version, h.from_value, h.to_value, h.actions, h.effects, h.changes,
    h.reason, h.owner_id, h.lane`

// historySQL reads by the prefix of the one index and sorts. How large an entry is can be told without
// reading it.
const historySQL = `
SELECT` + historyColumns + `
FROM (
    SELECT p.*, sum(p.size) OVER (ORDER BY p.seq) - p.size AS before
    FROM (
        SELECT
            e.*,
            coalesce(octet_length(e.event), 0) + coalesce(octet_length(e.changes), 0)
                + coalesce(octet_length(e.actions), 0) + coalesce(octet_length(e.effects), 0) AS size
        FROM detent.history_entry e
        WHERE e.bucket = @bucket AND e.namespace = @namespace AND e.machine_id = @machine_id AND e.seq > @after
        ORDER BY e.seq
        LIMIT @limit
    ) p
) h
WHERE h.before < @bytes
ORDER BY h.seq`

// Size is what the entry counts for in a page.
func (e *HistoryEntry) Size() int {
	return len(e.Event) + len(e.Changes) + len(e.Actions) + len(e.Effects)
}

// History returns entries after a seq, in order, at least one if there is any: when they are larger than
// PageBytes, fewer than the limit.
func (db *DB) History(ctx context.Context, key Key, afterSeq int64, limit int) ([]HistoryEntry, error) {
	return db.entries(ctx, "history", historySQL, pgx.StrictNamedArgs{
		"bucket": key.Bucket(), "namespace": key.Namespace, "machine_id": key.Machine, "after": afterSeq, "limit": limit,
		"bytes": PageBytes,
	})
}

const outcomesSQL = `
SELECT` + historyColumns + `
FROM detent.history_entry h
JOIN unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @event_ids::text[])
    AS u (bucket, namespace, machine_id, event_id)
    ON h.bucket = u.bucket AND h.namespace = u.namespace AND h.machine_id = u.machine_id AND h.event_id = u.event_id`

// Outcomes returns the final entries of those of the events that have one.
func (db *DB) Outcomes(ctx context.Context, refs []EventRef) ([]HistoryEntry, error) {
	columns, ids := columnsOfRefs(refs)
	return db.entries(ctx, "outcomes", outcomesSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines, "event_ids": ids,
	})
}

func (db *DB) entries(ctx context.Context, op, sql string, args pgx.StrictNamedArgs) ([]HistoryEntry, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	rows, err := db.pool.Query(ctx, sql, args)
	if err != nil {
		return nil, readFault(op, err)
	}
	all, err := pgx.CollectRows(rows, scanEntry)
	return all, readFault(op, err)
}

func scanEntry(row pgx.CollectableRow) (HistoryEntry, error) {
	var e HistoryEntry
	var lateness *float64
	err := row.Scan(&e.Key.Namespace, &e.Key.Machine, &e.Seq, &e.EventID, &e.Outcome, &e.Event, &e.EventTime, &e.EffectiveTime,
		&e.ProcessedAt, &lateness, &e.DefinitionVersion, &e.From, &e.To, &e.Actions, &e.Effects, &e.Changes,
		&e.Reason, &e.Owner, &e.Lane)
	if lateness != nil {
		e.IsTimer, e.LatenessMs = true, *lateness
	}
	return e, err
}

func columnsOfRefs(refs []EventRef) (keyColumns, []string) {
	c := newKeyColumns(len(refs))
	ids := make([]string, 0, len(refs))
	for _, r := range refs {
		c.add(r.Key)
		ids = append(ids, r.EventID)
	}
	return c, ids
}
