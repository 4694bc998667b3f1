package telemetry

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	namespace = "detent"

	// maxDefinitions is how many definitions get a label value of their own; the rest share otherDefinitions.
	maxDefinitions   = 200
	otherDefinitions = "(other)"
)

// delayBuckets span what matters for timers and events: from a fraction of a batch to a takeover
// (6 s) and beyond.
var delayBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 6, 15, 60, 300}

// Metrics are what one process counts. Its methods are safe for concurrent use.
type Metrics struct {
	registry    *prometheus.Registry
	macrosteps  *prometheus.CounterVec
	lateness    *prometheus.HistogramVec
	delay       *prometheus.HistogramVec
	commit      prometheus.Histogram
	fenced      prometheus.Counter
	leases      prometheus.Gauge
	overdue     prometheus.Gauge
	unowned     prometheus.Gauge
	requests    *prometheus.CounterVec
	requestTime *prometheus.HistogramVec

	mu          sync.Mutex
	definitions map[string]bool // those with a label value of their own
}

// NewMetrics returns metrics in a registry of their own, with those of the Go runtime and the process.
func NewMetrics() *Metrics {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	}
	histogram := func(name, help string, buckets []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		macrosteps: prometheus.NewCounterVec(counter("macrosteps_total",
			"Macrosteps and other decisions that were committed, by outcome as in history."), []string{"outcome"}),
		lateness: prometheus.NewHistogramVec(histogram("timer_lateness_seconds",
			"Time from a timer's deadline to its processing.", delayBuckets), []string{"definition"}),
		delay: prometheus.NewHistogramVec(histogram("event_delay_seconds",
			"Time from an event's acceptance to its processing.", delayBuckets), []string{"definition"}),
		commit: prometheus.NewHistogram(histogram("commit_seconds",
			"Duration of the transactions of lanes.", prometheus.ExponentialBuckets(.0005, 2, 14))),
		fenced:  prometheus.NewCounter(counter("fenced_total", "Times that this process lost its leases.")),
		leases:  gauge("buckets_held", "Buckets (of 256) that this process holds."),
		overdue: gauge("timers_overdue", "Timers of all buckets that are long past their deadline (counted up to a bound)."),
		unowned: gauge("buckets_unowned", "Buckets that no process holds."),
		requests: prometheus.NewCounterVec(counter("http_requests_total",
			"HTTP requests answered, by route and status."), []string{"route", "status"}),
		requestTime: prometheus.NewHistogramVec(histogram("http_request_seconds",
			"Duration of HTTP requests, by route.", prometheus.DefBuckets), []string{"route"}),
		definitions: map[string]bool{},
	}
	m.registry.MustRegister(m.macrosteps, m.lateness, m.delay, m.commit, m.fenced, m.leases, m.overdue, m.unowned,
		m.requests, m.requestTime,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the metrics in Prometheus's text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Macrostep counts a decision by its outcome, as history has it.
func (m *Metrics) Macrostep(outcome string) { m.macrosteps.WithLabelValues(outcome).Inc() }

// TimerFired records how long after its deadline a timer was processed.
func (m *Metrics) TimerFired(definition string, lateness time.Duration) {
	m.lateness.WithLabelValues(m.label(definition)).Observe(lateness.Seconds())
}

// EventHandled records how long after its acceptance an event was processed.
func (m *Metrics) EventHandled(definition string, delay time.Duration) {
	m.delay.WithLabelValues(m.label(definition)).Observe(delay.Seconds())
}

// Committed records a lane's transaction.
func (m *Metrics) Committed(took time.Duration) { m.commit.Observe(took.Seconds()) }

// Fenced counts the loss of all leases.
func (m *Metrics) Fenced() { m.fenced.Inc() }

// LeasesHeld says how many buckets the process holds now.
func (m *Metrics) LeasesHeld(buckets int) { m.leases.Set(float64(buckets)) }

// Overdue says what the watch over all buckets has found.
func (m *Metrics) Overdue(timers, unownedBuckets int) {
	m.overdue.Set(float64(timers))
	m.unowned.Set(float64(unownedBuckets))
}

// Request counts an HTTP request. The route is its pattern, never the path that was asked for.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.requestTime.WithLabelValues(route).Observe(took.Seconds())
}

// label returns the label value of a definition: its name for the first ones that this process meets.
func (m *Metrics) label(definition string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.definitions[definition] {
		return definition
	}
	if len(m.definitions) >= maxDefinitions {
		return otherDefinitions
	}
	m.definitions[definition] = true
	return definition
}
