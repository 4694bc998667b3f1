package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
)

const toggle = `{"name": "toggle", "definition": {"machine": {"id": "m", "initial": "a", "states": {"a": {"on": {"E": "b"}}, "b": {"after": {"10": "a"}}}}},
	"steps": [{"event": {"type": "E"}}, {"advance": 10}]}`

// TestCompareCase plays XState itself, once as it is and once with a mistake.
func TestCompareCase(t *testing.T) {
	t.Parallel()
	const (
		a     = `{"value": "a", "context": {}, "status": "active", "actions": []}`
		b     = `{"value": "b", "context": {}, "status": "active", "actions": [], "pending": [{"event": "xstate.after.10.m.b", "due": 10}]}`
		whole = `{"status": "active", "value": "VALUE", "historyValue": {}, "context": {}, "children": {}}`
	)
	first, second := strings.ReplaceAll(whole, "VALUE", "a"), strings.ReplaceAll(whole, "VALUE", "b")
	right := `{"theirs": [{"entries": [` + b + `, ` + a + `]}, {"entries": [` + b + `]}],
		"ours": [{"persisted": ` + first + `, "entries": [` + b + `, ` + a + `]}, {"persisted": ` + second + `, "entries": [` + b + `]}]}`
	for _, x := range []struct {
		about, answer string
		differ        int
	}{
		{"the same", right, 0},
		{"another value", strings.Replace(right, `"value": "b"`, `"value": "a"`, 1), 1},
		{"a snapshot that XState cannot restore", strings.Replace(right, `{"entries": [`+b+`, `+a+`]}`, `{"error": "no"}`, 1), 1},
	} {
		cases, err := conformance.Read("test", strings.NewReader(toggle))
		if err != nil {
			t.Fatal(err)
		}
		var asked, shown bytes.Buffer
		tally := &tally{out: &shown}
		answer := strings.NewReader(strings.Join(strings.Fields(x.answer), " ") + "\n")
		if err := compareCase(cases[0], &asked, bufio.NewReader(answer), tally); err != nil {
			t.Fatal(err)
		}
		if tally.differ != x.differ || tally.cuts != 4 || tally.unfollowed == 0 {
			t.Errorf("%s: %+v\n%s", x.about, tally, shown.String())
		}
		if !strings.Contains(asked.String(), `"snapshots":[{"status":"active","value":"a","historyValue":{},"context":{},"children":{}},`) {
			t.Errorf("asked %s", asked.String())
		}
	}
}

// TestWithoutXState says clearly that nothing was compared.
func TestWithoutXState(t *testing.T) {
	t.Chdir(t.TempDir())
	var stdout, stderr strings.Builder
	if code := run(nil, &stdout, &stderr); code != notRun || !strings.HasPrefix(stderr.String(), "NOT RUN: ") {
		t.Errorf("code %d: %s", code, stderr.String())
	}
}
