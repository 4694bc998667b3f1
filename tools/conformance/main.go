// Command conformance runs case files on the engine and tells which cases it does not pass.
//
//	go run ./tools/conformance [-partial] [-only NAME] [-strict] [-v] FILE...
//
// A FILE is a JSON array of cases, a single case or JSON lines, compressed with gzip or not; "-" is
// standard input. The form of a case is in tools/xstate-oracle/README.md.
//
// The last line is "N passed, M failed". Above it stands, for every case that failed, its name and the
// first differences. The exit code is 0 when all passed, 1 when one failed, and 2 when a file could not
// be read or the command was called wrongly.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/detent-run/detent/internal/conformance"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes.
const (
	allPassed = iota
	someFailed
	notRun
)

// settings is what the command line says.
type settings struct {
	conformance.Options
	only    string
	verbose bool
	files   []string
}

func run(args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	if err != nil {
		return notRun
	}
	cases, err := load(s)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return notRun
	}
	out := bufio.NewWriter(stdout)
	defer out.Flush()
	if failed := check(cases, s, out); failed > 0 {
		return someFailed
	}
	return allPassed
}

// parse reads the command line; the flag package has printed the error that it returns.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: conformance [flags] FILE...")
		flags.PrintDefaults()
	}
	flags.BoolVar(&s.Partial, "partial", false, "compare only the keys that an entry of expect has, and skip null entries")
	flags.BoolVar(&s.Strict, "strict", false, "also make every macrostep twice, and write and read every snapshot")
	flags.StringVar(&s.only, "only", "", "run only the case of this `name`")
	flags.BoolVar(&s.verbose, "v", false, "name the cases that pass, and show where the engine panicked")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.files = flags.Args(); len(s.files) == 0 {
		flags.Usage()
		return s, flag.ErrHelp
	}
	return s, nil
}

// load reads all files before the first case runs, so that a malformed one is noticed at once.
func load(s settings) ([]*conformance.Case, error) {
	var all []*conformance.Case
	for _, file := range s.files {
		cases, err := conformance.Load(file)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if s.only == "" || s.only == c.Name {
				all = append(all, c)
			}
		}
	}
	if s.only != "" && len(all) == 0 {
		return nil, fmt.Errorf("no case is called %q", s.only)
	}
	return all, nil
}

// check runs the cases, prints, and returns how many failed.
func check(cases []*conformance.Case, s settings, out io.Writer) int {
	failed := 0
	for _, c := range cases {
		v := conformance.Check(c, s.Options)
		switch {
		case !v.Passed():
			failed++
			fmt.Fprintf(out, "FAIL %s\n%s\n", v.Name, indent(v.String()))
			if s.verbose && v.Stack != "" {
				fmt.Fprintln(out, indent(v.Stack))
			}
		case s.verbose:
			fmt.Fprintf(out, "ok   %s\n", v.Name)
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", len(cases)-failed, failed)
	return failed
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
