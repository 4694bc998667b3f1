// Command bench-e2e measures the whole of Detent as people run it: a Postgres of its own that is durable
// (fsync on), the server as a process, HTTP on the loopback. And it checks what it measures: every event
// that was acknowledged is looked for in SQL afterwards.
//
//	go run ./tools/bench-e2e [-duration 10s] [-machines 10000] [-only TEXT]
//	go run ./tools/bench-e2e -timers [-duration 10s] [-due 2000] [-pending 100000] [-events 500]
//
// It must run in the root of the repository, on Linux. It prints a table, and one line of JSON last; it
// fails when a check does.
//
// # How it measures
//
// Load, server and Postgres share the host's cores, with whatever else runs there. So rates say little by
// themselves. What says more is the processor time per event of the server, of the worker and of all of
// Postgres's processes, from /proc, over the load and until the inbox is empty again; and the ratio to
// pgbench, which inserts rows one by one in the same cluster in the same run.
//
// "Accepted" counts acknowledgements within the duration. "Applied" is over the longer time until the
// last event was applied and committed. The time to application is from the event time, which is when the
// database accepted the event, to the commit of its macrostep, by Postgres's own commit timestamps
// (track_commit_timestamp): the flush to disk comes a moment later and is not in it. In the open loop an
// event is sent when its time has come, whatever became of those before it, and its acknowledgement counts
// from that time.
//
// # What it checks
//
// Each acknowledged event is in history exactly once. Each machine's history counts up from 1 without a
// gap, it has one snapshot, which is of its last entry, and the counter in its context is the number of
// its events: history folded in SQL. The inbox is empty. No timer fired early, and none is left over.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// settings is what the command line says.
type settings struct {
	duration time.Duration
	machines int
	only     string
	programs string

	timers  bool
	due     int
	pending int
	events  int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench-e2e:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	h := &host{settings: s, progress: stderr}
	defer h.close()
	if err := h.start(ctx); err != nil {
		return err
	}
	r := &report{settings: s, postgres: h.cluster.Version()}
	if s.timers {
		err = h.benchTimers(ctx, r)
	} else {
		err = h.benchEvents(ctx, r)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, h.lastWords())
	}
	if err := r.write(stdout); err != nil {
		return err
	}
	return r.verdict()
}

// parse reads the command line; what is wrong with it has been printed when it returns an error.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench-e2e", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.DurationVar(&s.duration, "duration", 10*time.Second, "how long each load lasts")
	flags.IntVar(&s.machines, "machines", 10_000, "how many machines get the events")
	flags.StringVar(&s.only, "only", "", "run loads whose name contains this")
	flags.StringVar(&s.programs, "programs", "", "directory with a server and a worker; empty builds them")
	flags.BoolVar(&s.timers, "timers", false, "measure timers in place of events")
	flags.IntVar(&s.due, "due", 2000, "with -timers: timers that are due each second")
	flags.IntVar(&s.pending, "pending", 100_000, "with -timers: timers of other machines that are pending all the time")
	flags.IntVar(&s.events, "events", 500, "with -timers: events each second to busy machines beside")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.duration < time.Second || s.machines < 2 || s.due < 1 || s.pending < 0 || s.events < 1 || flags.NArg() > 0 {
		err := errors.New("at least one second, two machines, one timer and one event are expected, and no arguments")
		fmt.Fprintln(stderr, err)
		return s, err
	}
	return s, nil
}
