package apitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// failing is a T that a test expects to fail. It says why by a panic, for Fatalf must not return.
type failing struct{ testing.TB }

func (failing) Helper() {}

func (failing) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// The client is worth what it refuses.
func TestClientRefuses(t *testing.T) {
	t.Parallel()
	const (
		machine = `{"id":"x","definition":"d","version":1,"status":"active","tags":[],"seq":1,"timers":[],"children":[],"labels":{},"createdAt":"2026-03-01T12:00:00Z","updatedAt":"2026-03-01T12:00:00Z"`
		problem = `{"type":"urn:detent:problem:unknown_machine","title":"t","status":404,"detail":"d","code":"unknown_machine","retryable":false`
		asJSON  = "application/json"
		asIs    = "application/problem+json"
	)
	tests := []struct {
		name         string
		method, path string
		request      any
		status       int
		contentType  string
		response     string
		want         string // part of the failure, "" for none
	}{
		{"a good answer", "GET", "/v1/machines/x", nil, 200, asJSON, machine + `}`, ""},
		{"a good problem", "GET", "/v1/machines/x", nil, 404, asIs, problem + `}`, ""},
		{"a field that is not documented", "GET", "/v1/machines/x", nil, 200, asJSON, machine + `,"secret":1}`, "secret"},
		{"a field of another type", "GET", "/v1/machines/x", nil, 200, asJSON, machine + `,"owner":4}`, "owner"},
		{"a field deep inside that is not documented", "GET", "/v1/machines/x", nil, 200, asJSON, machine + `,"suspension":{"code":"c","message":"m","stack":"s"}}`, "stack"},
		{"a missing field", "GET", "/v1/machines/x", nil, 200, asJSON, `{"id":"x"}`, "missing"},
		{"a time that is none", "GET", "/v1/machines/x", nil, 200, asJSON, machine + `,"now":"noon"}`, "date-time"},
		{"a state value that is none", "GET", "/v1/machines/x", nil, 200, asJSON, machine + `,"value":{"a":1}}`, "value"},
		{"a status that is not documented", "GET", "/v1/machines/x", nil, 418, asJSON, machine + `}`, "418"},
		{"a content type that is not documented", "GET", "/v1/machines/x", nil, 200, "text/html", machine + `}`, "text/html"},
		{"a redirect", "GET", "/v1/machines/x", nil, 301, asJSON, machine + `}`, "301"},
		{"a missing header", "GET", "/readyz", nil, 503, asIs, problem + `}`, "Retry-After"},
		{"a code that is not documented", "GET", "/v1/machines/x", nil, 404, asIs, strings.Replace(problem, `"unknown_machine"`, `"lost"`, 1) + `}`, "code"},
		{"a problem with more in it", "GET", "/v1/machines/x", nil, 404, asIs, problem + `,"stack":"s"}`, "stack"},
		{"a request without what it needs", "POST", "/v1/machines", `{"id":"x"}`, 201, asJSON, machine + `}`, "definition"},
		{"a request with more in it", "POST", "/v1/machines", `{"definition":"d","inptu":1}`, 201, asJSON, machine + `}`, "inptu"},
		{"a parameter out of range", "GET", "/v1/machines?limit=0", nil, 200, asJSON, `{"machines":[]}`, "limit"},
		{"a path of no operation", "GET", "/nowhere", nil, 404, asIs, problem + `}`, "no such operation"},
		{"a trailing slash", "GET", "/v1/machines/", nil, 404, asIs, problem + `}`, "no such operation"},
		{"a reserved event", "POST", "/v1/machines/x/events", `{"type":"xstate.init"}`, 202, asJSON, `{}`, "type"},
		{"an id that is none", "GET", "/v1/machines/a%20b", nil, 200, asJSON, machine + `}`, "id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if why := outcome(t, tt.status, tt.contentType, tt.response, func(c *Client) { c.Do(tt.method, tt.path, tt.request) }); !as(why, tt.want) {
				t.Errorf("failed with %s\nwant %q", why, tt.want)
			}
		})
	}
}

// A malformed client sends what the document forbids, and is as strict about the answer.
func TestMalformedClientRefuses(t *testing.T) {
	t.Parallel()
	const problem = `{"type":"urn:detent:problem:unknown_route","title":"t","status":404,"detail":"d","code":"unknown_route","retryable":false`
	tests := []struct {
		path, contentType string
		status            int
		response, want    string
	}{
		{"/v1/machines?limit=0", "application/json", 200, `{"machines":[]}`, ""},
		{"/v1/machines?limit=0", "application/json", 200, `{"machines":[],"asked":1}`, "asked"},
		{"/nowhere", "application/problem+json", 404, problem + `}`, ""},
		{"/v1/machines/", "application/problem+json", 404, problem + `}`, ""},
		{"/v1/machines/../..", "application/problem+json", 404, problem + `}`, ""},
		{"/nowhere", "application/problem+json", 404, problem + `,"stack":"s"}`, "stack"},
		{"/nowhere", "text/plain", 404, "404 page not found", "text/plain"},
		{"/nowhere", "application/json", 200, `{}`, "status 200"},
	}
	for _, tt := range tests {
		if why := outcome(t, tt.status, tt.contentType, tt.response, func(c *Client) { c.Malformed().Do("GET", tt.path, nil) }); !as(why, tt.want) {
			t.Errorf("%s: failed with %s\nwant %q", tt.path, why, tt.want)
		}
	}
}

// outcome returns why a client failed at a server that always answers the same, "" when it did not.
func outcome(t *testing.T, status int, contentType, response string, do func(*Client)) (why string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, response)
	}))
	defer server.Close()
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprint(p)
		}
	}()
	do(New(failing{t}, server.URL))
	return ""
}

// as reports whether a client failed as wanted: not at all, or for a reason that has the words in it.
func as(why, want string) bool {
	return (why == "") == (want == "") && strings.Contains(why, want)
}
