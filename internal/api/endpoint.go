package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/detent-run/detent/internal/engine"
)

// statusClientGone is counted for a caller who left before the answer; it is what others count, too.
// It is never sent.
const statusClientGone = 499

// endpoint surrounds a route's handler with what all routes share: the deadline, the check of what
// was sent against the table, panics, problems, and the account of it all.
func (a *api) endpoint(rt *route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &recorder{ResponseWriter: w}
		defer func() { a.account(rec, r, rt, time.Since(began)) }()
		defer a.recoverTo(rec, r)

		ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
		defer cancel()
		if err := a.answer(rec, r.WithContext(ctx), rt); err != nil {
			a.refuse(rec, r, err)
		}
	}
}

func (a *api) answer(w *recorder, r *http.Request, rt *route) error {
	q := &request{Request: r, route: rt}
	if rt != &unmatched {
		if err := a.read(w, q); err != nil {
			return err
		}
	}
	return rt.handle(a, w, q)
}

// recoverTo turns a handler's panic into a problem. The stack is for the log only.
func (a *api) recoverTo(w *recorder, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p) // net/http's own way to drop a connection
	}
	a.log.Error("panic in a handler", "method", r.Method, "path", r.URL.EscapedPath(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.status == 0 {
		writeProblem(w, &engine.Error{Code: engine.CodeInternal})
	}
}

// account tells log and metrics about a request that is answered.
func (a *api) account(w *recorder, r *http.Request, rt *route, took time.Duration) {
	if w.status == 0 {
		w.status = http.StatusOK // what net/http sends for a handler that wrote nothing
	}
	a.log.Debug("request", "method", r.Method, "path", r.URL.EscapedPath(), "operation", rt.operation, "status", w.status, "took", took)
	a.observe(rt.label(), w.status, took)
}

// recorder keeps the status that was sent.
type recorder struct {
	http.ResponseWriter
	status int // 0 until something is sent
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
