package telemetry

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/settings"
)

func TestLogger(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		s    settings.Settings
		want string // a piece of the one line that is written
	}{
		{"text", settings.Settings{LogLevel: slog.LevelWarn, LogFormat: settings.LogText}, "level=WARN msg=heard lane=3\n"},
		{"json", settings.Settings{LogLevel: slog.LevelWarn, LogFormat: settings.LogJSON}, `"level":"WARN","msg":"heard","lane":3}` + "\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			log := NewLogger(&out, test.s)
			log.Info("not heard")
			log.Warn("heard", "lane", 3)
			if got := out.String(); !strings.Contains(got, test.want) || strings.Count(got, "\n") != 1 {
				t.Errorf("log is %q, want one line with %q", got, test.want)
			}
		})
	}
}

// scrape returns what Prometheus reads.
func scrape(m *Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	m.Macrostep("applied")
	m.Macrostep("applied")
	m.Macrostep("dead")
	m.TimerFired("order", 3*time.Millisecond)
	m.EventHandled("order", 20*time.Second)
	m.Committed(time.Millisecond)
	m.Fenced()
	m.LeasesHeld(128)
	m.Overdue(7, 2)
	m.Request("GET /v1/machines/{id}", 404, 5*time.Millisecond)
	got := scrape(m)
	for _, line := range []string{
		`detent_macrosteps_total{outcome="applied"} 2`,
		`detent_macrosteps_total{outcome="dead"} 1`,
		`detent_timer_lateness_seconds_bucket{definition="order",le="0.0025"} 0`,
		`detent_timer_lateness_seconds_bucket{definition="order",le="0.005"} 1`,
		`detent_event_delay_seconds_sum{definition="order"} 20`,
		`detent_commit_seconds_count 1`,
		`detent_fenced_total 1`,
		`detent_buckets_held 128`,
		`detent_timers_overdue 7`,
		`detent_buckets_unowned 2`,
		`detent_http_requests_total{route="GET /v1/machines/{id}",status="404"} 1`,
		`detent_http_request_seconds_bucket{route="GET /v1/machines/{id}",le="0.005"} 1`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}

// Users register as many definitions as they like; the metrics stay of a size.
func TestDefinitionsAreBounded(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	for i := range maxDefinitions + 50 {
		m.TimerFired("d"+strconv.Itoa(i), 0)
		m.TimerFired("d0", 0) // one that is known keeps its own
	}
	got := scrape(m)
	if n := strings.Count(got, "detent_timer_lateness_seconds_count{"); n != maxDefinitions+1 {
		t.Errorf("%d series, want %d", n, maxDefinitions+1)
	}
	for _, line := range []string{
		`detent_timer_lateness_seconds_count{definition="(other)"} 50`,
		`detent_timer_lateness_seconds_count{definition="d0"} ` + strconv.Itoa(maxDefinitions+51),
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}
