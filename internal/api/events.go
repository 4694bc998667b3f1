package api

import (
	"net/http"
	"time"

	"github.com/detent-run/detent/internal/engine"
)

func (a *api) sendEvent(w http.ResponseWriter, q *request) error {
	wait, err := q.oneOf("wait", "none", "none", "applied")
	if err != nil {
		return err
	}
	timeout, err := q.timeout(wait == "applied", eventWait)
	if err != nil {
		return err
	}
	key, err := q.idempotencyKey()
	if err != nil {
		return err
	}
	id := q.segment("id")
	accepted, err := a.service.Send(q.Context(), id, key, q.body)
	if err != nil {
		return err
	}
	if wait == "none" {
		return write(w, http.StatusAccepted, accepted)
	}
	ctx, cancel := q.waiting(timeout)
	defer cancel()
	applied, done, err := a.service.AwaitApplied(ctx, id, accepted)
	switch {
	case err != nil:
		return err
	case !done:
		return write(w, http.StatusAccepted, accepted)
	default:
		return write(w, http.StatusOK, applied)
	}
}

// sentEvent is what became of one event of a batch: the first two members, or the others.
type sentEvent struct {
	EventID    string      `json:"eventId,omitempty"`
	AcceptedAt *time.Time  `json:"acceptedAt,omitempty"`
	Code       engine.Code `json:"code,omitempty"`
	Message    string      `json:"message,omitempty"`
	Pointer    string      `json:"pointer,omitempty"`
}

func (a *api) sendEvents(w http.ResponseWriter, q *request) error {
	results, err := a.service.SendBatch(q.Context(), q.body, q.lines())
	if err != nil {
		return err
	}
	refused := 0
	items := make([]sentEvent, len(results))
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			refused++
			items[i] = sentEvent{Code: r.Err.Code, Message: r.Err.Message, Pointer: r.Err.Pointer}
			continue
		}
		items[i] = sentEvent{EventID: r.EventID, AcceptedAt: &r.AcceptedAt}
	}
	return write(w, http.StatusOK, struct {
		Refused int         `json:"refused"`
		Results []sentEvent `json:"results"`
	}{refused, items})
}

func (a *api) readHistory(w http.ResponseWriter, q *request) error {
	after, err := q.afterSeq()
	if err != nil {
		return err
	}
	limit, err := q.limit()
	if err != nil {
		return err
	}
	entries, more, err := a.service.History(q.Context(), q.segment("id"), after, limit)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Entries []engine.HistoryView `json:"entries"`
		Next    *int64               `json:"nextAfterSeq,omitempty"`
	}{list(entries), nextAfter(entries, more)})
}

// nextAfter returns where the next page begins, if there may be one.
func nextAfter(entries []engine.HistoryView, more bool) *int64 {
	if !more {
		return nil
	}
	return &entries[len(entries)-1].Seq
}
