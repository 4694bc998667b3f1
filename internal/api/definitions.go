package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/detent-run/detent/internal/engine"
)

func (a *api) registerDefinition(w http.ResponseWriter, q *request) error {
	registered, err := a.service.Register(q.Context(), q.segment("name"), q.body, q.yaml())
	if err != nil {
		return err
	}
	registered.Warnings = list(registered.Warnings)
	status := http.StatusOK
	if registered.Created {
		status = http.StatusCreated
		w.Header().Set("Location", fmt.Sprintf("/v1/definitions/%s/versions/%d", url.PathEscape(registered.Name), registered.Version))
	}
	return write(w, status, registered)
}

func (a *api) validateDefinition(w http.ResponseWriter, q *request) error {
	warnings, err := a.service.Validate(q.Context(), q.body, q.yaml())
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Warnings []engine.Fault `json:"warnings"`
	}{list(warnings)})
}

func (a *api) listDefinitions(w http.ResponseWriter, q *request) error {
	limit, err := q.limit()
	if err != nil {
		return err
	}
	views, next, err := a.service.Definitions(q.Context(), q.query.Get("pageToken"), limit)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Definitions   []engine.DefinitionView `json:"definitions"`
		NextPageToken string                  `json:"nextPageToken,omitempty"`
	}{list(views), next})
}

func (a *api) listVersions(w http.ResponseWriter, q *request) error {
	limit, err := q.limit()
	if err != nil {
		return err
	}
	views, next, err := a.service.Versions(q.Context(), q.segment("name"), q.query.Get("pageToken"), limit)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Versions      []engine.DefinitionView `json:"versions"`
		NextPageToken string                  `json:"nextPageToken,omitempty"`
	}{list(views), next})
}

func (a *api) readDefinition(w http.ResponseWriter, q *request) error {
	version, err := versionOf(q.segment("version"))
	if err != nil {
		return err
	}
	view, err := a.service.Definition(q.Context(), q.segment("name"), version)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, view)
}

// versionOf reads a version of the path: a number, or "latest", which the engine knows as 0.
func versionOf(text string) (int, error) {
	if text == "latest" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || !digits(text) || n < 1 {
		return 0, invalidParameter("version %s: a version is a whole number from 1, or latest", shown(text))
	}
	return int(n), nil
}
