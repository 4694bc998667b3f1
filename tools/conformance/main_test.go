package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	good = `{"name": "good", "definition": {"machine": {"initial": "a", "states": {"a": {}}}}, "expect": [{"value": "a", "context": {}, "status": "active", "actions": []}]}`
	bad  = `{"name": "bad", "definition": {"machine": {"initial": "a", "states": {"a": {}}}}, "expect": [{"value": "b", "context": {}, "status": "active", "actions": []}]}`
	part = `{"name": "part", "definition": {"machine": {"initial": "a", "states": {"a": {}}}}, "steps": [{"advance": 1}], "expect": [null, {"value": "a"}]}`
)

func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		about, file string
		flags       []string
		code        int
		stdout      string
		stderr      string
	}{
		{"all pass", good, nil, allPassed, "1 passed, 0 failed\n", ""},
		{"one fails", "[" + good + "," + bad + "]", nil, someFailed, "FAIL bad\n  after the start: value: want \"b\", got \"a\"\n1 passed, 1 failed\n", ""},
		{"only one", good + "\n" + bad, []string{"-only", "good"}, allPassed, "1 passed, 0 failed\n", ""},
		{"verbose", good, []string{"-v", "-strict"}, allPassed, "ok   good\n1 passed, 0 failed\n", ""},
		{"partial", part, []string{"-partial"}, allPassed, "1 passed, 0 failed\n", ""},
		{"not partial", part, nil, someFailed, "0 passed, 1 failed\n", ""},
		{"a name that is not there", good, []string{"-only", "x"}, notRun, "", `no case is called "x"`},
		{"not JSON", "{", nil, notRun, "", "cases.json: the text ends"},
		{"an unknown flag", good, []string{"-x"}, notRun, "", "usage: conformance"},
	} {
		file := filepath.Join(t.TempDir(), "cases.json")
		if err := os.WriteFile(file, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr strings.Builder
		code := run(append(test.flags, file), &stdout, &stderr)
		if code != test.code || !strings.HasSuffix(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%s: exit code %d, output %q, errors %q", test.about, code, stdout.String(), stderr.String())
		}
	}
}

func TestRunNeedsAFile(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	if code := run(nil, &stdout, &stderr); code != notRun || !strings.Contains(stderr.String(), "usage") {
		t.Errorf("exit code %d, errors %q", code, stderr.String())
	}
}
