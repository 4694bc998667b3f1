package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// libraries are the versions of XState, by the names that worker.mjs knows.
var libraries = [...]string{"xstate", "xstate-6"}

// report gathers the measurements of all rounds.
type report struct {
	settings settings
	versions [len(libraries)]string
	node     string
	rows     []*row
}

// row is what was measured of one scenario, a number for each round: rates, or bytes of an idle machine.
type row struct {
	scenario scenario
	xstate   [len(libraries)][]float64
	bare     []float64 // the engine with the snapshot in memory
	stored   []float64 // ... read and written around every macrostep
}

// summary is a row in the last line.
type summary struct {
	Name        string  `json:"name"`
	Unit        string  `json:"unit"`
	XState5     float64 `json:"xstate5"`
	XState6     float64 `json:"xstate6"`
	Detent      float64 `json:"detent,omitempty"`
	Stored      float64 `json:"detentStored,omitempty"`
	Ratio       float64 `json:"ratio,omitempty"`
	StoredRatio float64 `json:"ratioStored,omitempty"`
}

// perSecond and perMachine are what the numbers of a row mean.
const (
	perSecond  = "per processor second"
	perMachine = "bytes"
)

func (r *row) summary() summary {
	s := summary{
		Name: r.scenario.Name, Unit: perSecond,
		XState5: math.Round(median(r.xstate[0])), XState6: math.Round(median(r.xstate[1])),
		Detent: math.Round(median(r.bare)), Stored: math.Round(median(r.stored)),
		Ratio: r.ratio(r.bare), StoredRatio: r.ratio(r.stored),
	}
	if r.scenario.Work == idleWork {
		s.Unit = perMachine
	}
	return s
}

// ratio is how many times better the engine is than the better XState of the same round.
func (r *row) ratio(ours []float64) float64 {
	ratios := make([]float64, len(ours))
	for i, x := range ours {
		if r.scenario.Work == idleWork {
			ratios[i] = min(r.xstate[0][i], r.xstate[1][i]) / x
		} else {
			ratios[i] = x / max(r.xstate[0][i], r.xstate[1][i])
		}
	}
	return math.Round(median(ratios)*100) / 100
}

// median returns the middle of the numbers, 0 of none.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// write prints the table, and the line of JSON.
func (r *report) write(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tXState %s\tXState %s\tDetent\tratio\tDetent, with JSON\tratio\t\n", r.versions[0], r.versions[1])
	var rows []summary
	for _, row := range r.rows {
		s := row.summary()
		rows = append(rows, s)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, count(s.XState5), count(s.XState6),
			count(s.Detent), times(s.Ratio), count(s.Stored), times(s.StoredRatio))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nRates are per second of processor time, an idle machine is in bytes; medians of %d rounds. A ratio\n"+
		"compares with the better XState of the same round. \"With JSON\": the snapshot is read before and written\n"+
		"after every macrostep; a durable round does that on all sides.\n\n", r.settings.rounds)
	line, err := json.Marshal(map[string]any{
		"xstate": r.versions, "node": r.node, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		"rounds": r.settings.rounds, "scenarios": rows,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}

func times(ratio float64) string {
	if ratio == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", ratio)
}

// count writes a number with its thousands apart.
func count(x float64) string {
	if x == 0 {
		return ""
	}
	digits := fmt.Sprintf("%.0f", x)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
