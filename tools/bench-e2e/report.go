package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report gathers what was measured and checked.
type report struct {
	settings settings
	postgres string
	rows     []*row
	checks   []checked
	insert   float64 // rows each second by pgbench, 0 when it is not known
}

// row is a line of the table. Rates are per second, times of processors in µs per event, others in ms.
type row struct {
	Name         string  `json:"name"`
	Events       int     `json:"events"`
	Lost         int     `json:"lost"`
	Busy         int     `json:"sentAway,omitempty"` // requests
	Accepted     float64 `json:"acceptedPerSecond,omitempty"`
	Applied      float64 `json:"appliedPerSecond"`
	AckP50       float64 `json:"answerP50,omitempty"`
	AckP99       float64 `json:"answerP99,omitempty"`
	LateP50      float64 `json:"lateP50,omitempty"` // of timers, until they are decided
	LateP99      float64 `json:"lateP99,omitempty"`
	AppliedP50   float64 `json:"appliedP50,omitempty"`
	AppliedP99   float64 `json:"appliedP99,omitempty"`
	ServerTime   float64 `json:"serverMicros,omitempty"`
	WorkerTime   float64 `json:"workerMicros,omitempty"`
	PostgresTime float64 `json:"postgresMicros,omitempty"`
	LoadTime     float64 `json:"loadMicros,omitempty"`
	ToInsert     float64 `json:"toInsert,omitempty"` // Applied / pgbench's rate
}

// checked is a question whose right answer is 0.
type checked struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// newRow is what is known of a load without asking the database. lasted is until the last was applied.
func newRow(name string, s *sent, lasted time.Duration) *row {
	return &row{
		Name: name, Events: len(s.acks), Busy: s.busy,
		Accepted: float64(len(s.acks)) / s.lasts.Seconds(),
		Applied:  float64(len(s.acks)) / lasted.Seconds(),
		AckP50:   quantile(s.took, 0.5), AckP99: quantile(s.took, 0.99),
	}
}

// charge divides processor time by events.
func (r *row) charge(u usage, events int) {
	r.ServerTime, r.WorkerTime = perEvent(u.server, events), perEvent(u.worker, events)
	r.PostgresTime, r.LoadTime = perEvent(u.postgres, events), perEvent(u.load, events)
}

func perEvent(t time.Duration, events int) float64 {
	return float64(t.Microseconds()) / float64(max(1, events))
}

// quantile is in milliseconds.
func quantile(times []time.Duration, q float64) float64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return float64(times[int(q*float64(len(times)-1))].Microseconds()) / 1000
}

// write prints the table, and the line of JSON.
func (r *report) write(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tevents\taccepted/s\tapplied/s\tanswer ms\tlate ms\tapplied ms\tserver µs\tworker µs\tPostgres µs\tload µs\t")
	for _, row := range r.rows {
		if r.insert > 0 {
			row.ToInsert = row.Applied / r.insert
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", row.Name, row.Events, show("%.0f", row.Accepted), show("%.0f", row.Applied),
			pair(row.AckP50, row.AckP99), pair(row.LateP50, row.LateP99), pair(row.AppliedP50, row.AppliedP99),
			show("%.1f", row.ServerTime), show("%.1f", row.WorkerTime), show("%.1f", row.PostgresTime), show("%.1f", row.LoadTime))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nPostgres %s, %s, %d cores. \"answer\": until the request was answered, p50 / p99; \"late\": from a\n"+
		"deadline to its decision; \"applied\": from acceptance, or from the deadline, to the commit. Times in µs are processor time per event.\n\n", r.postgres, runtime.Version(), runtime.NumCPU())
	for _, row := range r.rows {
		if row.Accepted > 0 {
			fmt.Fprintf(out, "%s: %d acknowledged, %d not in history exactly once, %d requests sent away\n", row.Name, row.Events, row.Lost, row.Busy)
		}
	}
	for _, c := range r.checks {
		fmt.Fprintf(out, "%s: %d\n", c.What, c.Count)
	}
	line, err := json.Marshal(map[string]any{
		"postgres": r.postgres, "go": runtime.Version(), "cores": runtime.NumCPU(), "seconds": r.settings.duration.Seconds(),
		"rows": r.rows, "checks": r.checks,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s\n", line)
	return err
}

// verdict is an error when a check failed.
func (r *report) verdict() error {
	var wrong []string
	for _, row := range r.rows {
		if row.Lost > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d events lost or doubled", row.Name, row.Lost))
		}
	}
	for _, c := range r.checks {
		if c.Count > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d", c.What, c.Count))
		}
	}
	if len(wrong) > 0 {
		return errors.New("NOT AS IT MUST BE: " + strings.Join(wrong, "; "))
	}
	return nil
}

func show(format string, x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf(format, x)
}

func pair(p50, p99 float64) string {
	if p99 == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f / %.1f", p50, p99)
}
