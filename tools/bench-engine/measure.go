package main

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// slicesEach is how many slices a measurement has. The best counts. XState's best time may be short: it begins
// when its code is optimised, and ends when V8 takes that back.
const slicesEach = 12

// idleMachines is how many machines are held to weigh one.
const idleMachines = 20_000

// measure adds one round to a row.
func (r *report) measure(ctx context.Context, row *row) error {
	e, err := newEngine(&row.scenario)
	if err != nil {
		return err
	}
	want, err := e.sample()
	if err != nil {
		return err
	}
	for i, library := range libraries {
		if err := r.measureXState(ctx, row, i, library, want); err != nil {
			return err
		}
	}
	if row.scenario.Work == idleWork {
		bytes, err := e.bytes()
		row.bare = append(row.bare, bytes)
		return err
	}
	if w := e.bare(); w != nil {
		if row.bare, err = appendBest(row.bare, r.slicesOf(w)); err != nil {
			return err
		}
	}
	if w := e.stored(); w != nil {
		row.stored, err = appendBest(row.stored, r.slicesOf(w))
	}
	return err
}

// measureXState adds one version's round, and holds its result to ours.
func (r *report) measureXState(ctx context.Context, row *row, i int, library string, want value.Value) error {
	w, err := startWorker(ctx, library, &row.scenario)
	if err != nil {
		return err
	}
	r.versions[i], r.node = w.version, w.node
	if got := value.Sorted(w.sample).String(); got != value.Sorted(want).String() {
		return w.close(fmt.Errorf("XState %s comes to %s, and the engine to %s", w.version, got, value.Sorted(want)))
	}
	if row.scenario.Work == idleWork {
		var bytes float64
		bytes, err = w.bytes()
		row.xstate[i] = append(row.xstate[i], bytes)
	} else {
		row.xstate[i], err = appendBest(row.xstate[i], func() (float64, error) { return w.slice(r.settings.slice) })
	}
	return w.close(err)
}

// appendBest appends the best of the slices.
func appendBest(to []float64, slice func() (float64, error)) ([]float64, error) {
	best := 0.0
	for range slicesEach {
		rate, err := slice()
		if err != nil {
			return to, err
		}
		best = max(best, rate)
	}
	return append(to, best), nil
}

// slicesOf returns a function that does the work for a slice of time and returns its rate.
func (r *report) slicesOf(w work) func() (float64, error) {
	return func() (float64, error) {
		start, count := processorTime(), 0
		for {
			n, err := w()
			if err != nil {
				return 0, err
			}
			count += n
			if spent := processorTime() - start; spent >= r.settings.slice {
				return float64(count) / spent.Seconds(), nil
			}
		}
	}
}

// processorTime is what this process has used so far, on all cores.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it cannot fail with these arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// bytes returns the heap that an idle machine keeps: a snapshot that was read, with its identity.
func (e *engine) bytes() (float64, error) {
	kept := make([]*machine.Snapshot, idleMachines)
	before := heap()
	for i := range kept {
		self := &machine.Identity{ID: fmt.Sprintf("order-%d", i), Definition: e.self.Definition, Version: 1}
		s, err := e.program.DecodeSnapshot(self, e.text)
		if err != nil {
			return 0, err
		}
		kept[i] = &s
	}
	after := heap()
	runtime.KeepAlive(kept)
	return float64(after-before) / idleMachines, nil
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
