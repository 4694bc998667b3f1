package api

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/engine"
)

// sends accepts one event and checks that it came as it was sent.
func sends(t *testing.T, event string) *fake {
	return &fake{send: func(id, eventID string, body []byte) (engine.Accepted, error) {
		if id != "x" || eventID != "k1" || string(body) != event {
			t.Errorf("send to %q, id %q: %s", id, eventID, body)
		}
		return engine.Accepted{EventID: "c:k1", AcceptedAt: noon}, nil
	}}
}

const accepted = `{"eventId":"c:k1","acceptedAt":"2026-03-01T12:00:00.000001Z"}`

func TestSendEvent(t *testing.T) {
	t.Parallel()
	const event = `{ "type":"PAY", "amount":` + big + `, "rate":0.10 }`
	c := setup(t, sends(t, event), Options{}).With("Idempotency-Key", "k1")
	if r := c.Do("POST", "/v1/machines/x/events", event).Must(202); string(r.Body) != accepted+"\n" {
		t.Errorf("%s", r.Body)
	}
}

func TestSendEventAndWait(t *testing.T) {
	t.Parallel()
	view := order("x")
	outcomes := map[string]engine.Applied{
		"applied": {
			AppliedAt: noon, Seq: 2, Outcome: "applied", Handled: true, Changed: true,
			From: json.RawMessage(`"open"`), To: json.RawMessage(`{"a":{"b":"c"}}`), Machine: &view,
		},
		"ignored": {AppliedAt: noon, Seq: 3, Outcome: "ignored", From: json.RawMessage(`"open"`), To: json.RawMessage(`"open"`), Machine: &view},
		"dead": {
			AppliedAt: noon, Seq: 4, Outcome: "dead", From: json.RawMessage(`"open"`), To: json.RawMessage(`"open"`),
			Reason: json.RawMessage(`{"code":"unhandled","message":"nothing takes \"PAY\""}`), Machine: &view,
		},
	}
	for name, applied := range outcomes {
		f := sends(t, `{"type":"PAY"}`)
		f.awaitApplied = func(_ context.Context, id string, a engine.Accepted) (engine.Applied, bool, error) {
			if id != "x" || a.EventID != "c:k1" {
				t.Errorf("await %q %q", id, a.EventID)
			}
			applied.Accepted = a
			return applied, true, nil
		}
		c := setup(t, f, Options{}).With("Idempotency-Key", "k1")
		r := c.Do("POST", "/v1/machines/x/events?wait=applied&timeout=1m", `{"type":"PAY"}`).Must(200)
		var got engine.Applied
		if r.Into(&got); got.Outcome != name || got.EventID != "c:k1" || got.Seq != applied.Seq || got.Machine.ID != "x" || got.Handled != applied.Handled {
			t.Errorf("%s: %s", name, r.Body)
		}
	}
}

// The running out of a wait takes nothing back: the answer is as without waiting.
func TestSendEventWaitRunsOut(t *testing.T) {
	t.Parallel()
	f := sends(t, `{"type":"PAY"}`)
	f.awaitApplied = func(ctx context.Context, _ string, _ engine.Accepted) (engine.Applied, bool, error) {
		<-ctx.Done()
		return engine.Applied{}, false, nil
	}
	c := setup(t, f, Options{}).With("Idempotency-Key", "k1")
	if r := c.Do("POST", "/v1/machines/x/events?wait=applied&timeout=1ms", `{"type":"PAY"}`).Must(202); string(r.Body) != accepted+"\n" {
		t.Errorf("%s", r.Body)
	}
}

// Every item has its own answer, in order; the body goes to the engine as it came.
func TestSendEvents(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"application/json":     `[{"machine":"x","id":"k1","event":{"type":"PAY","amount":` + big + `}},{"machine":"y","event":{"type":"xstate.init"}}]`,
		"application/x-ndjson": `{"machine":"x","id":"k1","event":{"type":"PAY","amount":` + big + `}}` + "\n" + `{"machine":"y","event":{"type":"xstate.init"}}` + "\n",
	}
	for media, body := range bodies {
		c := setup(t, &fake{sendBatch: func(got []byte, lines bool) ([]engine.BatchResult, error) {
			if string(got) != body || lines != (media == "application/x-ndjson") {
				t.Errorf("%s: lines %v: %s", media, lines, got)
			}
			return []engine.BatchResult{
				{Accepted: engine.Accepted{EventID: "c:k1", AcceptedAt: noon}},
				{Err: &engine.Error{Code: engine.CodeReservedEvent, Pointer: "/event/type", Message: "no"}},
			}, nil
		}}, Options{}).Malformed().With("Content-Type", media)
		want := `{"refused":1,"results":[` + accepted + `,{"code":"reserved_event","message":"no","pointer":"/event/type"}]}` + "\n"
		if r := c.Do("POST", "/v1/events:batch", body).Must(200); string(r.Body) != want {
			t.Errorf("%s: %s", media, r.Body)
		}
	}
}

// What concerns the whole body is a problem, like any other.
func TestSendEventsRefusesTheWhole(t *testing.T) {
	t.Parallel()
	for code, status := range map[engine.Code]int{engine.CodeInvalidBody: 400, engine.CodeTooLarge: 413, engine.CodeUnavailable: 503} {
		c := setup(t, &fake{sendBatch: func([]byte, bool) ([]engine.BatchResult, error) {
			return nil, &engine.Error{Code: code, Message: "no", Retryable: status == 503}
		}}, Options{})
		if p := problemOf(t, c.Do("POST", "/v1/events:batch", `[{"machine":"x","event":{"type":"PAY"}}]`).Must(status)); p.Code != string(code) {
			t.Errorf("%+v", p)
		}
	}
}

func TestReadHistory(t *testing.T) {
	t.Parallel()
	lateness := 0.25
	all := []engine.HistoryView{
		{Seq: 1, Outcome: "applied", EventID: "i:1", Event: json.RawMessage(`{"type":"xstate.init"}`), To: json.RawMessage(`"open"`)},
		{Seq: 2, Outcome: "suspended", Event: json.RawMessage(`{"type":"PAY","amount":` + big + `}`), From: json.RawMessage(`"open"`), To: json.RawMessage(`"open"`), Reason: json.RawMessage(`{"code":"data","message":"no"}`)},
		{Seq: 3, Outcome: "operator", Event: json.RawMessage(`null`), Changes: json.RawMessage(`{"n":` + big + `}`)},
		{Seq: 4, Outcome: "applied", EventID: "t:1.1", Event: json.RawMessage(`{"type":"xstate.after.1s.m.a"}`), LatenessMs: &lateness},
	}
	for i := range all {
		e := &all[i]
		e.EventTime, e.EffectiveTime, e.ProcessedAt, e.DefinitionVersion = noon, noon, noon, 1
		e.Actions, e.Effects = json.RawMessage(`["assign"]`), json.RawMessage(`[{"effect":"log","message":"hello"}]`)
	}
	c := setup(t, &fake{history: func(_ string, after int64, limit int) ([]engine.HistoryView, bool, error) {
		rest := all[min(after, 4):]
		return rest[:min(limit, len(rest))], len(rest) >= limit, nil
	}}, Options{})
	type page struct {
		Entries []engine.HistoryView
		Next    *int64 `json:"nextAfterSeq"`
	}
	var first, second, whole page
	r := c.Do("GET", "/v1/machines/x/history?limit=3", nil).Must(200).Into(&first)
	if len(first.Entries) != 3 || first.Next == nil || *first.Next != 3 || !strings.Contains(string(r.Body), big) {
		t.Errorf("first page: %s", r.Body)
	}
	r = c.Do("GET", "/v1/machines/x/history?afterSeq=3&limit=3", nil).Must(200).Into(&second)
	if len(second.Entries) != 1 || second.Next != nil || second.Entries[0].LatenessMs == nil {
		t.Errorf("second page: %s", r.Body)
	}
	c.Do("GET", "/v1/machines/x/history", nil).Must(200).Into(&whole)
	if len(whole.Entries) != 4 || whole.Next != nil {
		t.Errorf("all: %+v", whole)
	}
	if r := c.Do("GET", "/v1/machines/x/history?afterSeq=9223372036854775807", nil).Must(200); string(r.Body) != `{"entries":[]}`+"\n" {
		t.Errorf("after the end: %s", r.Body)
	}
}
