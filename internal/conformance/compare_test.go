package conformance_test

import (
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
	"github.com/detent-run/detent/internal/machine/value"
)

// full is an entry that has every key.
const full = `{
	"value": {"p": {"a": "x", "b": {}}}, "context": {"n": 1, "list": [1, {"deep": true}]}, "status": "active",
	"actions": [{"type": "one"}, {"type": "two", "params": {"x": 1}}], "tags": ["blue", "red"], "output": 7,
	"error": "broken", "errorKind": "data", "emitted": [{"type": "note", "x": 1}],
	"sent": [{"to": "kid", "event": {"type": "PING"}}], "pending": [{"event": "xstate.after.10.m.a", "due": 10, "to": "kid"}],
	"children": {"kid": {"src": "kid", "status": "active", "value": "w", "context": {"n": 1}, "pending": [{"event": "L", "due": 5}],
		"children": {"job": {"src": "job", "status": "active", "input": {"x": 1}}}}, "done": {"src": "job", "status": "done", "output": 3},
		"bad": {"src": "job", "status": "error", "error": "no", "errorKind": "data"}},
	"childActions": [{"actor": "kid", "type": "k1"}, {"actor": "kid/deep", "type": "d1"}, {"actor": "kid", "type": "k2"}],
	"logs": ["hello"], "meta": {"m.a": {"title": "A"}}
}`

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// mutations returns v with every single value inside it changed, added or taken away in turn, by the path of the change.
func mutations(v value.Value, path string, yield func(string, value.Value)) {
	switch v.Kind() {
	case value.Object:
		yield(path+".added", v.With("added", value.OfInt(99)))
		for i := range v.Len() {
			key, x := v.Member(i)
			yield(path+"."+key+" (taken away)", without(v, key))
			mutations(x, path+"."+key, func(p string, m value.Value) { yield(p, v.With(key, m)) })
		}
	case value.Array:
		yield(path+" (one more)", value.OfArray(append(append([]value.Value(nil), v.Elems()...), value.OfText("more"))))
		for i, x := range v.Elems() {
			mutations(x, path+".elem", func(p string, m value.Value) {
				elems := append([]value.Value(nil), v.Elems()...)
				elems[i] = m
				yield(p, value.OfArray(elems))
			})
		}
		if v.Len() > 0 {
			yield(path+" (one less)", value.OfArray(append([]value.Value(nil), v.Elems()[1:]...)))
		}
	default:
		yield(path, value.OfText("something else"))
	}
}

func without(v value.Value, key string) value.Value {
	o := value.OfObject()
	for i := range v.Len() {
		if k, x := v.Member(i); k != key {
			o = o.With(k, x)
		}
	}
	return o
}

// TestCompareDetectsEverything changes every single value of an entry and wants each change noticed:
// a comparer that overlooks a key would let an engine pass that gets it wrong.
func TestCompareDetectsEverything(t *testing.T) {
	t.Parallel()
	want := parse(t, full)
	if d := conformance.Compare([]value.Value{want}, []value.Value{want}, false); d != nil {
		t.Fatalf("equal entries differ: %s", d[0])
	}
	// That the empty region b is there is all that its {} says: absent counts as empty only for whole keys.
	n := 0
	mutations(want, "", func(path string, got value.Value) {
		n++
		for _, pair := range [][2]value.Value{{want, got}, {got, want}} {
			if d := conformance.Compare(pair[:1], pair[1:], false); len(d) != 1 {
				t.Errorf("%s: not noticed", path)
			}
		}
	})
	if n < 100 {
		t.Errorf("only %d changes were tried", n)
	}
}

// TestCompareSeesTheKeysOfRealCases does the same with what real cases expect.
func TestCompareSeesTheKeysOfRealCases(t *testing.T) {
	t.Parallel()
	for _, c := range handmade(t) {
		for i, entry := range c.Expect {
			for k := range entry.Len() {
				key, v := entry.Member(k)
				text := entry.Get("errorKind").Text() != "data"
				if v.Len() == 0 && v.Kind() >= value.Array || key == "error" && text {
					continue
				}
				got := append([]value.Value(nil), c.Expect...)
				got[i] = entry.With(key, value.OfText("something else"))
				if d := conformance.Compare(c.Expect, got, false); len(d) != 1 || d[0].Entry != i || !strings.HasPrefix(d[0].Path, key) {
					t.Errorf("%s, entry %d, %s: %v", c.Name, i, key, d)
				}
			}
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	tests := []struct {
		about     string
		want, got string // arrays of entries
		partial   bool
		diff      string // what the differences read, "" for none
	}{
		{"order of keys", `[{"context": {"a": 1, "b": 2}}]`, `[{"context": {"b": 2, "a": 1}}]`, false, ""},
		{"numbers by value", `[{"context": {"a": 1}}]`, `[{"context": {"a": 1.0}}]`, false, ""},
		{"absent is empty", `[{"actions": [], "tags": []}]`, `[{"context": {}, "children": {}}]`, false, ""},
		{"absent is not empty deeper down", `[{"context": {"a": {}}}]`, `[{"context": {}}]`, false, "after the start: context.a: want {}, got nothing"},
		{"an empty list is not an empty object", `[{"output": []}]`, `[{"output": {}}]`, false, "after the start: output: want [], got {}"},
		{"null is a value", `[{"context": {"a": null}}]`, `[{"context": {}}]`, false, "after the start: context.a: want null, got nothing"},
		{"text of an expression's error", `[{"error": "x", "errorKind": "expression"}]`, `[{"error": "y", "errorKind": "expression"}]`, false, ""},
		{"text of data", `[{"error": "x", "errorKind": "data"}]`, `[{"error": "y", "errorKind": "data"}]`, false, `after the start: error: want "x", got "y"`},
		{"kind of an error", `[{"error": "x", "errorKind": "data"}]`, `[{"error": "x", "errorKind": "engine"}]`, false, `after the start: errorKind: want "data", got "engine"`},
		{"reason of a refusal", `[{"status": "invalid", "error": "x"}]`, `[{"status": "invalid", "error": "y"}]`, false, ""},
		{"order of two children", `[{"childActions": [{"actor": "a", "type": "1"}, {"actor": "b", "type": "2"}]}]`, `[{"childActions": [{"actor": "b", "type": "2"}, {"actor": "a", "type": "1"}]}]`, false, ""},
		{"order within a child", `[{"childActions": [{"actor": "a", "type": "1"}, {"actor": "a", "type": "2"}]}]`, `[{"childActions": [{"actor": "a", "type": "2"}, {"actor": "a", "type": "1"}]}]`, false, `after the start: childActions.a.0.type: want "1", got "2"`},
		{"order of actions", `[{"actions": [{"type": "1"}, {"type": "2"}]}]`, `[{"actions": [{"type": "2"}, {"type": "1"}]}]`, false, `after the start: actions.0.type: want "1", got "2"`},
		{"error of a child", `[{"children": {"k": {"error": "x", "errorKind": "expression"}}}]`, `[{"children": {"k": {"error": "y", "errorKind": "expression"}}}]`, false, ""},
		{"unknown key", `[{"valeu": "a"}]`, `[{}]`, false, `after the start: valeu: want "a", got nothing`},
		{"every entry", `[{"value": "a"}, {"value": "b"}]`, `[{"value": "x"}, {"value": "y"}]`, false, "after the start: value: want \"a\", got \"x\"\nafter step 1: value: want \"b\", got \"y\""},
		{"an entry too many", `[{}]`, `[{}, {"value": "a"}]`, false, `after step 1: entry: want nothing, got {"value":"a"}`},
		{"an entry too few", `[{}, {}]`, `[{}]`, false, "after step 1: entry: want {}, got nothing"},
		{"null is no entry", `[null]`, `[{}]`, false, "after the start: entry: want null, got {}"},
		{"partial: null is any entry", `[null, {"value": "a"}]`, `[{"value": "z"}, {"value": "a", "context": {"n": 1}}]`, true, ""},
		{"partial: a key that is there", `[{"value": "a"}]`, `[{"value": "b", "context": {"n": 1}}]`, true, `after the start: value: want "a", got "b"`},
		{"partial: an empty key is there", `[{"actions": []}]`, `[{"actions": [{"type": "x"}]}]`, true, `after the start: actions.0: want nothing, got {"type":"x"}`},
		{"children are an object", `[{"children": [1]}]`, `[{"children": {"k": {}}}]`, false, `after the start: children: want [1], got {"k":{}}`},
		{"actions of children are a list", `[{"childActions": {"a": 1}}]`, `[{"childActions": []}]`, false, `after the start: childActions: want {"a":1}, got []`},
	}
	for _, test := range tests {
		got := conformance.Compare(parse(t, test.want).Elems(), parse(t, test.got).Elems(), test.partial)
		lines := make([]string, len(got))
		for i, d := range got {
			lines[i] = d.String()
		}
		if text := strings.Join(lines, "\n"); text != test.diff {
			t.Errorf("%s: %q, want %q", test.about, text, test.diff)
		}
	}
}
