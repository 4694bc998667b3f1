package syntax

import (
	"github.com/detent-run/detent/internal/machine/value"
)

var transitionWords = &vocabulary{
	of:    "a transition",
	known: []string{"target", "guard", "actions", "reenter", "description", "meta"},
	v4: map[string]string{
		"cond":     `write "guard"`,
		"internal": `write "reenter": true for "internal": false, and nothing for true`,
		"in":       `write "guard": {"stateIn": ...}`,
	},
	refused: map[string]string{},
}

// initial reads an initial child: its key, or the key with actions.
func (d *decoder) initial(v value.Value, at string) *Transition {
	t := &Transition{At: at}
	if v.Kind() == value.Text {
		t.Targets = []string{d.name(v, at, "initial")}
		return t
	}
	words := &vocabulary{of: "initial", known: []string{"target", "actions", "description", "meta"}}
	ok := d.members(v, at, words, func(key string, v value.Value, at string) bool {
		switch key {
		case "target":
			t.Targets = []string{d.name(v, at, "the target of initial")}
		case "actions", "description", "meta":
			return d.transitionMember(t, key, v, at)
		default:
			return false
		}
		return true
	})
	if ok {
		d.require(v, at, "initial", "target")
	}
	return t
}

// transitions reads one candidate or an array of them; the result is never nil, which would mean that
// the key is not there. Within on, null is a candidate too: it forbids the event.
func (d *decoder) transitions(v value.Value, at string, nullable bool) []*Transition {
	out := []*Transition{}
	d.each(v, at, func(v value.Value, at string) {
		if v.Kind() == value.Null && nullable {
			out = append(out, &Transition{At: at})
			return
		}
		out = append(out, d.transition(v, at))
	})
	return out
}

func (d *decoder) transition(v value.Value, at string) *Transition {
	t := &Transition{At: at}
	switch v.Kind() {
	case value.Text:
		t.Targets = d.targets(v, at)
	case value.Object:
		d.members(v, at, transitionWords, func(key string, v value.Value, at string) bool {
			return d.transitionMember(t, key, v, at)
		})
	default:
		d.wrongType(v, at, "a transition is a target or an object")
	}
	return t
}

func (d *decoder) transitionMember(t *Transition, key string, v value.Value, at string) bool {
	switch key {
	case "target":
		t.Targets = d.targets(v, at)
	case "guard":
		t.Guard = d.guard(v, at)
	case "actions":
		t.Actions = d.actions(v, at)
	case "reenter":
		t.Reenter = d.boolean(v, at, "reenter")
	case "description":
		t.Description = d.text(v, at, "description")
	case "meta":
		t.Meta = v
	default:
		return false
	}
	return true
}

// targets reads a target or an array of them. "" alone and [] are no target.
func (d *decoder) targets(v value.Value, at string) []string {
	if v.Kind() == value.Text && v.Text() == "" {
		return nil
	}
	var out []string
	d.each(v, at, func(v value.Value, at string) { out = append(out, d.name(v, at, "a target")) })
	return out
}

// handlers reads on and after: candidates by key, in JavaScript's key order. spell returns the key as
// it is to be known.
func (d *decoder) handlers(v value.Value, at, of string, nullable bool, spell func(key, at string) string) []Handler {
	if v.Kind() != value.Object {
		d.wrongType(v, at, of+" is an object of transitions by key")
		return nil
	}
	var out []Handler
	for _, m := range inKeyOrder(v) {
		if where, ok := d.descend(at, m.Key); ok {
			out = append(out, Handler{At: where, Key: spell(m.Key, where), Transitions: d.transitions(m.Value, where, nullable)})
		}
	}
	return out
}

// eventKey checks an event descriptor. What an asterisk means where no wildcard may stand, as in
// "a.*.c", is an event of just that name, as in XState.
func (d *decoder) eventKey(key, at string) string {
	if key == "" {
		d.fault(at, CodeBadValue, `"" is not an event; XState v5 writes eventless transitions in "always"`)
	}
	return key
}

// after reads delayed transitions. Two keys that are one number would share an event, and whichever
// timer fired first would be taken for both.
func (d *decoder) after(v value.Value, at string) []Handler {
	written := map[string]string{} // by the key as JavaScript writes it
	return d.handlers(v, at, "after", false, func(key, at string) string {
		k := d.delayKey(key, at)
		if other, again := written[k]; again {
			d.fault(at, CodeDuplicate, "%q is the same delay as %q", key, other)
		}
		written[k] = key
		return k
	})
}
