package expr

import (
	"errors"
	"testing"
)

func TestTemplate(t *testing.T) {
	t.Parallel()
	tests := [][2]string{
		{`"plain"`, `"plain"`},
		{`"{{ context.n }}"`, `2`},
		{`"{{context.xs}}"`, `[3,1,2]`},
		{`"{{ context.missing }}"`, `null`},
		{`" {{ context.n }}"`, `" 2"`},
		{`"n={{ context.n }}, s={{ context.s }}, o={{ context.o }}, {{ context.missing }}"`, `"n=2, s=héllo, o={\"z\":1,\"a\":{\"b\":null}}, null"`},
		{`"{{ context.n }}{{ context.f }}"`, `"21.5"`},
		{`"{{ '{{' }}"`, `"{{"`},
		{`"a {{ '{{' }} b }}"`, `"a {{ b }}"`},
		{`"{{ '}}' + \"}}\" + ` + "`}}`" + ` }}"`, `"}}}}}}"`},
		{`"{{ 'it\\'s }}' }}"`, `"it's }}"`},
		{`"{{ ` + "```}}`" + ` }}"`, "\"`}}\""},
		{`"{{ {a: {b: 1}} }}"`, `{"a":{"b":1}}`},
		{`"{{ {a: 1}}}"`, `{"a":1}`},
		{`"{{ 1 /* }} */ + 1 }}"`, `2`},
		{`"{{ 1 // }}\n + 1 }}"`, `2`},
		{`{"{{ x }}": "{{ context.n }}", "k": [1, {"d": "{{ event.amount / 2 }}"}]}`, `{"{{ x }}":2,"k":[1,{"d":125}]}`},
		{`["{{ 'x' }}", {"a": "{{ 1 + 1 }}"}]`, `["x",{"a":2}]`},
		{`[]`, `[]`},
	}
	for _, tt := range tests {
		template, faults := CompileTemplate(parse(t, tt[0]), every)
		if len(faults) > 0 {
			t.Errorf("%s: %v", tt[0], faults)
			continue
		}
		got, err := template.Eval(sample(t))
		if err != nil {
			t.Errorf("%s: %v", tt[0], err)
		} else if got.String() != tt[1] {
			t.Errorf("%s\n got %s\nwant %s", tt[0], got, tt[1])
		}
	}
}

func TestTemplateConstant(t *testing.T) {
	t.Parallel()
	tests := []struct {
		template string
		want     string // "" is not constant
	}{
		{`{"a": [1, "x"]}`, `{"a":[1,"x"]}`},
		{`{"a": "{{ '{{' }}", "b": 1}`, `{"a":"{{","b":1}`},
		{`{"a": "{{ now }}"}`, ""},
	}
	for _, tt := range tests {
		template, faults := CompileTemplate(parse(t, tt.template), every)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", tt.template, faults)
		}
		got, ok := template.Constant()
		if ok != (tt.want != "") || (ok && got.String() != tt.want) {
			t.Errorf("%s: got %s, %v", tt.template, got, ok)
		}
	}
}

func TestTemplateFaults(t *testing.T) {
	t.Parallel()
	template := parse(t, `{
		"open": "{{ context.n", "a/b": ["x {{ 1 }} {{ 'open }}"], "brace": "{{ {a: 1 }}", "comment": "{{ 1 // }}", "note": "{{ 1 /* }}",
		"empty": "a {{ }}", "two": "{{ paid }} {{ context. }}", "fine": "{{ 1 }}"}`)
	_, faults := CompileTemplate(template, Everywhere)
	want := []TemplateFault{
		{"/open", "the {{ at byte 0 is not closed (a literal {{ is written {{ '{{' }})"},
		{"/a~1b/0", "the {{ at byte 10 is not closed: the quote ' in it is open"},
		{"/brace", "the {{ at byte 0 is not closed: a brace { in it is open"},
		{"/comment", "the {{ at byte 0 is not closed: a comment // goes on to the end of the line"},
		{"/note", "the {{ at byte 0 is not closed: the comment /* in it is open"},
		{"/empty", "there is no expression in the {{ }} at byte 2"},
		{"/two", "{{ paid }}: `paid` names nothing here; for a text write 'paid'"},
		{"/two", "{{ context. }}: the expression ends where more is expected"},
	}
	if len(faults) != len(want) {
		t.Fatalf("got %d faults: %v", len(faults), faults)
	}
	for i, f := range faults {
		if f != want[i] {
			t.Errorf("got %v\nwant %v", f, want[i])
		}
	}
}

func TestTemplateError(t *testing.T) {
	t.Parallel()
	template, faults := CompileTemplate(parse(t, `{"a": ["x", "{{ context.nothing.here }}"]}`), Everywhere)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	_, err := template.Eval(sample(t))
	var e *EvalError
	if !errors.As(err, &e) || e.Pointer != "/a/1" {
		t.Fatalf("got %v", err)
	}
	if want := "context.nothing.here: `context.nothing` is null, it has no member `here` (in /a/1)"; e.Error() != want {
		t.Errorf("got %s", e)
	}
}
