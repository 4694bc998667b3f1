package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/testdb"
)

// planned is a statement, the arguments to explain it with, and how it has to be planned.
type planned struct {
	name, text string
	args       map[string]string // by name, as SQL literals
	indexes    []string          // all that it reads by, beside those of small tables
	reads      map[string]int    // at most so many rows of a table, of those that fill puts in
}

// fillSQL makes 10,000 machines with 5 events and 5 timers each, 10 entries of history, and one machine
// with 10,000 events.
var fillSQL = []string{
	`CREATE TEMPORARY TABLE m AS SELECT 'm-' || n AS id, detent.bucket_of('default', 'm-' || n) AS bucket FROM generate_series(1, 10000) n`,
	`INSERT INTO detent.machine (bucket, namespace, machine_id, definition, version, labels, fingerprint, created_by)
		SELECT bucket, 'default', id, 'order', 1, '{}', '', 'test' FROM m`,
	`INSERT INTO detent.snapshot (bucket, namespace, machine_id, seq, status, snapshot)
		SELECT bucket, 'default', id, 10, 'active', '{"value":"a"}' FROM m`,
	`INSERT INTO detent.inbox (bucket, namespace, machine_id, event_id, event_time, no, event)
		SELECT bucket, 'default', id, 'c:' || n, timestamptz '2026-01-01' + n * interval '1 hour', 1, '{"type":"GO"}' FROM m, generate_series(1, 5) n`,
	`INSERT INTO detent.inbox (bucket, namespace, machine_id, event_id, event_time, no, event)
		SELECT bucket, 'default', id, 'h:' || n, timestamptz '2026-02-01' + n * interval '1 second', 1, '{"type":"GO"}' FROM m, generate_series(1, 10000) n WHERE id = 'm-1'`,
	`INSERT INTO detent.timer (bucket, namespace, machine_id, deadline, no, event_id, event_type)
		SELECT bucket, 'default', id, timestamptz '2026-01-01' + n * interval '1 hour', n, 't:1.' || n, 'TICK' FROM m, generate_series(1, 5) n`,
	`INSERT INTO detent.history_entry (bucket, namespace, machine_id, seq, event_id, outcome, event_time, effective_time, processed_at, definition_version, owner_id, lane)
		SELECT bucket, 'default', id, n, 'c:' || n + 100, 'applied', now(), now(), now(), 1, 1, 0 FROM m, generate_series(1, 10) n`,
}

// Two machines of one bucket, and all the buckets of a lane.
const (
	twoBuckets  = `array[detent.bucket_of('default', 'm-1'), detent.bucket_of('default', 'm-2')]`
	twoSpaces   = `'{default,default}'`
	twoMachines = `'{m-1,m-2}'`
	twoEvents   = `'{c:1,c:1}'`
	laneBuckets = `(SELECT array_agg(n::smallint) FROM generate_series(0, 63) n)`
)

// with returns arguments for the two machines and others.
func with(pairs ...string) map[string]string {
	args := map[string]string{"buckets": twoBuckets, "namespaces": twoSpaces, "machines": twoMachines}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	return args
}

var plannedStatements = []planned{
	{
		"claim", claimSQL,
		map[string]string{"buckets": laneBuckets, "limit": "101", "bytes": "8000000"},
		[]string{"history_entry_once", "inbox_waiting"},
		map[string]int{"inbox": 64 * 101, "history_entry": 0},
	},
	{
		"claim past", claimPastSQL,
		map[string]string{"buckets": laneBuckets, "limit": "101", "bytes": "8000000", "namespaces": twoSpaces, "machines": twoMachines},
		[]string{"history_entry_once", "inbox_waiting"},
		map[string]int{"inbox": 64*101 + 10010, "history_entry": 0},
	},
	{
		"claim machines", claimMachinesSQL, with("limit", "100", "bytes", "100000"),
		[]string{"history_entry_once", "inbox_pkey"},
		map[string]int{"inbox": 10010},
	},
	{
		"load", loadMachinesSQL, with("bytes", "8000000"),
		[]string{"inbox_pkey", "machine_pkey", "snapshot_pkey"},
		map[string]int{"machine": 2, "snapshot": 2, "inbox": 10010},
	},
	{
		"accept", acceptSQL, with("event_ids", `'{c:1,x:1}'`, "nos", `'{1,2}'`, "events", `'{"{}","{}"}'`),
		[]string{"history_entry_once", "inbox_pkey", "machine_pkey"},
		map[string]int{"machine": 2, "inbox": 1},
	},
	{
		"consume", consumeSQL, with("event_ids", twoEvents, "count", "2"),
		[]string{"inbox_pkey"},
		map[string]int{"inbox": 2},
	},
	{
		"defer", deferSQL, with("event_ids", twoEvents, "count", "2"),
		[]string{"inbox_pkey"},
		map[string]int{"inbox": 2},
	},
	{
		"commit check", checkSQL, with("times", `'{2026-01-01 00:30Z,2026-01-01 00:30Z}'`, "nos", `'{1,1}'`),
		[]string{"inbox_waiting"},
		map[string]int{"inbox": 0},
	},
	{
		"predecessors", deletePredecessorsSQL, with("seqs", `'{10,10}'`, "count", "2"),
		[]string{"snapshot_pkey"},
		map[string]int{"snapshot": 2},
	},
	{
		"delete timers", deleteTimersSQL, with("deadlines", `'{2026-01-01 01:00Z,2026-01-01 02:00Z}'`, "nos", `'{1,2}'`, "count", "2"),
		[]string{"timer_pkey"},
		map[string]int{"timer": 2},
	},
	{
		"park events", parkEventsSQL, with(),
		[]string{"inbox_pkey"},
		map[string]int{"inbox": 10010},
	},
	{
		"park timers", parkTimersSQL, with(), // a bucket's worth: rare, and an index would cost every timer
		[]string{"timer_pkey"},
		map[string]int{"timer": 2000},
	},
	{
		"due timers", dueTimersSQL,
		map[string]string{"buckets": laneBuckets, "until": `'2026-01-01 03:00Z'`, "limit": "11"},
		[]string{"timer_pkey"},
		map[string]int{"timer": 64 * 11},
	},
	{
		"overdue", overdueSQL,
		map[string]string{"buckets": laneBuckets, "by": `'1 s'`, "most": "100"},
		[]string{"timer_pkey"},
		map[string]int{"timer": 100},
	},
	{
		"find", findMachineSQL,
		map[string]string{"bucket": `detent.bucket_of('default', 'm-1')`, "namespace": `'default'`, "machine_id": `'m-1'`},
		[]string{"machine_pkey", "snapshot_pkey"},
		map[string]int{"machine": 1, "snapshot": 1},
	},
	{
		"list", listMachinesSQL,
		map[string]string{
			"namespace": `'default'`, "after_bucket": "100", "after_id": `'m-5'`, "status": `''`, "limit": "10", "bytes": "8000000",
		},
		[]string{"machine_pkey", "snapshot_pkey"},
		map[string]int{"machine": 11, "snapshot": 11},
	},
	{
		"list of a definition", listMachinesOfSQL,
		map[string]string{
			"namespace": `'default'`, "after_bucket": "100", "after_id": `'m-5'`, "definition": `'order'`, "status": `''`, "limit": "10", "bytes": "8000000",
		},
		[]string{"machine_by_definition", "snapshot_pkey"},
		map[string]int{"machine": 11, "snapshot": 11},
	},
	{
		"history", historySQL,
		map[string]string{
			"bucket": `detent.bucket_of('default', 'm-1')`, "namespace": `'default'`, "machine_id": `'m-1'`, "after": "2", "limit": "3", "bytes": "8000000",
		},
		[]string{"history_entry_once"},
		map[string]int{"history_entry": 10},
	},
	{
		"outcomes", outcomesSQL, with("event_ids", `'{c:101,c:1}'`),
		[]string{"history_entry_once"},
		map[string]int{"history_entry": 1},
	},
}

// TestPlans explains the statements that run all the time: on empty tables, on tables that were filled
// just now and nobody has analyzed, and on analyzed ones; as the plan for these arguments and as the
// plan for any, which a session keeps. In each case they go by index, so that a plan that was made at
// one time is right at any other.
func TestPlans(t *testing.T) {
	t.Parallel()
	conn := connect(t, testdb.New(t, Migrate).URL)
	run := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := conn.Exec(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
	// What this test fills, autovacuum must not analyze before it is asked to.
	for _, table := range []string{"machine", "snapshot", "inbox", "timer", "history_entry"} {
		run(`ALTER TABLE detent.` + table + ` SET (autovacuum_enabled = off)`)
	}
	for _, p := range plannedStatements {
		text, _, err := pgx.NamedArgs{}.RewriteQuery(t.Context(), conn, p.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Prepare(t.Context(), p.name, text); err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
	}
	explainAll(t, conn, "empty", false)
	run(fillSQL...)
	explainAll(t, conn, "filled", true)
	run(`ANALYZE`)
	explainAll(t, conn, "analyzed", true)
}

func explainAll(t *testing.T, conn *pgx.Conn, state string, filled bool) {
	t.Helper()
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+mode); err != nil {
			t.Fatal(err)
		}
		for _, p := range plannedStatements {
			plan := explain(t, conn, p, filled)
			where := fmt.Sprintf("%s (%s, %s)", p.name, state, mode)
			if got := slices.Sorted(maps.Keys(plan.indexes)); !slices.Equal(got, p.indexes) {
				t.Errorf("%s reads by %v, not by %v\n%s", where, got, p.indexes, plan.text)
			}
			for _, table := range plan.scanned {
				t.Errorf("%s scans %s\n%s", where, table, plan.text)
			}
			for table, most := range p.reads {
				if filled && plan.read[table] > most {
					t.Errorf("%s reads %d rows of %s, at most %d\n%s", where, plan.read[table], table, most, plan.text)
				}
			}
		}
	}
}

// plan is what is to be known of one.
type plan struct {
	text    string
	indexes map[string]bool
	scanned []string       // tables without an index
	read    map[string]int // rows by table, those included that a filter threw away
}

// small are tables of a few hundred rows, which may be read as one likes.
var small = []string{"bucket", "owner", "owner_fence"}

func explain(t *testing.T, conn *pgx.Conn, p planned, run bool) plan {
	t.Helper()
	named := pgx.NamedArgs{}
	for name, literal := range p.args {
		named[name] = literal
	}
	_, ordered, err := named.RewriteQuery(t.Context(), conn, p.text, nil)
	if err != nil {
		t.Fatal(err)
	}
	literals := make([]string, 0, len(ordered))
	for _, l := range ordered {
		literal, ok := l.(string)
		if !ok {
			t.Fatalf("%s: an argument is missing", p.name)
		}
		literals = append(literals, literal)
	}
	// What it writes is undone.
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	// A subselect cannot be an argument of EXECUTE: values are put in its place.
	for i, l := range literals {
		if err := tx.QueryRow(t.Context(), `SELECT quote_literal((`+l+`)::text)`).Scan(&literals[i]); err != nil {
			t.Fatalf("%s: %s: %v", p.name, l, err)
		}
	}
	var text string
	err = tx.QueryRow(t.Context(), fmt.Sprintf(`EXPLAIN (ANALYZE %t, FORMAT JSON) EXECUTE %s(%s)`,
		run, pgx.Identifier{p.name}.Sanitize(), strings.Join(literals, ", ")), pgx.QueryExecModeSimpleProtocol).Scan(&text)
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	var roots []struct{ Plan node }
	if err := json.Unmarshal([]byte(text), &roots); err != nil {
		t.Fatal(err)
	}
	found := plan{indexes: map[string]bool{}, read: map[string]int{}}
	found.walk(roots[0].Plan, 1)
	return found
}

type node struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Removed  float64 `json:"Rows Removed by Filter"`
	Plans    []node
}

func (p *plan) walk(n node, depth int) {
	p.text += fmt.Sprintf("%s%s %s %s %v rows, %v removed, %v times\n", strings.Repeat("  ", depth), n.Type, n.Relation, n.Index, n.Rows, n.Removed, n.Loops)
	if n.Relation != "" && !slices.Contains(small, n.Relation) {
		switch n.Type {
		case "Seq Scan", "Bitmap Heap Scan", "Tid Scan":
			p.scanned = append(p.scanned, n.Relation)
		case "Index Scan", "Index Only Scan":
			p.indexes[n.Index] = true
			p.read[n.Relation] += int((n.Rows + n.Removed) * n.Loops)
		}
	}
	for _, child := range n.Plans {
		p.walk(child, depth+1)
	}
}
