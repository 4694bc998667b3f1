package api

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	openapi "github.com/detent-run/detent/api"
)

func TestProbes(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{readiness: func() error { return nil }}, Options{})
	for path, want := range map[string]string{"/healthz": `{"status":"ok"}`, "/readyz": `{"status":"ready"}`} {
		if r := c.Do("GET", path, nil).Must(200); string(r.Body) != want+"\n" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v %s", path, r.Header, r.Body)
		}
	}
}

func TestMetricsAreWhoevers(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{}, Options{Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = io.WriteString(w, "detent_up 1\n")
	})})
	if r := c.Do("GET", "/metrics", nil).Must(200); string(r.Body) != "detent_up 1\n" {
		t.Errorf("%s", r.Body)
	}
}

func TestDocumentIsServed(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{}, Options{})
	r := c.Do("GET", "/v1/openapi.yaml", nil).Must(200)
	if !bytes.Equal(r.Body, openapi.Document) || r.Header.Get("Content-Type") != "application/yaml" {
		t.Errorf("%d bytes, %v", len(r.Body), r.Header)
	}
}
