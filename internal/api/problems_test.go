package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/api/apitest"
	"github.com/detent-run/detent/internal/engine"
)

// told is a problem as a caller reads it.
type told struct {
	Type, Title, Detail, Code, Pointer string
	Status                             int
	Retryable                          bool
	Errors                             []engine.Fault
}

// problemOf reads a problem and holds it to what all problems have in common.
func problemOf(t *testing.T, r *apitest.Response) told {
	t.Helper()
	var p told
	r.Into(&p)
	if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %q", got)
	}
	if p.Status != r.Status || p.Type != "urn:detent:problem:"+p.Code || p.Title == "" || p.Detail == "" {
		t.Errorf("status %d with problem %+v", r.Status, p)
	}
	return p
}

// Every code has a request that provokes it.
func TestProblems(t *testing.T) {
	t.Parallel()
	fails := func(err error) *fake {
		return &fake{
			register: func(string, []byte, bool) (engine.Registered, error) { return engine.Registered{}, err },
			definition: func(string, int) (engine.DefinitionView, error) {
				return engine.DefinitionView{}, err
			},
			create:  func(engine.CreateRequest) (string, bool, error) { return "", false, err },
			machine: func(string) (engine.MachineView, error) { return engine.MachineView{}, err },
			send:    func(string, string, []byte) (engine.Accepted, error) { return engine.Accepted{}, err },
		}
	}
	coded := func(code engine.Code) *fake { return fails(&engine.Error{Code: code, Message: "what is wrong"}) }
	const create = `{"definition":"order"}`

	tests := []struct {
		code    engine.Code
		status  int
		service *fake
		method  string
		path    string
		body    any
	}{
		{engine.CodeInvalidBody, 400, nil, "POST", "/v1/machines", ""},
		{engine.CodeInvalidID, 400, coded(engine.CodeInvalidID), "GET", "/v1/machines/..", nil},
		{engine.CodeInvalidParameter, 400, nil, "GET", "/v1/machines?limit=0", nil},
		{engine.CodeUnknownDefinition, 404, coded(engine.CodeUnknownDefinition), "GET", "/v1/definitions/x/versions/1", nil},
		{engine.CodeUnknownVersion, 404, coded(engine.CodeUnknownVersion), "GET", "/v1/definitions/x/versions/9", nil},
		{engine.CodeUnknownMachine, 404, coded(engine.CodeUnknownMachine), "GET", "/v1/machines/x", nil},
		{codeUnknownRoute, 404, nil, "GET", "/v2", nil},
		{codeMethodNotAllowed, 405, nil, "DELETE", "/v1/machines/x", nil},
		{engine.CodeMachineConflict, 409, coded(engine.CodeMachineConflict), "POST", "/v1/machines", create},
		{engine.CodeIdempotencyConflict, 409, coded(engine.CodeIdempotencyConflict), "POST", "/v1/machines/x/events", pay},
		{engine.CodeTooLarge, 413, nil, "POST", "/v1/machines", `{"definition":"` + strings.Repeat("x", defaultMaxBody) + `"}`},
		{codeUnsupportedMedia, 415, nil, "POST", "/v1/machines", create},
		{engine.CodeInvalidDefinition, 422, coded(engine.CodeInvalidDefinition), "POST", "/v1/definitions/x/versions", `{}`},
		{engine.CodeInvalidEvent, 422, coded(engine.CodeInvalidEvent), "POST", "/v1/machines/x/events", `{}`},
		{engine.CodeReservedEvent, 422, coded(engine.CodeReservedEvent), "POST", "/v1/machines/x/events", `{"type":"xstate.init"}`},
		{engine.CodeInternal, 500, coded(engine.CodeInternal), "GET", "/v1/machines/x", nil},
		{engine.CodeUnavailable, 503, coded(engine.CodeUnavailable), "GET", "/v1/machines/x", nil},
	}
	if len(tests) != len(problems) {
		t.Errorf("%d tests of %d codes", len(tests), len(problems))
	}
	for i, tt := range tests {
		t.Run(string(tt.code), func(t *testing.T) {
			t.Parallel()
			if tt.code != problems[i].code {
				t.Errorf("the table has %s in this place", problems[i].code)
			}
			c := setup(t, tt.service, Options{}).Malformed()
			if tt.code == codeUnsupportedMedia {
				c = c.With("Content-Type", "application/x-www-form-urlencoded")
			}
			r := c.Do(tt.method, tt.path, tt.body).Must(tt.status)
			if p := problemOf(t, r); p.Code != string(tt.code) || p.Title != problems[i].title {
				t.Errorf("problem %+v", p)
			}
		})
	}
}

// What the engine says of an error reaches the caller whole.
func TestProblemKeepsPointerFaultsAndRetryable(t *testing.T) {
	t.Parallel()
	faults := []engine.Fault{{Pointer: "/machine/initial", Code: "unknown_target", Message: "no such state"}, {Pointer: "", Code: "x", Message: "y"}}
	c := setup(t, &fake{validate: func([]byte, bool) ([]engine.Fault, error) {
		return nil, &engine.Error{Code: engine.CodeInvalidDefinition, Message: "2 faults", Pointer: "/machine/initial", Faults: faults, Retryable: true}
	}}, Options{})
	p := problemOf(t, c.Do("POST", "/v1/definitions:validate", `{"machine":{}}`).Must(422))
	if p.Detail != "2 faults" || p.Pointer != "/machine/initial" || !p.Retryable || len(p.Errors) != 2 || p.Errors[0] != faults[0] {
		t.Errorf("problem %+v", p)
	}
}

// What the path names is not found; what the body names is not processable.
func TestUnknownInTheBodyIs422(t *testing.T) {
	t.Parallel()
	for _, code := range []engine.Code{engine.CodeUnknownDefinition, engine.CodeUnknownVersion} {
		c := setup(t, &fake{create: func(engine.CreateRequest) (string, bool, error) {
			return "", false, &engine.Error{Code: code, Message: "none", Pointer: "/definition"}
		}}, Options{})
		if p := problemOf(t, c.Do("POST", "/v1/machines", `{"definition":"x"}`).Must(422)); p.Code != string(code) {
			t.Errorf("problem %+v", p)
		}
	}
}

func TestUnavailableSaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{readiness: func() error {
		return &engine.Error{Code: engine.CodeUnavailable, Message: "the database does not answer", Retryable: true}
	}}, Options{})
	r := c.Do("GET", "/readyz", nil).Must(503)
	if p := problemOf(t, r); !p.Retryable || p.Detail != "the database does not answer" || r.Header.Get("Retry-After") != "1" {
		t.Errorf("problem %+v, header %v", p, r.Header)
	}
}

// Whatever goes wrong inside, the caller learns that it did, and the log learns what.
func TestInternalTextStaysInside(t *testing.T) {
	t.Parallel()
	const secret = "password=hunter2"
	tests := map[string]func() error{
		"an error of the engine":     func() error { return &engine.Error{Code: engine.CodeInternal, Message: secret, Pointer: "/x"} },
		"an error of somebody else":  func() error { return fmt.Errorf("dial: %w", errors.New(secret)) },
		"a code that nobody knows":   func() error { return &engine.Error{Code: "surprise", Message: secret} },
		"a panic":                    func() error { panic(secret) },
		"a panic with a nil pointer": func() error { var e *engine.Error; return errors.New(secret + e.Message) },
	}
	for name, fails := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			c := setup(t, &fake{machine: func(string) (engine.MachineView, error) { return engine.MachineView{}, fails() }},
				Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			r := c.Do("GET", "/v1/machines/x", nil).Must(500)
			if p := problemOf(t, r); p.Code != "internal" || p.Retryable || strings.Contains(string(r.Body), "hunter2") {
				t.Errorf("problem %+v", p)
			}
			if !strings.Contains(log.String(), "level=ERROR") || strings.Contains(name, "panic") != strings.Contains(log.String(), "stack=") {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// A time that ran out inside is no fault of the request and none of the service's logic.
func TestEndedContextIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, ended := range []error{context.DeadlineExceeded, context.Canceled} {
		c := setup(t, &fake{machine: func(string) (engine.MachineView, error) { return engine.MachineView{}, fmt.Errorf("read: %w", ended) }}, Options{})
		if p := problemOf(t, c.Do("GET", "/v1/machines/x", nil).Must(503)); !p.Retryable {
			t.Errorf("problem %+v", p)
		}
	}
}
