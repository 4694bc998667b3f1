package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// lostSQL finds acknowledged events that history does not have exactly once.
const lostSQL = `
SELECT count(*) FROM (
    SELECT a.machine_id, a.event_id
    FROM acked a
    LEFT JOIN detent.history_entry h ON h.machine_id = a.machine_id AND h.event_id = a.event_id
    GROUP BY a.machine_id, a.event_id
    HAVING count(h.event_id) <> 1
) lost`

// appliedSQL is how long it took from acceptance to commit.
const appliedSQL = `
SELECT coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), 0), coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY ms), 0)
FROM (
    SELECT extract(epoch FROM pg_xact_commit_timestamp(h.xmin) - h.event_time)::float8 * 1000 AS ms
    FROM acked a JOIN detent.history_entry h ON h.machine_id = a.machine_id AND h.event_id = a.event_id
) applied`

// checkLoad looks for every acknowledged event of a load, and how long it took.
func (h *host) checkLoad(ctx context.Context, s *sent, r *row) error {
	if _, err := h.sql.Exec(ctx, `CREATE TEMPORARY TABLE acked (machine_id text COLLATE "C", event_id text COLLATE "C")`); err != nil {
		return err
	}
	i := -1
	_, err := h.sql.CopyFrom(ctx, pgx.Identifier{"acked"}, []string{"machine_id", "event_id"}, pgx.CopyFromFunc(func() ([]any, error) {
		if i++; i == len(s.acks) {
			return nil, nil
		}
		a := s.acks[i]
		return []any{machineID(a.machine), "c:" + s.load.eventID(a.connection, a.no)}, nil
	}))
	if err != nil {
		return err
	}
	if _, err := h.sql.Exec(ctx, `ANALYZE acked`); err != nil {
		return err
	}
	if err := h.sql.QueryRow(ctx, lostSQL).Scan(&r.Lost); err != nil {
		return err
	}
	if err := h.sql.QueryRow(ctx, appliedSQL).Scan(&r.AppliedP50, &r.AppliedP99); err != nil {
		return err
	}
	_, err = h.sql.Exec(ctx, `DROP TABLE acked`)
	return err
}

// checks are questions whose right answer is 0.
var checks = []struct{ what, sql string }{
	{"events in the inbox", `SELECT count(*) FROM detent.inbox`},
	{"dead letters", `SELECT count(*) FROM detent.dead_letter`},
	{"machines whose history has a gap", `
SELECT count(*) FROM (
    SELECT FROM detent.history_entry
    GROUP BY namespace, machine_id
    HAVING min(seq) <> 1 OR max(seq) <> count(*) OR count(DISTINCT seq) <> count(*)
) gaps`},
	{"machines whose snapshot is not of their last entry", `
SELECT count(*) FROM (
    SELECT namespace, machine_id, max(seq) AS seq FROM detent.history_entry GROUP BY namespace, machine_id
) h
FULL JOIN detent.snapshot s USING (namespace, machine_id, seq)
WHERE h.seq IS NULL OR s.seq IS NULL`},
	{"machines whose counter is not the number of their events", `
SELECT count(*) FROM (
    SELECT machine_id AS id, count(*) FILTER (WHERE event_id LIKE 'c:%' AND outcome = 'applied') AS n
    FROM detent.history_entry GROUP BY machine_id
) h
JOIN detent.machines m USING (id)
WHERE m.definition = 'counter' AND (m.context->>'n')::bigint IS DISTINCT FROM h.n`},
	{"timers that fired early", `
SELECT count(*) FROM detent.history_entry
WHERE lateness_ms < 0 OR lateness_ms IS NOT NULL AND pg_xact_commit_timestamp(xmin) < event_time`},
	{"timers that are overdue by a second", `SELECT count(*) FROM detent.timer WHERE deadline < now() - interval '1 s'`},
}

// checkMachines asks all of these.
func (h *host) checkMachines(ctx context.Context, r *report) error {
	for _, c := range checks {
		var n int
		if err := h.sql.QueryRow(ctx, c.sql).Scan(&n); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
		r.checks = append(r.checks, checked{c.what, n})
	}
	return nil
}
