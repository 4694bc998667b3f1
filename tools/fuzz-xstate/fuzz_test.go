package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	good = `{"name": "good", "definition": {"machine": {}}, "expect": [{"value": {}, "context": {}, "status": "active", "actions": []}]}` + "\n"
	bad  = `{"name": "bad", "definition": {"machine": {}}, "expect": [{"value": "a", "context": {}, "status": "active", "actions": []}]}` + "\n"
)

// TestFailuresAreKept checks a stream of cases: what fails is shown, and kept word for word.
func TestFailuresAreKept(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	tally := &tally{out: &out, file: filepath.Join(t.TempDir(), "failures.jsonl")}
	if err := checkAll(strings.NewReader(good+bad+good), tally); err != nil {
		t.Fatal(err)
	}
	tally.close()
	kept, err := os.ReadFile(tally.file)
	if err != nil {
		t.Fatal(err)
	}
	if tally.passed != 2 || tally.failed != 1 || string(kept) != bad {
		t.Errorf("%d passed, %d failed, kept %s", tally.passed, tally.failed, kept)
	}
	if want := "FAIL bad\nafter the start: value: want \"a\", got {}\n"; out.String() != want {
		t.Errorf("shown %q, want %q", out.String(), want)
	}
}

// TestNothingIsKeptWithoutAFailure also reads a last line that does not end.
func TestNothingIsKeptWithoutAFailure(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	tally := &tally{out: &out, file: filepath.Join(t.TempDir(), "failures.jsonl")}
	if err := checkAll(strings.NewReader(good+strings.TrimSpace(good)), tally); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tally.file); !os.IsNotExist(err) || tally.passed != 2 {
		t.Errorf("%d passed, failures: %v", tally.passed, err)
	}
	if err := checkAll(strings.NewReader("{"), tally); err == nil {
		t.Error("a malformed case was taken")
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	s, err := parse([]string{"-n", "7", "-seed", "3", "-workers", "1"}, &stderr)
	if err != nil || s.cases != 7 || s.seed != 3 || s.workers != 1 {
		t.Errorf("%+v, error %v", s, err)
	}
	for _, args := range [][]string{{"-n", "0"}, {"-workers", "0"}, {"file"}, {"-x"}} {
		if _, err := parse(args, &stderr); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}
