package api

import (
	"net"
	"net/http"
	"net/url"

	"github.com/detent-run/detent/internal/engine"
)

func (a *api) createMachine(w http.ResponseWriter, q *request) error {
	wait, err := q.oneOf("wait", "started", "started", "none")
	if err != nil {
		return err
	}
	timeout, err := q.timeout(wait == "started", createWait)
	if err != nil {
		return err
	}
	key, err := q.idempotencyKey()
	if err != nil {
		return err
	}
	id, created, err := a.service.Create(q.Context(), engine.CreateRequest{Body: q.body, IdempotencyKey: key, By: caller(q)})
	if err != nil {
		return err
	}
	var view engine.MachineView
	if wait == "started" {
		ctx, cancel := q.waiting(timeout)
		defer cancel()
		view, err = a.service.AwaitStart(ctx, id)
	} else {
		view, err = a.service.Machine(q.Context(), id)
	}
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
		w.Header().Set("Location", "/v1/machines/"+url.PathEscape(id))
	}
	return write(w, status, view)
}

// caller is who a machine's record says has made it: the address, for there is nothing else to know
// a caller by.
func caller(q *request) string {
	host, _, err := net.SplitHostPort(q.RemoteAddr)
	if err != nil {
		host = q.RemoteAddr
	}
	return "http " + host
}

func (a *api) readMachine(w http.ResponseWriter, q *request) error {
	view, err := a.service.Machine(q.Context(), q.segment("id"))
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, view)
}

func (a *api) listMachines(w http.ResponseWriter, q *request) error {
	limit, err := q.limit()
	if err != nil {
		return err
	}
	status, err := q.oneOf("status", "", "starting", "active", "done", "error", "stopped", "suspended")
	if err != nil {
		return err
	}
	views, next, err := a.service.Machines(q.Context(), engine.MachineQuery{
		Definition: q.query.Get("definition"), Status: status, PageToken: q.query.Get("pageToken"), Limit: limit,
	})
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Machines      []engine.MachineView `json:"machines"`
		NextPageToken string               `json:"nextPageToken,omitempty"`
	}{list(views), next})
}

func (a *api) readTimers(w http.ResponseWriter, q *request) error {
	limit, err := q.limit()
	if err != nil {
		return err
	}
	timers, err := a.service.Timers(q.Context(), q.segment("id"), limit)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Timers []engine.TimerView `json:"timers"`
	}{list(timers)})
}
