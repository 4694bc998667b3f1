package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/detent-run/detent/internal/engine"
)

// Codes that only HTTP has. The others are the engine's.
const (
	codeUnknownRoute     engine.Code = "unknown_route"
	codeMethodNotAllowed engine.Code = "method_not_allowed"
	codeUnsupportedMedia engine.Code = "unsupported_media_type"
)

// kind is how a code shows in HTTP.
type kind struct {
	code   engine.Code
	status int // 404 becomes 422 where the body names what is unknown: the path itself exists
	title  string
}

// problems is the one table from errors to HTTP.
var problems = []kind{
	{engine.CodeInvalidBody, 400, "The body cannot be read"},
	{engine.CodeInvalidID, 400, "An id is not allowed"},
	{engine.CodeInvalidParameter, 400, "A parameter is not allowed"},
	{engine.CodeUnknownDefinition, 404, "There is no such definition"},
	{engine.CodeUnknownVersion, 404, "There is no such version of the definition"},
	{engine.CodeUnknownMachine, 404, "There is no such machine"},
	{codeUnknownRoute, 404, "There is no such route"},
	{codeMethodNotAllowed, 405, "The route does not take this method"},
	{engine.CodeMachineConflict, 409, "The machine exists with another content"},
	{engine.CodeIdempotencyConflict, 409, "The idempotency key was used with another content"},
	{engine.CodeTooLarge, 413, "The request is too large"},
	{codeUnsupportedMedia, 415, "The body is of a kind that the route does not take"},
	{engine.CodeInvalidDefinition, 422, "The definition has faults"},
	{engine.CodeInvalidEvent, 422, "The event is not one that the machine takes"},
	{engine.CodeReservedEvent, 422, "The event's type is reserved"},
	{engine.CodeInternal, 500, "The service has failed"},
	{engine.CodeUnavailable, 503, "The service cannot answer now"},
}

// problemType is what stands before the code in a problem's type. It names, and leads nowhere: the
// document that describes the codes is served by the service itself.
const problemType = "urn:detent:problem:"

// problem is the body of every error, as RFC 9457 has it.
type problem struct {
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Status    int            `json:"status"`
	Detail    string         `json:"detail"`
	Code      engine.Code    `json:"code"`
	Pointer   string         `json:"pointer,omitempty"`
	Retryable bool           `json:"retryable"`
	Errors    []engine.Fault `json:"errors,omitempty"`
}

// internalDetail is all that a caller learns of a fault of ours.
const internalDetail = "the service has failed in a way that is not the request's fault; its log has the cause"

// refuse answers with the problem that the error is, after the log has what the caller is not told.
func (a *api) refuse(w *recorder, r *http.Request, err error) {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	late := &engine.Error{Code: engine.CodeUnavailable, Message: "the service did not answer in time", Retryable: true}
	if ended && r.Context().Err() != nil {
		// Nobody may be there to read it, but a caller who closed only the half must not get net/http's empty 200.
		w.status = statusClientGone
		writeProblem(w.ResponseWriter, late)
		return
	}
	var told *engine.Error
	switch {
	case ended:
		told = late
	case !errors.As(err, &told) || kindOf(told.Code).code != told.Code:
		told = &engine.Error{Code: engine.CodeInternal}
	}
	switch told.Code {
	case engine.CodeInternal:
		a.log.Error("request failed", "method", r.Method, "path", r.URL.EscapedPath(), "error", err, "cause", errors.Unwrap(err))
	case engine.CodeUnavailable:
		if cause := errors.Unwrap(err); cause != nil { // without one it is no trouble of ours: not ready yet, or too much at once
			a.log.Warn("request refused", "method", r.Method, "path", r.URL.EscapedPath(), "error", err, "cause", cause)
		}
	}
	writeProblem(w, told)
}

// writeProblem sends the error as the problem that the table makes of it.
func writeProblem(w http.ResponseWriter, told *engine.Error) {
	k := kindOf(told.Code)
	p := problem{
		Type: problemType + string(k.code), Title: k.title, Status: k.status, Code: k.code,
		Detail: told.Message, Pointer: told.Pointer, Retryable: told.Retryable, Errors: told.Faults,
	}
	switch {
	case k.code == engine.CodeInternal:
		p.Detail, p.Pointer, p.Errors = internalDetail, "", nil
	case k.status == http.StatusNotFound && told.Pointer != "":
		p.Status = http.StatusUnprocessableEntity
	case k.status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	body, err := encode(p)
	if err != nil {
		panic(err) // texts, numbers and booleans always encode
	}
	send(w, p.Status, "application/problem+json", body)
}

// kindOf returns the row of a code. One that the table lacks is a fault of ours.
func kindOf(code engine.Code) kind {
	internal := kind{}
	for _, k := range problems {
		if k.code == code {
			return k
		}
		if k.code == engine.CodeInternal {
			internal = k
		}
	}
	return internal
}
