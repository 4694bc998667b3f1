package api

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/detent-run/detent/internal/engine"
)

// Options of New. The zero value works.
type Options struct {
	// Log takes every request at debug and every fault of ours at error. Nil discards.
	Log *slog.Logger
	// Metrics is served at /metrics. Nil leaves the path unknown.
	Metrics http.Handler
	// Observe is told of every request once it is answered. The route is "METHOD pattern", as in
	// "POST /v1/machines/{id}/events", or "unmatched": never the path that was asked for, which has no
	// bound. A caller who left before the answer counts as status 499.
	Observe func(route string, status int, took time.Duration)
	// MaxBody bounds a request's body in bytes. 0 is 1 MiB.
	MaxBody int64
}

// api is what the handlers share.
type api struct {
	service engine.Service
	log     *slog.Logger
	metrics http.Handler
	observe func(route string, status int, took time.Duration)
	maxBody int64
	router  *chi.Mux
}

// New returns the HTTP side of the service.
func New(service engine.Service, o Options) http.Handler {
	a := &api{service: service, log: o.Log, metrics: o.Metrics, observe: o.Observe, maxBody: o.MaxBody}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.observe == nil {
		a.observe = func(string, int, time.Duration) {}
	}
	if a.maxBody == 0 {
		a.maxBody = defaultMaxBody
	}
	a.router = a.newRouter(routes)
	return a.router
}
