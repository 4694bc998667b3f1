package expr

import (
	"errors"
	"slices"
	"strconv"

	"github.com/detent-run/detent/internal/machine/value"
)

// Template is a compiled data position: JSON whose texts may contain {{ expression }}. Keys of
// objects are never templates. It is immutable and safe for concurrent use.
type Template struct {
	root     part
	stateIDs []string
}

// TemplateFault is one fault in a template: Pointer is relative to the template's value.
type TemplateFault struct {
	Pointer string
	Message string
}

// CompileTemplate compiles a data position and returns all its faults.
func CompileTemplate(v value.Value, names Names) (*Template, []TemplateFault) {
	c := &templateCompiler{names: names, template: &Template{}}
	c.template.root = c.compile(v, "", 0)
	return c.template, c.faults
}

// Constant returns the template's value and true when no expression is in it.
func (t *Template) Constant() (value.Value, bool) {
	fixed, ok := t.root.(fixedPart)
	return fixed.value, ok
}

// StateIDs returns the ids that the template's expressions give to inState as literals.
func (t *Template) StateIDs() []string { return t.stateIDs }

// Eval fills the template in. The error is an *EvalError whose Pointer is relative to the template.
func (t *Template) Eval(s *Scope) (value.Value, error) {
	if fixed, ok := t.root.(fixedPart); ok {
		return fixed.value, nil
	}
	s.begin()
	return t.root.fill(s)
}

// part is a compiled part of a template.
type part interface {
	fill(s *Scope) (value.Value, error)
}

// fixedPart is a part without expressions, however large.
type fixedPart struct{ value value.Value }

func (f fixedPart) fill(*Scope) (value.Value, error) { return f.value, nil }

// wholePart is a text that is exactly one expression: its value keeps its type.
type wholePart struct {
	program *Program
	pointer string
	depth   int // of arrays and objects around it
}

func (w *wholePart) fill(s *Scope) (value.Value, error) {
	v, err := w.program.run(s)
	if err == nil && w.depth > 0 {
		if err = s.checkDepth(v, max(maxResultDepth-w.depth, 0)); err != nil {
			err = w.program.explain(err)
		}
	}
	return v, pointTo(err, w.pointer)
}

// textPart is a text with values put in: texts[i] stands before programs[i], the last text after all.
type textPart struct {
	texts    []string
	programs []*Program
	pointer  string
}

func (t *textPart) fill(s *Scope) (value.Value, error) {
	out := []byte(t.texts[0])
	for i, p := range t.programs {
		v, err := p.run(s)
		if err == nil {
			err = s.chargeJSON(v)
			if err == nil {
				err = s.charge(len(t.texts[i+1]), 1)
			}
			if err != nil {
				err = p.explain(err)
			}
		}
		if err != nil {
			return v, pointTo(err, t.pointer)
		}
		if v.Kind() == value.Text {
			out = append(out, v.Text()...)
		} else {
			out = v.AppendJSON(out)
		}
		out = append(out, t.texts[i+1]...)
	}
	return value.OfText(string(out)), nil
}

// arrayPart is an array with an expression somewhere in it.
type arrayPart struct{ elems []part }

func (a *arrayPart) fill(s *Scope) (value.Value, error) {
	elems := make([]value.Value, len(a.elems))
	for i, p := range a.elems {
		var err error
		if elems[i], err = p.fill(s); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfArray(elems), nil
}

// objectPart is an object with an expression somewhere in it.
type objectPart struct {
	keys  []string
	parts []part
}

func (o *objectPart) fill(s *Scope) (value.Value, error) {
	members := make([]value.Member, len(o.keys))
	for i, p := range o.parts {
		v, err := p.fill(s)
		if err != nil {
			return v, err
		}
		members[i] = value.Member{Key: o.keys[i], Value: v}
	}
	return value.OfObject(members...), nil
}

// pointTo adds the place in the template to an error of an expression.
func pointTo(err error, pointer string) error {
	var e *EvalError
	if errors.As(err, &e) {
		e.Pointer = pointer
	}
	return err
}

// templateCompiler gathers the faults of all texts of a template.
type templateCompiler struct {
	names    Names
	template *Template
	faults   []TemplateFault
}

func (c *templateCompiler) compile(v value.Value, pointer string, depth int) part {
	switch v.Kind() {
	case value.Text:
		return c.text(v, pointer, depth)
	case value.Array:
		parts := make([]part, v.Len())
		for i, e := range v.Elems() {
			parts[i] = c.compile(e, pointer+"/"+strconv.Itoa(i), depth+1)
		}
		return settle(&arrayPart{parts}, parts)
	case value.Object:
		o := &objectPart{keys: make([]string, v.Len()), parts: make([]part, v.Len())}
		for i := range v.Len() {
			key, x := v.Member(i)
			o.keys[i], o.parts[i] = key, c.compile(x, pointer+"/"+value.EscapePointer(key), depth+1)
		}
		return settle(o, o.parts)
	default:
		return fixedPart{v}
	}
}

// settle makes one fixed part of an array or object whose parts are all fixed.
func settle(whole part, parts []part) part {
	if slices.ContainsFunc(parts, func(p part) bool { _, ok := p.(fixedPart); return !ok }) {
		return whole
	}
	v, _ := whole.fill(nil) // fixed parts do not fail, and need no scope
	return fixedPart{v}
}

// text compiles a text. What it returns after a fault is not used.
func (c *templateCompiler) text(v value.Value, pointer string, depth int) part {
	texts, sources, fault := splitTemplate(v.Text())
	if fault != "" {
		c.faults = append(c.faults, TemplateFault{pointer, fault})
		return fixedPart{v}
	}
	if len(sources) == 0 {
		return fixedPart{v}
	}
	t := &textPart{texts: texts, pointer: pointer}
	for _, source := range sources {
		p, err := Compile(source, c.names)
		if err != nil {
			c.faults = append(c.faults, TemplateFault{pointer, "{{ " + shorten(source, maxQuoted) + " }}: " + err.Error()})
			continue
		}
		c.template.stateIDs = append(c.template.stateIDs, p.stateIDs...)
		t.programs = append(t.programs, p)
	}
	if len(t.programs) < len(sources) {
		return fixedPart{v}
	}
	if len(sources) == 1 && texts[0] == "" && texts[1] == "" {
		return c.whole(t.programs[0], pointer, depth)
	}
	return t
}

// whole makes a part of a text that is one expression. One that is constant, such as {{ '{{' }},
// costs no more than its value.
func (c *templateCompiler) whole(p *Program, pointer string, depth int) part {
	if k, ok := p.root.(*constant); ok {
		return fixedPart{k.value}
	}
	return &wholePart{p, pointer, depth}
}
