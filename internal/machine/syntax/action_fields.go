package syntax

import (
	"slices"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// refusedFields are the fields of XState's built-in actions that Detent does not do.
var refusedFields = map[string]string{
	"systemId":     "machines are found by their ids",
	"syncSnapshot": "a parent does not watch its children's snapshots",
	"label":        "write it into the message",
}

// fields reads the fields of a built-in action: those that it must have, and those that it may have.
func (d *decoder) fields(a *Action, v value.Value, at, word string, must []string, may ...string) {
	words := &vocabulary{of: word, known: slices.Concat(must, may), refused: refusedFields}
	if word == "sendParent" {
		advice := `write {"sendTo": {"to": "#_parent", ...}}, which can have it`
		words.refused = map[string]string{"delay": advice, "id": advice}
	}
	ok := d.members(v, at, words, func(key string, v value.Value, at string) bool {
		if !slices.Contains(words.known, key) {
			return false
		}
		d.field(a, key, v, at)
		return true
	})
	if ok {
		d.require(v, at, word, must...)
	}
}

func (d *decoder) field(a *Action, key string, v value.Value, at string) {
	switch key {
	case "event":
		a.Event = d.event(v, at)
	case "to":
		a.To = d.template(v, at, "to")
	case "machine":
		a.Machine = d.template(v, at, "machine")
	case "id":
		a.ID = d.template(v, at, "id")
	case "delay":
		a.Delay = d.delay(v, at)
	case "src":
		a.Src = d.name(v, at, "src")
	case "input":
		a.Input = v
	}
}

// sendTo has one of two addressees: an actor that this machine knows, or any other machine.
func (d *decoder) sendTo(a *Action, v value.Value, at string) {
	d.fields(a, v, at, "sendTo", []string{"event"}, "to", "machine", "delay", "id")
	switch {
	case v.Kind() != value.Object:
	case v.Has("to") && v.Has("machine"):
		d.fault(child(at, "machine"), CodeBadValue, `sendTo has "to" or "machine", not both`)
	case !v.Has("to") && !v.Has("machine"):
		d.fault(at, CodeMissing, `sendTo needs "to", a child's id or "#_parent", or "machine", the id of any other machine`)
	}
}

// template reads a data position that gives text.
func (d *decoder) template(v value.Value, at, of string) value.Value {
	d.name(v, at, of)
	return v
}

// isTemplate reports whether a text has an expression in it, so that nobody knows yet what it will be.
func isTemplate(v value.Value) bool {
	return v.Kind() == value.Text && strings.Contains(v.Text(), "{{")
}

// event reads the event of an action: an object with a type, or a template that gives one.
func (d *decoder) event(v value.Value, at string) value.Value {
	switch {
	case isTemplate(v):
	case v.Kind() == value.Text:
		d.fault(at, CodeWrongType, `an event is an object; write {"type": %q}`, clip(v.Text()))
	case v.Kind() != value.Object:
		d.wrongType(v, at, "an event is an object with a type")
	case !v.Has("type"):
		d.fault(at, CodeMissing, `an event needs "type"`)
	default:
		d.name(v.Get("type"), child(at, "type"), "the type of an event")
	}
	return v
}

// delay reads the delay of an action, which is what a key of after may be: a number in quotes is a number.
func (d *decoder) delay(v value.Value, at string) value.Value {
	switch v.Kind() {
	case value.Int:
		d.millis(v, at, "a delay")
	case value.Text:
		key := d.delayKey(v.Text(), at)
		if _, isNumber := jsNumber(key); isNumber {
			if n, err := value.Parse([]byte(key)); err == nil {
				return n
			}
		}
	default:
		d.wrongType(v, at, `a delay is an integer of milliseconds, a name in setup.delays, or a duration such as "30s"`)
	}
	return v
}

// assignments reads keys of the context with their code.
func (d *decoder) assignments(v value.Value, at, of string) []Assignment {
	if v.Kind() == value.Text {
		d.fault(at, CodeWrongType, `%s are an object, as in {"key": "expression"}, not %s`, of, describe(v))
		return nil
	}
	out := []Assignment{}
	d.names(v, at, of, func(key string, v value.Value, at string) {
		if v.Kind() == value.Text {
			d.code(v, at, "the expression")
		}
		out = append(out, Assignment{At: at, Key: key, Code: v})
	})
	return out
}

// branches reads the branches of choose. One without a guard is the last, since no later one would ever be reached.
func (d *decoder) branches(v value.Value, at string) []Branch {
	if v.Kind() != value.Array {
		d.wrongType(v, at, "choose is an array of branches")
		return nil
	}
	words := &vocabulary{of: "a branch of choose", known: []string{"guard", "actions"}, v4: map[string]string{"cond": `write "guard"`}}
	var out []Branch
	for i, e := range v.Elems() {
		b := Branch{At: item(at, i)}
		ok := d.members(e, b.At, words, func(key string, v value.Value, at string) bool {
			switch key {
			case "guard":
				b.Guard = d.guard(v, at)
			case "actions":
				b.Actions = d.actions(v, at)
			default:
				return false
			}
			return true
		})
		if ok {
			d.require(e, b.At, words.of, "actions")
		}
		if ok && b.Guard == nil && !e.Has("cond") && i < v.Len()-1 {
			d.fault(b.At, CodeBadValue, "a branch without a guard is always taken, so that those after it never are")
		}
		out = append(out, b)
	}
	return out
}
