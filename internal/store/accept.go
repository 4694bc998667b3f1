package store

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Incoming is an event to accept.
type Incoming struct {
	EventRef
	Event []byte // the event object as canonical JSON
}

// Acceptance is what became of an incoming event.
type Acceptance struct {
	Outcome    AcceptOutcome
	AcceptedAt time.Time // its event time; of a duplicate, that of the first
}

// AcceptOutcome tells acceptances apart.
type AcceptOutcome uint8

// What can become of an incoming event.
const (
	Accepted  AcceptOutcome = iota
	Duplicate               // the same id with the same event, waiting or handled
	Conflict                // the same id with another event
	NoMachine
)

// Accept puts events into the inbox, in one transaction, stamped with the database's clock.
//
// All events of a call have one time, and are ordered by their place in it. A call may hold an id more
// than once, and other calls may bring the same one at the same time: whoever comes second inserts
// nothing and looks again, in a new statement, which then sees the first.
func (db *DB) Accept(ctx context.Context, events []Incoming) ([]Acceptance, error) {
	const op = "accept"
	ctx, cancel := bounded(ctx)
	defer cancel()
	answers := make([]Acceptance, len(events))
	open := make([]int, 0, len(events))
	for i, e := range events {
		if !storable(e.Key.Namespace) || !storable(e.Key.Machine) {
			answers[i].Outcome = NoMachine // no machine can have such an id
			continue
		}
		open = append(open, i)
	}
	if len(open) == 0 {
		return answers, nil
	}
	conn, err := db.acquire(ctx, op)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	for len(open) > 0 {
		undecided, err := accept(ctx, conn, events, open, answers)
		if err != nil {
			return nil, writeFault(op, err)
		}
		open = undecided
	}
	return answers, nil
}

// storable reports whether Postgres takes a text at all: one bad id must not fail the whole call.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// acceptSQL looks every event up and inserts those that nobody has accepted yet.
//
// The clock is read once, so that the events of a call keep their order (no) within a machine. An event
// that was handled already is in history: inbox rows are deleted only by the transaction that writes
// history, so one of the two has it. (Unless the first one is accepted and handled after this
// statement's snapshot was taken. Then there are two inbox rows over time, and history's unique key
// lets one of them take effect.) Rows are inserted in the order of their key: two calls with the same
// ids wait for one another, and never in a ring.
//
// What another call was ahead of is in neither half of the answer. To join the halves would say so in
// SQL, and compare every event of the call with every other.
const acceptSQL = `
WITH incoming AS MATERIALIZED (
    SELECT u.*
    FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @event_ids::text[], @nos::integer[], @events::text[])
        AS u (bucket, namespace, machine_id, event_id, no, event)
), stamp AS MATERIALIZED (
    SELECT clock_timestamp() AS event_time
), known AS MATERIALIZED (
    SELECT
        u.*,
        m.machine_id IS NOT NULL AS has_machine,
        coalesce(i.event_time, h.event_time) AS accepted_at,
        coalesce(i.event, h.event, u.event) = u.event AS same
    FROM incoming u
    LEFT JOIN detent.machine m
        ON m.bucket = u.bucket AND m.namespace = u.namespace AND m.machine_id = u.machine_id
    LEFT JOIN detent.inbox i
        ON i.bucket = u.bucket AND i.namespace = u.namespace AND i.machine_id = u.machine_id AND i.event_id = u.event_id
    LEFT JOIN detent.history_entry h
        ON h.bucket = u.bucket AND h.namespace = u.namespace AND h.machine_id = u.machine_id AND h.event_id = u.event_id
), inserted AS (
    INSERT INTO detent.inbox (bucket, namespace, machine_id, event_id, event_time, no, event)
    SELECT k.bucket, k.namespace, k.machine_id, k.event_id, s.event_time, k.no, k.event
    FROM known k CROSS JOIN stamp s
    WHERE k.has_machine AND k.accepted_at IS NULL
    ORDER BY k.bucket, k.namespace, k.machine_id, k.event_id
    ON CONFLICT (bucket, namespace, machine_id, event_id) DO NOTHING
    RETURNING no, event_time
)
SELECT n.no, true AS has_machine, NULL::timestamptz AS accepted_at, true AS same, n.event_time
FROM inserted n
UNION ALL
SELECT k.no, k.has_machine, k.accepted_at, k.same, NULL
FROM known k
WHERE NOT k.has_machine OR k.accepted_at IS NOT NULL`

// accept decides the open events, by their index, and returns those that another one was ahead of.
func accept(ctx context.Context, conn *pgxpool.Conn, events []Incoming, open []int, answers []Acceptance) ([]int, error) {
	var asked, undecided []int
	keys := newKeyColumns(len(open))
	ids := make([]string, 0, len(open))
	nos := make([]int32, 0, len(open))
	texts := make([][]byte, 0, len(open))
	first := make(map[EventRef]struct{}, len(open))
	for _, i := range open {
		if _, again := first[events[i].EventRef]; again {
			undecided = append(undecided, i)
			continue
		}
		first[events[i].EventRef] = struct{}{}
		asked = append(asked, i)
		keys.add(events[i].Key)
		ids = append(ids, events[i].EventID)
		nos = append(nos, int32(i)+1)
		texts = append(texts, events[i].Event)
	}
	rows, err := conn.Query(ctx, acceptSQL, pgx.StrictNamedArgs{
		"buckets": keys.buckets, "namespaces": keys.namespaces, "machines": keys.machines,
		"event_ids": ids, "nos": nos, "events": texts,
	})
	if err != nil {
		return nil, err
	}
	decided, err := readAcceptances(rows, answers)
	for _, i := range asked {
		if !decided[i] {
			undecided = append(undecided, i)
		}
	}
	slices.Sort(undecided)
	return undecided, err
}

// readAcceptances fills in the answers that there are, and reports which.
func readAcceptances(rows pgx.Rows, answers []Acceptance) (decided []bool, err error) {
	decided = make([]bool, len(answers))
	var no int
	var hasMachine, same bool
	var before, now *time.Time
	_, err = pgx.ForEachRow(rows, []any{&no, &hasMachine, &before, &same, &now}, func() error {
		decided[no-1] = true
		switch {
		case !hasMachine:
			answers[no-1] = Acceptance{Outcome: NoMachine}
		case now != nil:
			answers[no-1] = Acceptance{Outcome: Accepted, AcceptedAt: *now}
		case same:
			answers[no-1] = Acceptance{Outcome: Duplicate, AcceptedAt: *before}
		default:
			answers[no-1] = Acceptance{Outcome: Conflict, AcceptedAt: *before}
		}
		return nil
	})
	return decided, err
}
