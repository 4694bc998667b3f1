package conformance_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
)

const (
	caseA = `{"name": "a", "definition": {"machine": {}}, "steps": [{"event": {"type": "E"}}], "expect": [{"status": "active"}, null]}`
	caseB = `{"name": "b", "definition": {"machine": {}}, "start": 5, "steps": [{"advance": 2.5}, {"complete": {"id": "j", "of": "k/l", "output": 1}}]}`
)

func TestReadForms(t *testing.T) {
	t.Parallel()
	forms := map[string]struct {
		text  string
		names string
	}{
		"array":              {"[" + caseA + ",\n" + caseB + "]", "a b"},
		"array in one line":  {"[" + caseA + "," + caseB + "]", "a b"},
		"empty array":        {"[]", ""},
		"single":             {caseA, "a"},
		"single, many lines": {strings.ReplaceAll(caseB, ", ", ",\n"), "b"},
		"lines":              {caseA + "\n\n" + caseB + "\n", "a b"},
		"lines of Windows":   {caseA + "\r\n" + caseB, "a b"},
		"no name":            {`{"definition": {}}`, "the file#1"},
	}
	for name, form := range forms {
		for _, packed := range []bool{false, true} {
			cases, err := conformance.Read("the file", reader(t, form.text, packed))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			var names []string
			for _, c := range cases {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, " "); got != form.names {
				t.Errorf("%s: read %q, want %q", name, got, form.names)
			}
		}
	}
}

func reader(t *testing.T, text string, packed bool) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	if !packed {
		b.WriteString(text)
		return &b
	}
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestReadKeepsEverything(t *testing.T) {
	t.Parallel()
	cases, err := conformance.Read("f", strings.NewReader(caseA+"\n"+caseB))
	if err != nil {
		t.Fatal(err)
	}
	a, b := cases[0], cases[1]
	if a.Start != conformance.DefaultStart || len(a.Steps) != 1 || a.Steps[0].Event.Get("type").Text() != "E" {
		t.Errorf("case a: %+v", a)
	}
	if len(a.Expect) != 2 || a.Expect[0].Get("status").Text() != "active" || !a.Expect[1].IsNull() {
		t.Errorf("expectations of a: %v", a.Expect)
	}
	if b.Start != 5000 || len(b.Steps) != 2 || b.Steps[0].Advance != 2500 {
		t.Errorf("case b: %+v", b)
	}
	if task := b.Steps[1].Task; b.Steps[1].Kind != conformance.CompleteStep || task.ID != "j" || task.Of != "k/l" || task.Data.Int() != 1 {
		t.Errorf("second step of b: %+v", b.Steps[1])
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, bad := range []struct{ text, message string }{
		{``, "f: the text ends where JSON has a value"},
		{`[{"name": }]`, "in /0/name"},
		{caseA + "\n" + `{"name": `, "f: line 2: "},
		{`[1]`, "f: case 1 null: a case is an object, this is 1"},
		{`{"name": "x"}`, `f: case 1 "x": "definition" is missing`},
		{`{"definition": {}, "actors": []}`, `"actors" is an object of definitions, this is []`},
		{`{"definition": {}, "start": "now"}`, `"start": not a number of milliseconds: "now"`},
		{`{"definition": {}, "start": 1e300}`, `not a number of milliseconds`},
		{`{"definition": {}, "steps": {}}`, `"steps" is an array, this is {}`},
		{`{"definition": {}, "expect": 1}`, `"expect" is an array, this is 1`},
		{`{"definition": {}, "steps": [{"advance": 1}, {}]}`, `steps/1: a step is an object of one key, this is {}`},
		{`{"definition": {}, "steps": [{"wait": 1}]}`, `steps/0: wait: a step is one of event, advance, complete and fail`},
		{`{"definition": {}, "steps": [{"event": "E"}]}`, `steps/0: event: an event is an object with a type`},
		{`{"definition": {}, "steps": [{"advance": -1}]}`, `steps/0: advance: time does not go back`},
		{`{"definition": {}, "steps": [{"complete": {"output": 1}}]}`, `steps/0: complete: the id of the task is missing`},
		{`{"definition": {}, "steps": [{"fail": {"id": "j", "output": 1}}]}`, `steps/0: fail: unknown key "output"`},
		{`{"definition": {}, "steps": [{"fail": {"id": "j", "of": 1}}]}`, `"of" is the ids of child machines`},
		{"\x1f\x8bnot gzip", "gzip"},
	} {
		_, err := conformance.Read("f", strings.NewReader(bad.text))
		if err == nil || !strings.Contains(err.Error(), bad.message) {
			t.Errorf("%s: error %v, want one with %q", bad.text, err, bad.message)
		}
	}
}

func TestLoadNamesAMissingFile(t *testing.T) {
	t.Parallel()
	if _, err := conformance.Load("testdata/nowhere.json"); err == nil || !strings.Contains(err.Error(), "nowhere.json") {
		t.Errorf("error %v", err)
	}
}

func TestCheckNeedsExpectations(t *testing.T) {
	t.Parallel()
	cases, err := conformance.Read("f", strings.NewReader(caseB))
	if err != nil {
		t.Fatal(err)
	}
	if v := conformance.Check(cases[0], conformance.Options{}); !errors.Is(v.Fault, conformance.ErrNoExpectations) || v.Passed() {
		t.Errorf("verdict %+v", v)
	}
}
