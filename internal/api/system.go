package api

import (
	"context"
	"net/http"

	openapi "github.com/detent-run/detent/api"
)

// health says that the process is alive. It asks nobody, so that a database that is away does not
// get healthy processes restarted.
func (a *api) health(w http.ResponseWriter, _ *request) error {
	return write(w, http.StatusOK, state{"ok"})
}

// ready says whether requests can be answered now.
func (a *api) ready(w http.ResponseWriter, q *request) error {
	ctx, cancel := context.WithTimeout(q.Context(), readyWithin)
	defer cancel()
	if err := a.service.Ready(ctx); err != nil {
		return err
	}
	return write(w, http.StatusOK, state{"ready"})
}

// state is the answer to a probe.
type state struct {
	Status string `json:"status"`
}

func (a *api) serveMetrics(w http.ResponseWriter, q *request) error {
	if a.metrics == nil {
		return unknownRoute(q.URL.EscapedPath())
	}
	a.metrics.ServeHTTP(w, q.Request)
	return nil
}

func (a *api) openAPI(w http.ResponseWriter, _ *request) error {
	send(w, http.StatusOK, "application/yaml", openapi.Document)
	return nil
}
