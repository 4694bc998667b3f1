package api

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/engine"
)

func TestCreateMachine(t *testing.T) {
	t.Parallel()
	const body = `{"id":"order-7","definition":"order","input":{"amount":` + big + `}}`
	tests := []struct {
		query   string
		created bool
		waits   bool
		status  int
	}{
		{"", true, true, 201},
		{"?wait=started&timeout=500ms", true, true, 201},
		{"?wait=none", true, false, 201},
		{"", false, true, 200},
		{"?wait=none", false, false, 200},
	}
	for _, tt := range tests {
		waited := false
		c := setup(t, &fake{
			create: func(r engine.CreateRequest) (string, bool, error) {
				if string(r.Body) != body || r.IdempotencyKey != "k1" || r.By != "http 127.0.0.1" {
					t.Errorf("create %s key %q by %q", r.Body, r.IdempotencyKey, r.By)
				}
				return "order-7", tt.created, nil
			},
			awaitStart: func(_ context.Context, id string) (engine.MachineView, error) {
				waited = true
				return order(id), nil
			},
			machine: func(id string) (engine.MachineView, error) { return order(id), nil },
		}, Options{})
		r := c.With("Idempotency-Key", "k1").Do("POST", "/v1/machines"+tt.query, body).Must(tt.status)
		if location := r.Header.Get("Location"); waited != tt.waits || (location == "/v1/machines/order-7") != tt.created {
			t.Errorf("%q: waited %t, Location %q", tt.query, waited, location)
		}
	}
}

// A machine that has not started has neither value nor context, and is a machine all the same.
func TestReadMachineBeforeItsStart(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{machine: func(id string) (engine.MachineView, error) {
		return engine.MachineView{
			ID: id, Definition: "order", Version: 1, Status: "starting", Tags: []string{}, Timers: []engine.TimerView{},
			Children: []engine.ChildView{}, Labels: json.RawMessage(`{}`), CreatedAt: noon, UpdatedAt: noon,
		}, nil
	}}, Options{})
	r := c.Do("GET", "/v1/machines/x", nil).Must(200)
	for _, absent := range []string{"value", "context", "output", "error", "suspension", "now", "owner"} {
		if strings.Contains(string(r.Body), `"`+absent+`"`) {
			t.Errorf("%s is there: %s", absent, r.Body)
		}
	}
}

// Nothing between engine and caller reads numbers, orders keys or escapes text.
func TestReadMachineIsExact(t *testing.T) {
	t.Parallel()
	view := order("x")
	view.Status = "suspended"
	view.Output = json.RawMessage(`{"z":1.0E2,"a":-0.10,"s":"\u2028<>"}`)
	view.Error = json.RawMessage(`null`)
	view.Suspension = json.RawMessage(`{"code":"expression","message":"division by zero","pointer":"/setup/guards/g","eventId":"c:1"}`)
	c := setup(t, &fake{machine: func(string) (engine.MachineView, error) { return view, nil }}, Options{})
	r := c.Do("GET", "/v1/machines/x", nil).Must(200)
	for _, part := range []json.RawMessage{view.Value, view.Context, view.Output, view.Suspension} {
		if !strings.Contains(string(r.Body), string(part)) {
			t.Errorf("%s is not in %s", part, r.Body)
		}
	}
}

func TestListMachines(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{machines: func(q engine.MachineQuery) ([]engine.MachineView, string, error) {
		switch q {
		case engine.MachineQuery{Limit: pageDefault}:
			return nil, "", nil
		case engine.MachineQuery{Definition: "order", Status: "active", PageToken: "p/+=", Limit: 1000}:
			return []engine.MachineView{order("a"), order("b")}, "next", nil
		}
		t.Errorf("query %+v", q)
		return nil, "", nil
	}}, Options{})
	if r := c.Do("GET", "/v1/machines", nil).Must(200); string(r.Body) != `{"machines":[]}`+"\n" {
		t.Errorf("%s", r.Body)
	}
	var page struct {
		Machines      []engine.MachineView
		NextPageToken string
	}
	c.Do("GET", "/v1/machines?definition=order&status=active&pageToken=p%2F%2B%3D&limit=1000", nil).Must(200).Into(&page)
	if len(page.Machines) != 2 || page.Machines[1].ID != "b" || page.NextPageToken != "next" {
		t.Errorf("%+v", page)
	}
}

func TestReadTimers(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{timers: func(id string, limit int) ([]engine.TimerView, error) {
		if id != "x" || limit != 5 {
			t.Errorf("timers of %q, limit %d", id, limit)
		}
		return []engine.TimerView{{Event: "REMIND", Deadline: noon, ID: "r1"}, {Event: "EXPIRE", Deadline: noon}}, nil
	}}, Options{})
	const want = `{"timers":[{"event":"REMIND","deadline":"2026-03-01T12:00:00.000001Z","id":"r1"},{"event":"EXPIRE","deadline":"2026-03-01T12:00:00.000001Z"}]}`
	if r := c.Do("GET", "/v1/machines/x/timers?limit=5", nil).Must(200); string(r.Body) != want+"\n" {
		t.Errorf("%s", r.Body)
	}
}
