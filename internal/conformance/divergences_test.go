package conformance_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
	"github.com/detent-run/detent/internal/machine/value"
)

// divergence is a case in which the engine knowingly does something else than XState. What XState does
// stands in the case itself, in testdata/divergences.json.
type divergence struct {
	name    string
	why     string
	instead string // the expectations that hold for the engine, as JSON
	refused string // or the place in the definition that is refused
}

// divergences is all of them. docs/divergences.md explains each.
var divergences = []divergence{
	{
		name: "divergences/child-replaced",
		why:  "The child that had the id is stopped. In XState it runs on, and nobody can reach or stop it any more",
		instead: `[
			{"value": "a", "status": "active"},
			{"value": "a", "status": "active", "children": {"k": {"src": "kid", "status": "active", "value": "w", "pending": [{"event": "xstate.after.10.kid.w", "due": 10}]}}},
			{"value": "a", "status": "active", "children": {"k": {"src": "kid", "status": "active", "value": "w", "pending": [{"event": "xstate.after.10.kid.w", "due": 10}]}}},
			{"value": "a", "status": "active", "childActions": [{"actor": "k", "type": "tick"}], "children": {"k": {"src": "kid", "status": "active", "value": "w", "pending": [{"event": "xstate.after.10.kid.w", "due": 20}]}}}
		]`,
	},
	{
		name: "divergences/history-domain",
		why:  "The parallel state is left and entered again. XState leaves it without entering it again, and its list of active states is broken from then on",
		instead: `[
			{"value": {"p": {"a": "x", "b": {}}}, "status": "active", "actions": [{"type": "entered"}, {"type": "b"}]},
			{"value": {"p": {"a": "x", "b": {}}}, "status": "active", "actions": [{"type": "left"}, {"type": "entered"}, {"type": "b"}]},
			{"value": {"p": {"a": "x", "b": {}}}, "status": "active", "actions": [{"type": "b"}]}
		]`,
	},
	{
		name: "divergences/history-overtaken",
		why:  "The transition enters nothing: the other one says what becomes of the place. XState enters the source without the state around it, and its list of active states is broken from then on",
		instead: `[
			{"value": {"p": {"a": "x", "b": {}, "c": {}}}, "status": "active", "actions": [{"type": "a"}, {"type": "x"}]},
			{"value": "q", "status": "active", "actions": [{"type": "leftX"}, {"type": "leftA"}]},
			{"value": {"p": {"a": "x", "b": {}, "c": {}}}, "status": "active", "actions": [{"type": "a"}, {"type": "x"}]},
			{"value": {"p": {"a": "x", "b": {}, "c": {}}}, "status": "active", "actions": [{"type": "leftX"}, {"type": "leftA"}, {"type": "a"}, {"type": "x"}]},
			{"value": {"p": {"a": "x", "b": {}, "c": {}}}, "status": "active", "actions": [{"type": "leftX"}, {"type": "leftA"}, {"type": "a"}, {"type": "x"}]}
		]`,
	},
	{
		name: "divergences/deep-history-of-empty-parallel",
		why:  "The parallel state is recorded and entered again. XState records no leaf, and the transition to the history state does nothing",
		instead: `[
			{"value": "off", "status": "active"},
			{"value": {"on": "one"}, "status": "active"},
			{"value": {"on": {"two": {}}}, "status": "active", "actions": [{"type": "e2"}]},
			{"value": "off", "status": "active"},
			{"value": {"on": {"two": {}}}, "status": "active", "actions": [{"type": "e2"}]}
		]`,
	},
	{
		name: "divergences/history-in-empty-parallel",
		why:  "Nothing is recorded, so the default is entered. XState records nothing as if it were something, and the transition to the history state does nothing",
		instead: `[
			{"value": "off", "status": "active"},
			{"value": {"on": {}}, "status": "active", "actions": [{"type": "eon"}]},
			{"value": "off", "status": "active"},
			{"value": {"on": {}}, "status": "active", "actions": [{"type": "eon"}]},
			{"value": {"on": {}}, "status": "active"}
		]`,
	},
	{
		name:    "divergences/failed-start-in-history",
		why:     "The machine shows what the history state stands for. XState shows the history state itself, in which no machine can be",
		instead: `[{"value": {"a": "x"}, "status": "error", "errorKind": "expression"}]`,
	},
	{
		name: "divergences/negative-delay",
		why:  "A negative delay is an error of its expression. XState takes it for none at all, and hides the mistake",
		instead: `[
			{"value": "a", "context": {"ms": -5}, "status": "active"},
			{"value": "a", "context": {"ms": -5}, "status": "error", "errorKind": "expression"},
			{"value": "a", "context": {"ms": -5}, "status": "error", "errorKind": "expression"}
		]`,
	},
	{name: "divergences/unknown-delay", why: "Refused. XState takes an unknown delay for none at all", refused: "/machine/states/a/after/nope"},
	{name: "divergences/unknown-guard", why: "Refused. In XState it is an error when the guard is evaluated", refused: "/machine/states/a/on/GO/guard"},
	{name: "divergences/unknown-state-id", why: "Refused. In XState it is an error when the guard is evaluated", refused: "/machine/states/a/on/GO/guard"},
	{name: "divergences/unknown-actor", why: "Refused. In XState it is an error at the start, and silence later", refused: "/machine/states/b/invoke/src"},
	{name: "divergences/duplicate-state-id", why: "Refused. In XState the later state takes the id", refused: "/machine/states/b"},
	{name: "divergences/duplicate-invoke-id", why: "Refused. In XState the later actor hides the other", refused: "/machine/states/a/invoke/1"},
	{name: "divergences/two-targets-in-one-region", why: "Refused. XState enters both, and its list of active states is broken from then on", refused: "/machine/on/BOTH"},
	{name: "divergences/same-delay-twice", why: "Refused. XState runs two timers of one name, and merges the candidates", refused: "/machine/states/a/after/1e2"},
	{name: "divergences/spawn-without-id", why: "Refused. XState files the child under the id `undefined`", refused: "/machine/states/a/on/GO/actions/spawnChild"},
}

// TestDivergences asserts both halves of every divergence: that the engine does not do what XState does
// (otherwise the entry must go), and what it does instead.
func TestDivergences(t *testing.T) {
	t.Parallel()
	cases := map[string]*conformance.Case{}
	for _, c := range load(t, "testdata/divergences.json") {
		cases[c.Name] = c
	}
	if len(cases) != len(divergences) {
		t.Errorf("%d cases and %d divergences", len(cases), len(divergences))
	}
	for _, d := range divergences {
		c := cases[d.name]
		if c == nil {
			t.Errorf("%s: there is no such case", d.name)
			continue
		}
		if conformance.Check(c, strict).Passed() {
			t.Errorf("%s: the engine does what XState does", d.name)
		}
		if err := d.holds(c); err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
	}
}

// holds tells what is not as the table says.
func (d divergence) holds(c *conformance.Case) error {
	if d.refused != "" {
		got, err := conformance.Run(c, strict)
		if err != nil || got[0].Get("status").Text() != "invalid" || !strings.HasPrefix(got[0].Get("error").Text(), d.refused+": ") {
			return fmt.Errorf("not refused at %s: %v %w", d.refused, got, err)
		}
		return nil
	}
	entries, err := value.Parse([]byte(d.instead))
	if err != nil {
		return err
	}
	own := *c
	own.Expect = entries.Elems()
	if v := conformance.Check(&own, strict); !v.Passed() {
		return errors.New(v.String())
	}
	return nil
}

// TestDivergencesAreDocumented holds docs/divergences.md to the table: the section about cases lists
// these and no others.
func TestDivergencesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/divergences.md")
	if err != nil {
		t.Fatal(err)
	}
	const heading = "\n## Cases\n"
	_, section, found := strings.Cut(string(text), heading)
	if !found {
		t.Fatalf("docs/divergences.md has no section %q", strings.TrimSpace(heading))
	}
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]string{} // case -> reason
	for line := range strings.Lines(section) {
		if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) == 4 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			documented[strings.Trim(cells[1], " `")] = strings.TrimSpace(cells[2])
		}
	}
	for _, d := range divergences {
		if documented[d.name] != d.why {
			t.Errorf("%s: docs/divergences.md says %q, the table says %q", d.name, documented[d.name], d.why)
		}
		delete(documented, d.name)
	}
	for name := range documented {
		t.Errorf("%s: documented, but not in the table", name)
	}
}
