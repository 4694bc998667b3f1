// Command fuzz-xstate makes random cases, records what XState does in them, and holds the engine to it.
//
//	go run ./tools/fuzz-xstate [-n 5000] [-seed S] [-workers W] [-failures FILE]
//
// It prints its seed; the same seed and number make the same cases again. The cases that fail are kept
// in the file of failures, as JSON lines: run one again with
//
//	go run ./tools/conformance -strict -only NAME FILE
//
// and let XState explain it with
//
//	node tools/xstate-oracle/oracle/oracle.mjs --explain --only=NAME FILE
//
// It must run in the root of the repository, and needs Node 20 and `npm ci` in tools/xstate-oracle. The exit
// code is 0 when all passed, 1 when one failed, and 2 when the cases could not be made.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

// oracle is where the generator lives, seen from the root of the repository.
const oracle = "tools/xstate-oracle"

// The exit codes.
const (
	allPassed = iota
	someFailed
	notRun
)

// settings is what the command line says.
type settings struct {
	cases    int
	seed     int64
	workers  int
	failures string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	if err != nil {
		return notRun
	}
	if _, err := os.Stat(filepath.Join(oracle, "node_modules", "xstate")); err != nil {
		fmt.Fprintf(stderr, "XState is not there (%v): run `npm ci` in %s\n", err, oracle)
		return notRun
	}
	fmt.Fprintf(stdout, "seed %d: %d cases\n", s.seed, s.cases)
	t := &tally{out: stdout, file: s.failures}
	defer t.close()
	err = fuzz(ctx, s, t)
	fmt.Fprintf(stdout, "%d passed, %d failed\n", t.passed, t.failed)
	if t.failed > 0 {
		fmt.Fprintf(stdout, "the failing cases are in %s\n", s.failures)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, err)
		return notRun
	case t.failed > 0:
		return someFailed
	}
	return allPassed
}

// parse reads the command line; what is wrong with it has been printed when it returns an error.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("fuzz-xstate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.cases, "n", 5000, "how many cases to make")
	flags.Int64Var(&s.seed, "seed", int64(rand.Int32()), "where the random numbers start; a fresh one unless given")
	flags.IntVar(&s.workers, "workers", runtime.NumCPU(), "how many generators run at once")
	flags.StringVar(&s.failures, "failures", filepath.Join(os.TempDir(), "fuzz-xstate-failures.jsonl"), "the `file` that keeps the failing cases")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.cases < 1 || s.workers < 1 || flags.NArg() > 0 {
		flags.Usage()
		return s, errors.New("bad arguments")
	}
	return s, nil
}
