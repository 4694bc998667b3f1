package syntax

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/machine/value"
)

// conformanceCases returns all cases of the conformance kit: the ones made by hand and the random ones.
func conformanceCases(t *testing.T) []value.Value {
	t.Helper()
	const dir = "../../conformance/testdata"
	files, err := filepath.Glob(filepath.Join(dir, "cases", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	var cases []value.Value
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, mustParse(t, text).Elems()...)
	}
	file, err := os.Open(filepath.Join(dir, "random.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		cases = append(cases, mustParse(t, lines.Bytes()))
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return cases
}

func mustParse(t *testing.T, text []byte) value.Value {
	t.Helper()
	v, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Whatever XState takes, Detent takes, and the places that the document names are places in it.
func TestConformanceDefinitionsDecode(t *testing.T) {
	t.Parallel()
	for _, c := range conformanceCases(t) {
		name := c.Get("name").Text()
		if c.Get("expect").Elems()[0].Get("status").Text() != "invalid" {
			checkDecodes(t, name, c.Get("definition"))
		}
		actors := c.Get("actors")
		for i := range actors.Len() {
			key, definition := actors.Member(i)
			checkDecodes(t, name+" actor "+key, definition)
		}
	}
}

func checkDecodes(t *testing.T, name string, definition value.Value) {
	t.Helper()
	doc, err := Decode(definition)
	if err != nil {
		t.Errorf("%s:\n%v", name, err)
		return
	}
	for _, at := range places(doc) {
		if resolve(doc.Source, at).IsAbsent() {
			t.Errorf("%s: nothing is at %q", name, at)
		}
	}
}

// What the document alone shows to be invalid is found here, without compiling it.
func TestConformanceInvalidDefinitions(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"errors/no-initial":       CodeMissing,
		"errors/no-initial-below": CodeMissing,
		"errors/empty-event-key":  CodeBadValue,
	}
	for _, c := range conformanceCases(t) {
		code, ok := want[c.Get("name").Text()]
		if !ok {
			continue
		}
		_, err := Decode(c.Get("definition"))
		var faults Faults
		if !errors.As(err, &faults) || len(faults) != 1 || faults[0].Code != code {
			t.Errorf("%s: %v, want one fault %s", c.Get("name"), err, code)
		}
		delete(want, c.Get("name").Text())
	}
	if len(want) > 0 {
		t.Errorf("not among the cases: %v", want)
	}
}

// places returns the pointers of everything in a document that has one.
func places(doc *Document) []string {
	var out []string
	guard := func(*Guard) {}
	guard = func(g *Guard) {
		if g != nil {
			out = append(out, g.At)
			for _, x := range g.Of {
				guard(x)
			}
		}
	}
	actions := func([]*Action) {}
	actions = func(list []*Action) {
		for _, a := range list {
			out = append(out, a.At)
			for _, x := range a.Assign {
				out = append(out, x.At)
			}
			for _, b := range a.Choose {
				out = append(out, b.At)
				guard(b.Guard)
				actions(b.Actions)
			}
		}
	}
	transitions := func(list []*Transition) {
		for _, tr := range list {
			out = append(out, tr.At)
			guard(tr.Guard)
			actions(tr.Actions)
		}
	}
	state := func(*State) {}
	state = func(s *State) {
		out = append(out, s.At)
		actions(s.Entry)
		actions(s.Exit)
		transitions(s.Always)
		transitions(s.OnDone)
		for _, h := range append(append([]Handler(nil), s.On...), s.After...) {
			out = append(out, h.At)
			transitions(h.Transitions)
		}
		for _, i := range s.Invoke {
			out = append(out, i.At)
			transitions(i.OnDone)
			transitions(i.OnError)
		}
		for _, c := range s.States {
			state(c)
		}
	}
	state(doc.Machine)
	for _, a := range doc.Setup.Actions {
		actions(a.Actions)
	}
	for _, g := range doc.Setup.Guards {
		guard(g.Guard)
	}
	return out
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// resolve returns what a JSON pointer points at.
func resolve(v value.Value, pointer string) value.Value {
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		if v.Kind() != value.Array {
			v = v.Get(unescape.Replace(token))
			continue
		}
		var i int
		if _, err := fmt.Sscan(token, &i); err != nil || i >= v.Len() {
			return value.Value{}
		}
		v = v.Elems()[i]
	}
	return v
}

// Every key that a vocabulary names is one that the decoder reads.
func TestVocabulariesAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words   *vocabulary
		pattern string // of a document with %s at the place of the key
	}{
		{documentWords, `{%s}`},
		{rootWords, `{"machine": {%s}}`},
		{stateWords, `{"initial": "a", "states": {"a": {%s}}}`},
		{transitionWords, `{"machine": {"always": {%s}}}`},
		{guardWords, `{"machine": {"always": {"guard": {%s}}}}`},
		{actionWords, `{"machine": {"entry": {%s}}}`},
		{invokeWords, `{"machine": {"invoke": {%s}}}`},
		{setupWords, `{"machine": {}, "setup": {%s}}`},
		{delayWords, `{"machine": {}, "setup": {"delays": {"d": {%s}}}}`},
		{actorWords, `{"machine": {}, "setup": {"actors": {"a": {%s}}}}`},
		{retryWords, `{"machine": {}, "setup": {"actors": {"a": {"task": {"queue": "q", "retry": {%s}}}}}}`},
		{optionWords, `{"machine": {}, "options": {%s}}`},
	} {
		for _, key := range c.words.known {
			_, err := DecodeJSON(fmt.Appendf(nil, c.pattern, fmt.Sprintf("%q: null", key)))
			var faults Faults
			errors.As(err, &faults)
			for _, f := range faults {
				if f.Code == CodeUnknownKey {
					t.Errorf("%s: %s", c.words.of, f)
				}
			}
		}
	}
}

func TestFaultsAreLimited(t *testing.T) {
	t.Parallel()
	text := `{"machine": {"entry": [` + strings.Repeat("5,", 10_000) + `5]}}`
	_, err := DecodeJSON([]byte(text))
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != maxFaults || faults[maxFaults-1].Code != CodeTooMany {
		t.Errorf("%d faults, the last of which is %v", len(faults), faults[len(faults)-1])
	}
}

// A long key is one fault, however much is below it.
func TestLongPaths(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", maxPointer)
	deep := strings.Repeat(`{"initial": "a", "states": {"a": `, 300) + "{}" + strings.Repeat("}}", 300)
	for _, text := range []string{
		`{"initial": "a", "states": {"a": {}, "` + long + `": {"states": {"b": {}}}}}`,
		`{"machine": {"on": {"` + long + `": 5}}}`,
		`{"machine": {"entry": {"assign": {"` + long + `": ""}}}}`,
		`{"machine": {"always": {"guard": {"stateIn": {"` + long + `": 5}}}}}`,
		`{"machine": {"` + long + `": 5}}`,
		deep,
	} {
		checkTooDeep(t, DecodeJSON, text)
	}
	checkTooDeep(t, DecodeYAML, deep)
	checkTooDeep(t, DecodeYAML, "initial: a\nstates:\n  a: {}\n  ? "+long+"\n  : {tags: 5}\n")
}

func checkTooDeep(t *testing.T, decode func([]byte) (*Document, error), text string) {
	t.Helper()
	_, err := decode([]byte(text))
	var faults Faults
	if !errors.As(err, &faults) || len(faults) > 2 {
		t.Errorf("%.60s... gives %.300v", text, err)
	}
	for _, f := range faults {
		if f.Code != value.CodeTooDeep {
			t.Errorf("%.60s... gives %.300v", text, f)
		}
	}
}

// YAML that nests without end must not exhaust the stack.
func TestDeepYAML(t *testing.T) {
	t.Parallel()
	_, err := DecodeYAML([]byte(strings.Repeat("[", 5000) + strings.Repeat("]", 5000)))
	var faults Faults
	if !errors.As(err, &faults) || faults[0].Code != value.CodeTooDeep {
		t.Errorf("got %.200v", err)
	}
}

func FuzzDecodeJSON(f *testing.F) {
	seed(f, "json")
	f.Fuzz(func(t *testing.T, text []byte) { checkFuzzed(t, DecodeJSON, text) })
}

func FuzzDecodeYAML(f *testing.F) {
	seed(f, "yaml", "states")
	f.Fuzz(func(t *testing.T, text []byte) { checkFuzzed(t, DecodeYAML, text) })
}

// checkFuzzed holds any text to what callers rely on: a document or faults, the same every time, and
// a source that reads as the same document again.
func checkFuzzed(t *testing.T, decode func([]byte) (*Document, error), text []byte) {
	doc, err := decode(text)
	if (doc == nil) == (err == nil) {
		t.Fatalf("document %v with error %v", doc, err)
	}
	_, again := decode(text)
	if fmt.Sprint(err) != fmt.Sprint(again) {
		t.Fatalf("faults first\n%v\nthen\n%v", err, again)
	}
	if err != nil {
		return
	}
	copied, err := DecodeJSON(doc.Source.AppendJSON(nil))
	if err != nil {
		t.Fatalf("the source does not decode: %v", err)
	}
	if dump(doc) != dump(copied) {
		t.Fatalf("first\n%s\nthen\n%s", dump(doc), dump(copied))
	}
}

// seed adds the inputs of the scripts.
func seed(f *testing.F, commands ...string) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no scripts: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, command := range commands {
			for block := range strings.SplitSeq(string(text), "\n"+command+"\n") {
				input, _, _ := strings.Cut(block, "\n----")
				f.Add([]byte(input))
			}
		}
	}
}
