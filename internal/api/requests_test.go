package api

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/engine"
)

const pay = `{"type":"PAY"}`

// badRequests are what no route takes.
var badRequests = []struct {
	method, path string
	body         any
	status       int
	code         engine.Code
	detail       string // is part of the problem's
}{
	{"GET", "/v1/machines?statsu=done", nil, 400, engine.CodeInvalidParameter, `"statsu" is unknown: GET /v1/machines takes definition, status, limit, pageToken`},
	{"GET", "/v1/machines/x?limit=1", nil, 400, engine.CodeInvalidParameter, `takes none`},
	{"GET", "/healthz?verbose=1", nil, 400, engine.CodeInvalidParameter, `"verbose"`},
	{"GET", "/v1/machines?limit=1&limit=2", nil, 400, engine.CodeInvalidParameter, `"limit" is given 2 times`},
	{"GET", "/v1/machines?definition=", nil, 400, engine.CodeInvalidParameter, `"definition" is empty`},
	{"GET", "/v1/machines?limit=%zz", nil, 400, engine.CodeInvalidParameter, `cannot be read`},
	{"GET", "/v1/machines?limit=1;status=done", nil, 400, engine.CodeInvalidParameter, `cannot be read`},
	{"GET", "/v1/machines?status=asleep", nil, 400, engine.CodeInvalidParameter, `starting, active, done, error, stopped, suspended`},
	{"GET", "/v1/machines?limit=0", nil, 400, engine.CodeInvalidParameter, `from 1 to 1000`},
	{"GET", "/v1/machines?limit=1001", nil, 400, engine.CodeInvalidParameter, `from 1 to 1000`},
	{"GET", "/v1/machines?limit=-1", nil, 400, engine.CodeInvalidParameter, `from 1 to 1000`},
	{"GET", "/v1/definitions?limit=%2B5", nil, 400, engine.CodeInvalidParameter, `"+5"`},
	{"GET", "/v1/definitions/x?limit=1e2", nil, 400, engine.CodeInvalidParameter, `"1e2"`},
	{"GET", "/v1/machines/x/timers?limit=many", nil, 400, engine.CodeInvalidParameter, `"many"`},
	{"GET", "/v1/machines/x/history?limit=99999999999999999999", nil, 400, engine.CodeInvalidParameter, `limit`},
	{"GET", "/v1/machines/x/history?afterSeq=-1", nil, 400, engine.CodeInvalidParameter, `whole number from 0`},
	{"GET", "/v1/machines/x/history?afterSeq=9223372036854775808", nil, 400, engine.CodeInvalidParameter, `afterSeq`},
	{"GET", "/v1/definitions/x/versions/0", nil, 400, engine.CodeInvalidParameter, `from 1, or latest`},
	{"GET", "/v1/definitions/x/versions/01a", nil, 400, engine.CodeInvalidParameter, `version "01a"`},
	{"GET", "/v1/definitions/x/versions/newest", nil, 400, engine.CodeInvalidParameter, `version "newest"`},
	{"GET", "/v1/definitions/x/versions/4294967297", nil, 400, engine.CodeInvalidParameter, `version`},

	{"POST", "/v1/machines/x/events?wait=aplied", pay, 400, engine.CodeInvalidParameter, `none, applied`},
	{"POST", "/v1/machines?wait=applied", `{"definition":"x"}`, 400, engine.CodeInvalidParameter, `started, none`},
	{"POST", "/v1/machines/x/events?timeout=1s", pay, 400, engine.CodeInvalidParameter, `does not wait`},
	{"POST", "/v1/machines?wait=none&timeout=1s", `{"definition":"x"}`, 400, engine.CodeInvalidParameter, `does not wait`},
	{"POST", "/v1/machines/x/events?wait=applied&timeout=61s", pay, 400, engine.CodeInvalidParameter, `at most 60 s`},
	{"POST", "/v1/machines/x/events?wait=applied&timeout=5", pay, 400, engine.CodeInvalidParameter, `timeout "5"`},
	{"POST", "/v1/machines/x/events?wait=applied&timeout=0s", pay, 400, engine.CodeInvalidParameter, `timeout "0s"`},
	{"POST", "/v1/machines/x/events?wait=applied&timeout=-1s", pay, 400, engine.CodeInvalidParameter, `timeout "-1s"`},
	{"POST", "/v1/machines/x/events?wait=applied&timeout=1h", pay, 400, engine.CodeInvalidParameter, `timeout "1h"`},
	{"POST", "/v1/machines/x/events?wait=applied&timeout=5us", pay, 400, engine.CodeInvalidParameter, `timeout "5us"`},
	{"POST", "/v1/machines/x/events?wait=applied&timeout=1m1s", pay, 400, engine.CodeInvalidParameter, `timeout "1m1s"`},

	{"POST", "/v1/machines", "", 400, engine.CodeInvalidBody, `the body is empty`},
	{"POST", "/v1/machines", nil, 400, engine.CodeInvalidBody, `the body is empty`},
	{"POST", "/v1/definitions:validate", nil, 400, engine.CodeInvalidBody, `application/json, application/yaml`},
	{"GET", "/v1/machines", `{"status":"done"}`, 400, engine.CodeInvalidBody, `GET /v1/machines takes no body`},

	{"GET", "/", nil, 404, codeUnknownRoute, `"/"`},
	{"GET", "/v1/machines/", nil, 404, codeUnknownRoute, `"/v1/machines/"`},
	{"GET", "/v1/machines/x/", nil, 404, codeUnknownRoute, `"/v1/machines/x/"`},
	{"GET", "/v1/machines//timers", nil, 404, codeUnknownRoute, `"/v1/machines//timers"`},
	{"POST", "/v1/machines//timers", nil, 404, codeUnknownRoute, `"/v1/machines//timers"`},
	{"GET", "/v1//machines", nil, 404, codeUnknownRoute, `openapi.yaml`},
	{"GET", "/v1/machines/a/../b", nil, 404, codeUnknownRoute, `"/v1/machines/a/../b"`},
	{"GET", "/v1%2Fmachines", nil, 404, codeUnknownRoute, `"/v1%2Fmachines"`},
	{"GET", "/metrics", nil, 404, codeUnknownRoute, `"/metrics"`},
	{"GET", "/" + strings.Repeat("x", 500), nil, 404, codeUnknownRoute, `(501 bytes)`},

	{"PUT", "/v1/machines/x", nil, 405, codeMethodNotAllowed, `takes GET, HEAD, not "PUT"`},
	{"BREW", "/v1/machines", nil, 405, codeMethodNotAllowed, `takes GET, HEAD, POST, not "BREW"`},
	{"OPTIONS", "/v1/definitions:validate", nil, 405, codeMethodNotAllowed, `takes POST, not "OPTIONS"`},
	{"BREW", "/coffee", nil, 404, codeUnknownRoute, `"/coffee"`},
}

// Whatever a route does not take is refused before the service is asked (a call of this fake panics),
// by a message that names the place.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{}, Options{}).Malformed()
	for _, tt := range badRequests {
		name := fmt.Sprintf("%s %.80s", tt.method, tt.path)
		r := c.Do(tt.method, tt.path, tt.body)
		p := problemOf(t, r)
		if r.Status != tt.status || p.Code != string(tt.code) || !strings.Contains(p.Detail, tt.detail) {
			t.Errorf("%s: %d %s: %s\nwant %d %s: %s", name, r.Status, p.Code, p.Detail, tt.status, tt.code, tt.detail)
		}
		if got := r.Header.Get("Allow"); (got != "") != (tt.status == 405) {
			t.Errorf("%s: Allow %q", name, got)
		}
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		header, value string
		json, yaml    bool // taken by routes that take JSON; taken as YAML by those that take both
	}{
		{"Content-Type", "application/json", true, false},
		{"Content-Type", "Application/JSON; charset=UTF-8", true, false},
		{"Content-Type", "application/yaml", false, true},
		{"Content-Type", "text/yaml; charset=utf-8", false, true},
		{"Content-Type", "application/x-yaml", false, true},
		{"Content-Type", "application/json; charset=latin1", false, false},
		{"Content-Type", "application/x-www-form-urlencoded", false, false},
		{"Content-Type", "application/problem+json", false, false},
		{"Content-Type", "text/plain", false, false},
		{"Content-Type", "json", false, false},
		{"Content-Type", "", false, false},
		{"Content-Type", ";;", false, false},
		{"Content-Encoding", "identity", true, false},
		{"Content-Encoding", "gzip", false, false},
	}
	c := setup(t, &fake{
		validate: func(_ []byte, yaml bool) ([]engine.Fault, error) {
			return []engine.Fault{{Code: fmt.Sprint("yaml ", yaml)}}, nil
		},
		send: func(string, string, []byte) (engine.Accepted, error) { return engine.Accepted{EventID: "c:1"}, nil },
	}, Options{}).Malformed()
	for _, tt := range tests {
		with := c.With(tt.header, tt.value)
		want := 415
		if tt.json {
			want = 202
		}
		if r := with.Do("POST", "/v1/machines/x/events", `{"type":"PAY"}`); r.Status != want {
			t.Errorf("event, %s %q: %d, want %d", tt.header, tt.value, r.Status, want)
		}
		r := with.Do("POST", "/v1/definitions:validate", `{"machine":{}}`)
		if taken := tt.json || tt.yaml; taken != (r.Status == 200) || taken && !strings.Contains(string(r.Body), fmt.Sprint("yaml ", tt.yaml)) {
			t.Errorf("definition, %s %q: %d %s", tt.header, tt.value, r.Status, r.Body)
		}
	}
	if r := c.With("Content-Type", "application/json", "application/json").Do("POST", "/v1/machines/x/events", `{"type":"PAY"}`); r.Status != 415 {
		t.Errorf("two content types: %d", r.Status)
	}
}

// A body that says nothing about itself is JSON.
func TestMissingContentTypeIsJSON(t *testing.T) {
	t.Parallel()
	h := New(&fake{validate: func(_ []byte, yaml bool) ([]engine.Fault, error) {
		if yaml {
			t.Error("taken as YAML")
		}
		return nil, nil
	}}, Options{})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/definitions:validate", strings.NewReader(`{}`)))
	if w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The limit holds for a body of a length that is not told as well, and the message names it.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	got := 0
	h := New(&fake{send: func(_, _ string, event []byte) (engine.Accepted, error) {
		got = len(event)
		return engine.Accepted{}, nil
	}}, Options{MaxBody: 20})
	for _, told := range []bool{true, false} {
		for n, want := range map[int]int{20: 202, 21: 413} {
			var body io.Reader = strings.NewReader(strings.Repeat("x", n))
			if !told {
				body = io.MultiReader(body)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/machines/x/events", body))
			if w.Code != want || got != 20 && want == 202 || want == 413 && !strings.Contains(w.Body.String(), "limit of 20 bytes") {
				t.Errorf("%d bytes, length told %t: %d %s", n, told, w.Code, w.Body)
			}
		}
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{
		send: func(_, eventID string, _ []byte) (engine.Accepted, error) {
			return engine.Accepted{EventID: "c:" + eventID, AcceptedAt: noon}, nil
		},
		create: func(r engine.CreateRequest) (string, bool, error) { return r.IdempotencyKey, true, nil },
		machine: func(id string) (engine.MachineView, error) {
			return order(id), nil
		},
	}, Options{}).Malformed()
	tests := []struct {
		values []string
		ok     bool
	}{
		{[]string{"payment-12"}, true},
		{[]string{`"!~/%{}`}, true},
		{[]string{strings.Repeat("k", 200)}, true},
		{[]string{strings.Repeat("k", 201)}, false},
		{[]string{""}, false},
		{[]string{"two words"}, false},
		{[]string{"schlüssel"}, false},
		{[]string{"a\tb"}, false},
		{[]string{"a", "b"}, false},
	}
	for _, tt := range tests {
		with := c.With("Idempotency-Key", tt.values...)
		for _, r := range []struct{ path, body string }{
			{"/v1/machines/x/events", `{"type":"PAY"}`}, {"/v1/machines?wait=none", `{"definition":"order"}`},
		} {
			got := with.Do("POST", r.path, r.body)
			if tt.ok != (got.Status < 300) || tt.ok && !strings.Contains(string(got.Body), strings.Trim(fmt.Sprintf("%q", tt.values[0]), `"`)) {
				t.Errorf("%s, key %q: %d %s", r.path, tt.values, got.Status, got.Body)
			}
			if !tt.ok {
				if p := problemOf(t, got); p.Code != "invalid_id" || !strings.Contains(p.Detail, "Idempotency-Key") {
					t.Errorf("%s, key %q: %+v", r.path, tt.values, p)
				}
			}
		}
	}
}

// A parameter of a path reaches the engine as the caller meant it, whatever it holds: it is decoded
// once, and what it decodes to is never a path again.
func TestPathParametersAreDecodedOnce(t *testing.T) {
	t.Parallel()
	var got string
	c := setup(t, &fake{machine: func(id string) (engine.MachineView, error) {
		got = id
		return engine.MachineView{}, &engine.Error{Code: engine.CodeInvalidID, Message: "no"}
	}, timers: func(id string, _ int) ([]engine.TimerView, error) {
		got = id
		return nil, nil
	}}, Options{}).Malformed()
	ids := []string{
		"x", "order-7", "a:b@c", "..", ".", "a/b", "a/../b", "/", "%", "%2F", "a%20b", "a b", "ü", "🦊", "\x00", "\xff",
		"a?b#c", "a;b", "a+b", strings.Repeat("i", 300), "validate", "{id}", "*",
	}
	for _, id := range ids {
		segment := url.PathEscape(id)
		if c.Do("GET", "/v1/machines/"+segment, nil).Must(400); got != id {
			t.Errorf("%q was read as %q", id, got)
		}
		if c.Do("GET", "/v1/machines/"+segment+"/timers", nil); got != id {
			t.Errorf("timers of %q were read of %q", id, got)
		}
	}
	if c.Do("GET", "/v1/machines/%61%2fb", nil).Must(400); got != "a/b" {
		t.Errorf("unusual escapes were read as %q", got)
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{machine: func(id string) (engine.MachineView, error) { return order(id), nil }}, Options{})
	get, head := c.Do("GET", "/v1/machines/x", nil).Must(200), c.Do("HEAD", "/v1/machines/x", nil).Must(200)
	if len(head.Body) != 0 || head.Header.Get("Content-Type") != "application/json" || head.Header.Get("Content-Length") != get.Header.Get("Content-Length") {
		t.Errorf("HEAD: %v %s", head.Header, head.Body)
	}
	c.Malformed().Do("HEAD", "/v1/definitions:validate", nil).Must(405)
}

// What a caller would like to get is not asked: there is one form.
func TestAcceptIsNotAsked(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{}, Options{}).With("Accept", "image/png")
	if got := c.Do("GET", "/healthz", nil).Must(200).Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
}

// Odd requests that no client library makes are answered with problems too.
func TestOddRequestLines(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(New(&fake{}, Options{}))
	defer server.Close()
	for _, line := range []string{"OPTIONS *", "GET /v1/machines/x?%", "GET //", "GET http://elsewhere/v3"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", line)
		got, err := io.ReadAll(conn)
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err != nil || line != "OPTIONS *" && !strings.Contains(string(got), "application/problem+json") || !strings.HasPrefix(string(got), "HTTP/1.1 ") {
			t.Errorf("%s: %v\n%s", line, err, got)
		}
	}
}

// Routes are counted by their pattern; what is not a route, under one name.
func TestObserve(t *testing.T) {
	t.Parallel()
	var seen []string
	h := New(&fake{machine: func(string) (engine.MachineView, error) { panic("no") }}, Options{
		Log:     slog.New(slog.DiscardHandler),
		Observe: func(route string, status int, _ time.Duration) { seen = append(seen, fmt.Sprint(route, " ", status)) },
		Metrics: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
	})
	for _, path := range []string{"/healthz", "/v1/machines/some-id", "/v1/machines?x=1", "/nowhere/some-id", "/metrics"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("DELETE", "/v1/machines/some-id", nil))
	want := "GET /healthz 200, GET /v1/machines/{id} 500, GET /v1/machines 400, unmatched 404, GET /metrics 200, unmatched 405"
	if got := strings.Join(seen, ", "); got != want {
		t.Errorf("observed %s\nwant %s", got, want)
	}
}
