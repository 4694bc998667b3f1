// Package telemetry is what a process says about itself: its log and its metrics.
//
// Metrics are behind methods named after what happened, so that no other package knows Prometheus.
// It imports settings and the Prometheus client.
package telemetry

import (
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/detent-run/detent/internal/settings"
)

// NewLogger returns the log that the settings want.
func NewLogger(w io.Writer, s settings.Settings) *slog.Logger {
	o := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogJSON {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// Metrics counts what happens in a process. It is safe for concurrent use.
type Metrics struct {
	registry   *prometheus.Registry
	macrosteps *prometheus.CounterVec
	lateness   *prometheus.HistogramVec
	delay      *prometheus.HistogramVec
	commits    prometheus.Histogram
	fenced     prometheus.Counter
	held       prometheus.Gauge
	overdue    prometheus.Gauge
	unowned    prometheus.Gauge
	requests   *prometheus.HistogramVec
}

// seconds are the bounds of all histograms: from a fast commit to a long outage.
var seconds = []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 300}

// NewMetrics returns metrics at zero.
func NewMetrics() *Metrics {
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: seconds}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &Metrics{
		registry:   prometheus.NewRegistry(),
		macrosteps: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "detent_macrosteps_total", Help: "Macrosteps and decisions, by outcome."}, []string{"outcome"}),
		lateness:   histogram("detent_timer_lateness_seconds", "From a timer's deadline to its handling, by definition.", "definition"),
		delay:      histogram("detent_event_delay_seconds", "From an event's acceptance to its handling, by definition.", "definition"),
		commits:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: "detent_commit_seconds", Help: "Time that a lane's commit took.", Buckets: seconds}),
		fenced:     prometheus.NewCounter(prometheus.CounterOpts{Name: "detent_fenced_total", Help: "How often this process lost its leases."}),
		held:       gauge("detent_buckets_held", "Buckets that this process holds."),
		overdue:    gauge("detent_timers_overdue", "Timers of all buckets that are overdue by more than five seconds."),
		unowned:    gauge("detent_buckets_unowned", "Buckets that no worker holds."),
		requests:   histogram("detent_http_request_seconds", "Requests, by route and status.", "route", "status"),
	}
	m.registry.MustRegister(m.macrosteps, m.lateness, m.delay, m.commits, m.fenced, m.held, m.overdue, m.unowned, m.requests,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the metrics in Prometheus's form.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Macrostep counts a macrostep or decision.
func (m *Metrics) Macrostep(outcome string) { m.macrosteps.WithLabelValues(outcome).Inc() }

// TimerFired notes how late a timer of a definition was handled.
func (m *Metrics) TimerFired(definition string, lateness time.Duration) {
	m.lateness.WithLabelValues(definition).Observe(lateness.Seconds())
}

// EventHandled notes how long an event of a definition waited.
func (m *Metrics) EventHandled(definition string, delay time.Duration) {
	m.delay.WithLabelValues(definition).Observe(delay.Seconds())
}

// Committed notes how long a commit took.
func (m *Metrics) Committed(took time.Duration) { m.commits.Observe(took.Seconds()) }

// Fenced counts a loss of all leases.
func (m *Metrics) Fenced() { m.fenced.Inc() }

// LeasesHeld notes how many buckets this process holds.
func (m *Metrics) LeasesHeld(buckets int) { m.held.Set(float64(buckets)) }

// Overdue notes what the watch found.
func (m *Metrics) Overdue(timers, unownedBuckets int) {
	m.overdue.Set(float64(timers))
	m.unowned.Set(float64(unownedBuckets))
}

// Request notes an answered request.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}
