package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func (r *rig) connect() *pgx.Conn {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.url)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// An event that is part of a user's transaction happens when that commits, not when it was put in: a
// long transaction cannot date it back before a deadline.
func TestSendEventIsStampedAtCommit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("order", orderDefinition)
	r.create("a", "order")
	l, _ := r.lane(nil)
	r.drain(l)
	deadline := r.view("a").Timers[0].Deadline

	tx, err := r.connect().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{`{"type":"PAY"}`, `{"type":"SECOND"}`, `{"type":"THIRD"}`} {
		if _, err := tx.Exec(t.Context(), `SELECT detent.send_event('a', $1::json)`, event); err != nil {
			t.Fatal(err)
		}
	}
	r.waitUntil(deadline.Add(time.Millisecond))
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.drain(l)
	r.expect("a", statusActive, `"late"`)
	r.checkFold("a")
	var order []string
	for _, e := range r.history("a")[2:] {
		order = append(order, string(e.Event))
		if !e.EventTime.After(deadline) {
			t.Errorf("%s is dated %s, before its commit", e.Event, e.EventTime)
		}
	}
	if len(order) != 3 || order[0] != `{"type":"PAY"}` || order[2] != `{"type":"THIRD"}` {
		t.Errorf("the transaction's events were handled as %v", order)
	}
}

func TestRolledBackSendLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("switch", switchDefinition)
	tx, err := r.connect().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT detent.create_machine('a', 'switch'), detent.send_event('a', '{"type":"FLIP"}')`); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.engine.Machine(t.Context(), "a"); err == nil {
		t.Fatal("the machine exists")
	}
}

func TestSQLDoor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("switch", switchDefinition)
	r.define("strict", `{"machine": {"initial": "a", "states": {"a": {"on": {"PAY": "b"}}, "b": {}}},
		"setup": {"events": {"PAY": {"type": "object", "required": ["amount"]}}}}`)
	conn := r.connect()
	exec := func(sql string, args ...any) (state string) {
		_, err := conn.Exec(t.Context(), sql, args...)
		var pg *pgconn.PgError
		if errors.As(err, &pg) {
			return pg.Code
		}
		if err != nil {
			t.Fatal(err)
		}
		return ""
	}
	for _, step := range []struct{ sql, state string }{
		{`SELECT detent.create_machine('a', 'switch', '{"big": 9007199254740993}', labels => '{"k": "v"}')`, ""},
		{`SELECT detent.create_machine('a', 'switch', '{"big": 9007199254740993}', labels => '{"k": "v"}')`, ""},
		{`SELECT detent.create_machine('a', 'switch')`, "DT012"},
		{`SELECT detent.create_machine('b', 'nothing')`, "DT011"},
		{`SELECT detent.create_machine('b', 'switch', version => 7)`, "DT011"},
		{`SELECT detent.create_machine('../b', 'switch')`, "DT010"},
		{`SELECT detent.create_machine('b', 'switch', labels => '{"k": 1}')`, "DT010"},
		{`SELECT detent.create_machine('s', 'strict')`, ""},
		{`SELECT detent.send_event('a', '{"type":"FLIP"}', 'once')`, ""},
		{`SELECT detent.send_event('a', '{"type":"FLIP"}', 'once')`, ""},
		{`SELECT detent.send_event('a', '{"type":"FLOP"}', 'once')`, "DT012"},
		{`SELECT detent.send_event('nobody', '{"type":"FLIP"}')`, "DT011"},
		{`SELECT detent.send_event('a', '[]')`, "DT010"},
		{`SELECT detent.send_event('a', '{"type":""}')`, "DT010"},
		{`SELECT detent.send_event('a', '{"type":"xstate.init"}')`, "DT010"},
		{`SELECT detent.send_event('a', '{"type":"A","type":"B"}')`, "DT010"},
		{`SELECT detent.send_event('a', '{"type":"A","x":"\u0000"}')`, "DT010"},
		{`SELECT detent.send_event('a', '{"type":"A"}', 'a b')`, "DT010"},
		{`SELECT detent.send_event('a', '{"type":"A","n":99999999999999999999}')`, ""}, // a dead letter: see below
		{`SELECT detent.send_event('s', '{"type":"PAY"}')`, ""},                        // the same
	} {
		if got := exec(step.sql); got != step.state {
			t.Errorf("%s: SQLSTATE %q, want %q", step.sql, got, step.state)
		}
	}
	l, _ := r.lane(nil)
	r.drain(l)
	r.expect("a", statusActive, `"on"`)
	r.expect("s", statusActive, `"a"`)
	for _, id := range []string{"a", "s"} {
		all := r.history(id)
		if last := all[len(all)-1]; last.Outcome != outcomeDead || last.Reason == nil {
			t.Errorf("the bad event of %s is %s: %s", id, last.Outcome, last.Reason)
		}
	}
	if start := string(r.history("a")[0].Event); start != `{"type":"xstate.init","input":{"big": 9007199254740993}}` {
		t.Errorf("the machine was started with %s", start)
	}
	if got := exec(`SELECT detent.send_event('a', '{"type":"FLIP"}', 'once')`); got != "" {
		t.Errorf("the same event after it was handled: %s", got)
	}
	r.drain(l)
	r.expect("a", statusActive, `"on"`)
}

// Whoever was not told so may not call the functions, and who may needs no right on the tables.
func TestSQLDoorNeedsAGrant(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("switch", switchDefinition)
	r.create("a", "switch")
	conn := r.connect()
	role := pgx.Identifier{"clerk_" + newID()[:12]}.Sanitize()
	exec := func(sql string) error {
		_, err := conn.Exec(context.WithoutCancel(t.Context()), sql) // also when the test is over
		return err
	}
	if err := exec(`CREATE ROLE ` + role + `; GRANT USAGE ON SCHEMA detent TO ` + role); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := exec(`RESET ROLE; DROP OWNED BY ` + role + `; DROP ROLE ` + role); err != nil {
			t.Error(err)
		}
	})
	send := `SET ROLE ` + role + `; SELECT detent.send_event('a', '{"type":"FLIP"}')`
	if err := exec(send); err == nil {
		t.Fatal("anybody may send")
	}
	if err := exec(`RESET ROLE; GRANT EXECUTE ON FUNCTION detent.send_event TO ` + role); err != nil {
		t.Fatal(err)
	}
	if err := exec(send); err != nil {
		t.Fatal(err)
	}
	if err := exec(`SELECT * FROM detent.inbox`); err == nil {
		t.Fatal("the clerk may read tables")
	}
}
