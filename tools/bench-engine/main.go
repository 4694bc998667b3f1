// Command bench-engine compares the engine's speed with XState's, in one run on one host.
//
//	go run ./tools/bench-engine [-rounds 5] [-slice 50ms] [-only TEXT]
//
// What is compared is in tools/bench-xstate: scenarios.json, and the definitions in machines/, which all
// contestants run. It prints a table of medians and ratios, and one line of JSON last. It must run in the root
// of the repository, and needs Node 20 and `npm ci` in tools/bench-xstate.
//
// # How it measures
//
// A rate is per second of processor time, not of time on the clock: what else the host does meanwhile then
// counts little, and garbage that is collected on another core counts in full, on all sides.
//
// A round measures every scenario once for every contestant, one right after the other, XState in a fresh
// process. A measurement is the best of several slices of time, so that neither the warming up of a compiler
// nor its giving up counts. Reported are medians over the rounds; a ratio is the median of the rounds'
// ratios, since contestants of one round met the same conditions.
//
// V8 collects its young generation every 16 MB. Go's collector, left to itself, would run every 4 MB in a
// program that holds nothing, as no worker does, and is told to wait for 16 MB as well.
//
// Before anything is measured, the contestants' results are compared: all must do the same.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// folder is where the scenarios and XState live, seen from the root of the repository.
const folder = "tools/bench-xstate"

// gcPercent makes Go's smallest heap that is collected one of 16 MB: it is 4 MB at 100 percent.
const gcPercent = 400

// settings is what the command line says.
type settings struct {
	rounds int
	slice  time.Duration
	only   string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "xstate-6")); err != nil {
		return fmt.Errorf("XState is not there (%w): run `npm ci` in %s", err, folder)
	}
	scenarios, err := readScenarios(folder)
	if err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	r := &report{settings: s}
	for _, x := range scenarios {
		if strings.Contains(x.Name, s.only) {
			r.rows = append(r.rows, &row{scenario: x})
		}
	}
	for round := range s.rounds {
		fmt.Fprintf(stderr, "round %d of %d\n", round+1, s.rounds)
		for _, row := range r.rows {
			if err := r.measure(ctx, row); err != nil {
				return fmt.Errorf("%s: %w", row.scenario.Name, err)
			}
		}
	}
	return r.write(stdout)
}

// parse reads the command line; what is wrong with it has been printed when it returns an error.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench-engine", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.rounds, "rounds", 5, "how often everything is measured")
	flags.DurationVar(&s.slice, "slice", 50*time.Millisecond, "processor time of one slice")
	flags.StringVar(&s.only, "only", "", "measure scenarios whose name contains this")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.rounds < 1 || s.slice < time.Millisecond || flags.NArg() > 0 {
		err := errors.New("at least one round, slices of at least 1 ms, and no arguments are expected")
		fmt.Fprintln(stderr, err)
		return s, err
	}
	return s, nil
}
