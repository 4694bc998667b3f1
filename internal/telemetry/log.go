// Package telemetry makes a process observable: its log (log/slog) and its metrics (Prometheus).
//
// Metrics has one small method for each thing that happens, named after what happened, so that those
// who report know no metric names and no labels, and can be given the method as a plain function.
// Label values from outside are bounded: a metric must not grow with what users register.
//
// The package imports settings, the standard library and Prometheus's client.
package telemetry

import (
	"io"
	"log/slog"

	"github.com/detent-run/detent/internal/settings"
)

// NewLogger returns a log of the level and format that the settings ask for.
func NewLogger(w io.Writer, s settings.Settings) *slog.Logger {
	o := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == settings.LogJSON {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
