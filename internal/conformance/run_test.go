package conformance_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
)

// one reads a single case.
func one(t *testing.T, text string) *conformance.Case {
	t.Helper()
	cases, err := conformance.Read("test", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return cases[0]
}

// TestRunEnds plays machines that keep each other busy: a run must end, with an error that says so.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	const kid = `"setup": {"actors": {"kid": {"machine": "kid"}}}`
	for name, text := range map[string]string{
		"two machines that answer each other": `{
			"definition": {"machine": {"invoke": {"src": "kid", "id": "kid"}, "on": {"P": {"actions": {"sendTo": {"to": "kid", "event": {"type": "P"}}}}}}, ` + kid + `},
			"actors": {"kid": {"machine": {"on": {"P": {"actions": {"sendParent": {"event": {"type": "P"}}}}}}}},
			"steps": [{"event": {"type": "P"}}]}`,
		"a machine that is its own child": `{
			"definition": {"machine": {"invoke": {"src": "kid"}}, ` + kid + `},
			"actors": {"kid": {"machine": {"invoke": {"src": "kid"}}, ` + kid + `}}}`,
		"timers that are due at once for ever": `{
			"definition": {"machine": {"initial": "a", "states": {"a": {"after": {"0": "b"}}, "b": {"after": {"0": "a"}}}}},
			"steps": [{"advance": 0}]}`,
	} {
		if _, err := conformance.Run(one(t, text), conformance.Options{}); !errors.Is(err, conformance.ErrRestless) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestRunRefuses plays cases that ask for what a case cannot show: that is a fault, never a pass.
func TestRunRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ about, text, message string }{
		{"a child without a definition", `{"definition": {"machine": {"invoke": {"src": "kid"}}, "setup": {"actors": {"kid": {"machine": "kid"}}}}, "expect": [{}]}`, `no definition "kid" under actors`},
		{"another family", `{"definition": {"machine": {"entry": {"sendTo": {"machine": "other", "event": {"type": "E"}}}}}, "expect": [{}]}`, `a message goes to machine "other"`},
		{"a task that nobody waits for", `{"definition": {"machine": {"entry": {"task": {"queue": "q"}}}}, "expect": [{}]}`, "a task that nobody waits for"},
		{"the end of time", `{"definition": {"machine": {}}, "steps": [{"advance": 4e15}, {"advance": 4e15}], "expect": [{}, {}, {}]}`, "step 2"},
	} {
		v := conformance.Check(one(t, test.text), conformance.Options{Partial: true})
		if v.Passed() || v.Fault == nil || !strings.Contains(v.Fault.Error(), test.message) {
			t.Errorf("%s: %v", test.about, v.Fault)
		}
	}
}

// TestCheckExpectsARefusal tells a refused definition from one that runs.
func TestCheckExpectsARefusal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		about, text string
		passes      bool
	}{
		{"refused as expected", `{"definition": {"machine": {"initial": "nowhere", "states": {"a": {}}}}, "expect": [{"status": "invalid", "error": "XState's text"}]}`, true},
		{"refused although it is to run", `{"definition": {"machine": {"initial": "nowhere", "states": {"a": {}}}}, "expect": [{"value": "a", "status": "active"}]}`, false},
		{"runs although it is to be refused", `{"definition": {"machine": {}}, "expect": [{"status": "invalid"}]}`, false},
		{"the child is refused", `{"definition": {"machine": {}}, "actors": {"kid": {"machine": {"initial": 1}}}, "expect": [{"status": "invalid"}]}`, true},
		{"no definition at all", `{"definition": [1], "expect": [{"status": "invalid"}]}`, true},
	} {
		if v := conformance.Check(one(t, test.text), conformance.Options{}); v.Passed() != test.passes {
			t.Errorf("%s: %s", test.about, v)
		}
	}
}

func TestVerdictShowsTheFirstDifferences(t *testing.T) {
	t.Parallel()
	c := one(t, `{"name": "n", "definition": {"machine": {}}, "steps": [{"advance": 1}, {"advance": 1}, {"advance": 1}],
		"expect": [{"value": "a"}, {"value": "b"}, {"value": "c"}, {"value": "d"}]}`)
	const want = `after the start: value: want "a", got {}
after step 1: value: want "b", got {}
after step 2: value: want "c", got {}
and 1 entries more`
	if got := conformance.Check(c, conformance.Options{Partial: true}).String(); got != want {
		t.Errorf("shown:\n%s\nwant:\n%s", got, want)
	}
}

// TestDelayedMessageLeavesItsSenderFree has a parent that answers its child's delayed message and stops
// the child at once. The clock delivers such a message: the child is not at work then, and handles the
// answer before it stops. That is what XState shows here.
func TestDelayedMessageLeavesItsSenderFree(t *testing.T) {
	t.Parallel()
	v := conformance.Check(one(t, `{
		"definition": {
			"machine": {"initial": "a", "states": {"a": {"invoke": {"src": "kid", "id": "k"}, "exit": {"sendTo": {"to": "k", "event": {"type": "BYE"}}}, "on": {"S": "b"}}, "b": {}}},
			"setup": {"actors": {"kid": {"machine": "kid"}}}},
		"actors": {"kid": {
			"machine": {"entry": {"sendTo": {"to": "#_parent", "event": {"type": "S"}, "delay": 5}}, "on": {"BYE": {"actions": "bye"}}},
			"options": {"unknownActions": "trace"}}},
		"steps": [{"advance": 5}],
		"expect": [null, {"value": "b", "sent": [{"to": "k", "event": {"type": "BYE"}}], "childActions": [{"actor": "k", "type": "bye"}]}]
	}`), conformance.Options{Strict: true, Partial: true})
	if !v.Passed() {
		t.Error(v)
	}
}
