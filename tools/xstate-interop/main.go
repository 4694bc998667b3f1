// Command xstate-interop hands persisted snapshots from Detent to XState and back, and holds what follows to be
// the same.
//
//	go run ./tools/xstate-interop [FILE...]
//
// A FILE has cases, as tools/conformance reads them; by default they are those of the tests. A case is cut after its
// start and after every step. At each cut
//
//   - XState restores Detent's snapshot (the part of it that is XState's), Detent imports the very same, and both
//     go through the remaining steps;
//   - Detent imports the snapshot that XState persists there, XState restores it, and both go on.
//
// After every step both must show the same: value, context, status, output, actions, messages, children. Only
// pending timers are not compared, since XState starts none again; where the import has started one and time
// is to pass, the comparison ends. Detent itself, which forgets neither timers nor the order in which states became
// active, may go on differently from all of these: how often it does is counted.
//
// It must run in the root of the repository, and needs Node 20 and `npm ci` in tools/xstate-oracle. The exit code is 0
// when all is the same, 1 when something differs, and 2 when the comparison could not be made.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/detent-run/detent/internal/conformance"
)

// oracle is where XState lives, seen from the root of the repository.
const oracle = "tools/xstate-oracle"

// The exit codes.
const (
	allSame = iota
	someDiffer
	notRun
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(files []string, stdout, stderr io.Writer) int {
	if _, err := os.Stat(filepath.Join(oracle, "node_modules", "xstate")); err != nil {
		fmt.Fprintf(stderr, "NOT RUN: XState is not there (%v): run `npm ci` in %s\n", err, oracle)
		return notRun
	}
	cases, err := load(files)
	if err == nil {
		t := &tally{out: stdout}
		if err = compare(cases, t); err == nil {
			t.report()
			if t.differ > 0 {
				return someDiffer
			}
			return allSame
		}
	}
	fmt.Fprintln(stderr, "NOT RUN:", err)
	return notRun
}

// load reads the cases, by default those of the tests.
func load(files []string) ([]*conformance.Case, error) {
	if len(files) == 0 {
		const testdata = "internal/conformance/testdata"
		var err error
		if files, err = filepath.Glob(testdata + "/cases/*.json"); err != nil {
			return nil, err
		}
		files = append(files, testdata+"/random.jsonl.gz")
	}
	var all []*conformance.Case
	for _, file := range files {
		cases, err := conformance.Load(file)
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	return all, nil
}
