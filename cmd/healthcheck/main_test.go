package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReachable(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":8080":          "127.0.0.1:8080",
		"0.0.0.0:8080":   "127.0.0.1:8080",
		"[::]:8080":      "127.0.0.1:8080",
		"127.0.0.1:9000": "127.0.0.1:9000",
		"[::1]:9000":     "[::1]:9000",
		"detent:80":      "detent:80",
	} {
		if got := reachable(addr); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status int
		wrong  string
	}{
		{"ready", http.StatusOK, ""},
		{"not ready", http.StatusServiceUnavailable, "not ready: 503 Service Unavailable: the database is away"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/readyz" {
					t.Errorf("asked for %s", r.URL.Path)
				}
				if test.status != http.StatusOK {
					http.Error(w, "the database is away", test.status)
				}
			}))
			defer server.Close()
			err := run(t.Context(), []string{"DETENT_ADDR=" + strings.TrimPrefix(server.URL, "http://")})
			if test.wrong == "" && err != nil || test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
				t.Errorf("error %v, want %q", err, test.wrong)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(nil)
		addr := server.Listener.Addr().String()
		server.Close()
		if err := run(t.Context(), []string{"DETENT_ADDR=" + addr}); err == nil {
			t.Error("ready, though nobody listens")
		}
	})
}
