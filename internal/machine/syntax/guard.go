package syntax

import (
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// GuardKind tells the forms of a guard apart.
type GuardKind uint8

// The forms of a guard, with the fields that each uses.
const (
	GuardNamed   GuardKind = iota // Name, Params
	GuardExpr                     // Expr
	GuardAnd                      // Of
	GuardOr                       // Of
	GuardNot                      // Of[0]
	GuardStateIn                  // State: text or an object
)

// Guard is one guard in any of its spellings.
type Guard struct {
	At     string
	Kind   GuardKind
	Name   string
	Params value.Value // data position; Absent when not given
	Expr   string
	Of     []*Guard
	State  value.Value
}

var guardWords = &vocabulary{
	of:    "a guard",
	known: []string{"type", "expr", "and", "or", "not", "stateIn"},
	v4: map[string]string{
		"cond":      `write "guard" in the transition`,
		"predicate": `write {"expr": ...}`,
		"in":        `write {"stateIn": ...}`,
	},
}

// xstatePrefix begins the types of XState's own actions and guards in their long spelling.
const xstatePrefix = "xstate."

// guard reads a guard where text is the name of one.
func (d *decoder) guard(v value.Value, at string) *Guard {
	g := &Guard{At: at}
	switch v.Kind() {
	case value.Text:
		g.Name = d.name(v, at, "a guard")
	case value.Object:
		d.guardObject(g, v)
	default:
		d.wrongType(v, at, "a guard is a name or an object")
	}
	return g
}

// namedGuard reads a value of setup.guards, where text is an expression.
func (d *decoder) namedGuard(v value.Value, at string) *Guard {
	if v.Kind() == value.Object {
		return d.guard(v, at)
	}
	return &Guard{At: at, Kind: GuardExpr, Expr: d.condition(v, at)}
}

// condition reads an expression that gives true or false: code, or one of these as a literal.
func (d *decoder) condition(v value.Value, at string) string {
	if v.Kind() == value.Bool {
		return v.String()
	}
	return d.code(v, at, "the expression of a guard")
}

func (d *decoder) code(v value.Value, at, of string) string {
	if v.Kind() == value.Text && strings.TrimSpace(v.Text()) == "" {
		d.fault(at, CodeBadValue, "%s is empty", of)
	}
	return d.text(v, at, of)
}

func (d *decoder) guardObject(g *Guard, v value.Value) {
	if v.Has("type") {
		d.typedGuard(g, v)
		return
	}
	if form, ok := d.form(v, g.At, guardWords); ok {
		d.guardForm(g, form, v.Get(form), child(g.At, form))
	}
}

func (d *decoder) guardForm(g *Guard, form string, v value.Value, at string) {
	switch form {
	case "expr":
		g.Kind, g.Expr = GuardExpr, d.condition(v, at)
	case "and":
		g.Kind, g.Of = GuardAnd, d.guards(v, at)
	case "or":
		g.Kind, g.Of = GuardOr, d.guards(v, at)
	case "not":
		g.Kind, g.Of = GuardNot, []*Guard{d.guard(v, at)}
	case "stateIn":
		g.Kind, g.State = GuardStateIn, v
		d.stateValue(v, at)
	}
}

func (d *decoder) guards(v value.Value, at string) []*Guard {
	if v.Kind() != value.Array {
		d.wrongType(v, at, "an array of guards is expected")
		return nil
	}
	var out []*Guard
	for i, e := range v.Elems() {
		out = append(out, d.guard(e, item(at, i)))
	}
	return out
}

// stateValue checks what stateIn asks for: a text, or an object of regions and their states.
func (d *decoder) stateValue(v value.Value, at string) {
	switch v.Kind() {
	case value.Text:
		d.name(v, at, "a state")
	case value.Object:
		for i := range v.Len() {
			key, x := v.Member(i)
			if where, ok := d.descend(at, key); ok {
				d.stateValue(x, where)
			}
		}
	default:
		d.wrongType(v, at, `stateIn is "#id", "key.key" or {"region": "key"}`)
	}
}

// typedGuard reads a guard with a type: a name with parameters, or XState's long spelling of the others.
func (d *decoder) typedGuard(g *Guard, v value.Value) {
	g.Name = d.name(v.Get("type"), child(g.At, "type"), "the type of a guard")
	form, long := strings.CutPrefix(g.Name, xstatePrefix)
	if !long {
		g.Params = d.params(v, g.At, "a named guard")
		return
	}
	switch form {
	case "and", "or":
		if list, at, ok := d.longField(v, g.At, "guards"); ok {
			d.guardForm(g, form, list, at)
		}
	case "not":
		list, at, ok := d.longField(v, g.At, "guards")
		if ok && (list.Kind() != value.Array || list.Len() != 1) {
			d.fault(at, CodeBadValue, "xstate.not has an array of exactly one guard")
		} else if ok {
			d.guardForm(g, form, list.Elems()[0], item(at, 0))
		}
	case "stateIn":
		if state, at, ok := d.longField(v, g.At, "stateValue"); ok {
			d.guardForm(g, form, state, at)
		}
	default:
		known := []string{"xstate.and", "xstate.or", "xstate.not", "xstate.stateIn"}
		d.fault(child(g.At, "type"), CodeBadValue, "XState has no guard %q; it has %s", clip(g.Name), list(known))
	}
}

// params reads the parameters of a guard or action with a type that is a name.
func (d *decoder) params(v value.Value, at, of string) value.Value {
	words := &vocabulary{of: of, known: []string{"type", "params"}}
	d.members(v, at, words, func(key string, _ value.Value, _ string) bool { return key == "type" || key == "params" })
	return v.Get("params")
}

// long returns the fields of an action or guard in XState's long spelling, which stand beside the
// type or in params.
func (d *decoder) long(v value.Value, at string) (value.Value, string) {
	var fields []value.Member
	for i := range v.Len() {
		if key, x := v.Member(i); key != "type" {
			fields = append(fields, value.Member{Key: key, Value: x})
		}
	}
	if len(fields) == 1 && fields[0].Key == "params" {
		return fields[0].Value, child(at, "params")
	}
	return value.OfObject(fields...), at
}

// longField returns the only field of an action or guard in the long spelling, which bears one of the names.
func (d *decoder) longField(v value.Value, at string, names ...string) (value.Value, string, bool) {
	fields, at := d.long(v, at)
	of := v.Get("type").Text()
	form, ok := d.form(fields, at, &vocabulary{of: of, known: names, refused: refusedFields})
	return fields.Get(form), child(at, form), ok
}
