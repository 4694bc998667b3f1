package syntax

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/value"
)

var stateWords = &vocabulary{
	of: "a state",
	known: []string{
		"id", "type", "initial", "states", "on", "after", "always", "onDone", "entry", "exit", "invoke",
		"history", "target", "tags", "meta", "description", "output",
	},
	v4: map[string]string{
		"activities": `write "invoke"`,
		"data":       `write "output"`,
		"onEntry":    `write "entry"`,
		"onExit":     `write "exit"`,
		"parallel":   `write "type": "parallel"`,
		"delimiter":  "keys in targets are joined by a dot, and a dot that belongs to a key is written \\.",
	},
	refused: map[string]string{
		"route": `write the transition in "on" of an ancestor`,
	},
}

// rootWords are those of a state, and what the whole machine has.
var rootWords = func() *vocabulary {
	w := &vocabulary{
		of:      "a machine",
		known:   append([]string{"context", "version"}, stateWords.known...),
		v4:      map[string]string{},
		refused: map[string]string{},
		schema:  true,
	}
	const gone = "v5 has no such key"
	for _, key := range []string{"strict", "schema", "tsTypes", "predictableActionArguments", "preserveActionOrder"} {
		w.v4[key] = gone
	}
	for _, key := range []string{"activities", "data", "onEntry", "onExit", "parallel", "delimiter"} {
		w.v4[key] = stateWords.v4[key]
	}
	w.refused["route"] = stateWords.refused["route"]
	w.refused["options"] = `write "options": {"maxMicrosteps": ...} beside "machine"`
	return w
}()

// root reads the machine part, which is a state with a few keys more.
func (d *decoder) root(v value.Value, at string) *State {
	s := &State{At: at}
	d.stateMembers(s, v, rootWords, func(key string, v value.Value, at string) bool {
		switch key {
		case "context":
			if v.Kind() != value.Object {
				d.wrongType(v, at, "context is an object")
			}
			s.Context = v
		case "version":
			d.text(v, at, "version")
		case "machine", "setup":
			d.fault(at, CodeMisplaced, `%q stands beside "states", so that the object is taken for the machine itself; put the machine into "machine"`, key)
		default:
			return false
		}
		return true
	})
	return s
}

func (d *decoder) state(v value.Value, at, key string) *State {
	s := &State{At: at, Key: key}
	d.stateMembers(s, v, stateWords, func(key string, _ value.Value, at string) bool {
		if key == "context" || key == "version" {
			d.fault(at, CodeMisplaced, "%q belongs to the machine, not to a state in it", key)
			return true
		}
		return false
	})
	return s
}

// stateMembers reads what every state may have, and leaves the rest to more.
func (d *decoder) stateMembers(s *State, v value.Value, words *vocabulary, more func(string, value.Value, string) bool) {
	ok := d.members(v, s.At, words, func(key string, v value.Value, at string) bool {
		return d.stateStructure(s, key, v, at) || d.stateBehaviour(s, key, v, at) || more(key, v, at)
	})
	if ok {
		d.stateType(s, v)
	}
}

// stateStructure reads what a state is.
func (d *decoder) stateStructure(s *State, key string, v value.Value, at string) bool {
	switch key {
	case "id":
		s.ID = d.name(v, at, "id")
	case "type":
		d.oneOf(v, at, "type", typeNames...)
	case "initial":
		s.Initial = d.initial(v, at)
	case "states":
		s.States = d.states(v, at)
	case "history":
		s.Deep = d.history(v, at)
	case "target":
		if targets := d.targets(v, at); len(targets) > 0 {
			s.Target = &Transition{At: at, Targets: targets}
		}
	case "tags":
		s.Tags = d.texts(v, at, "a tag")
	case "meta":
		s.Meta = v
	case "description":
		d.text(v, at, "description")
	case "output":
		s.Output = v
	default:
		return false
	}
	return true
}

// stateBehaviour reads what a state does.
func (d *decoder) stateBehaviour(s *State, key string, v value.Value, at string) bool {
	switch key {
	case "on":
		s.On = d.handlers(v, at, "on", true, d.eventKey)
	case "after":
		s.After = d.after(v, at)
	case "always":
		s.Always = d.transitions(v, at, false)
	case "onDone":
		s.OnDone = d.transitions(v, at, false)
	case "entry":
		s.Entry = d.actions(v, at)
	case "exit":
		s.Exit = d.actions(v, at)
	case "invoke":
		d.each(v, at, func(v value.Value, at string) { s.Invoke = append(s.Invoke, d.invoke(v, at)) })
	default:
		return false
	}
	return true
}

func (d *decoder) states(v value.Value, at string) []*State {
	if v.Kind() != value.Object {
		d.wrongType(v, at, "states is an object of states by key")
		return nil
	}
	var out []*State
	for _, m := range inKeyOrder(v) {
		if m.Key == "" {
			d.fault(child(at, ""), CodeBadValue, `"" is not a key of a state: no target could name it`)
			continue
		}
		if where, ok := d.descend(at, m.Key); ok {
			out = append(out, d.state(m.Value, where, m.Key))
		}
	}
	return out
}

func (d *decoder) history(v value.Value, at string) (deep bool) {
	if v.Kind() == value.Bool {
		return false // true is shallow, and false is as if the key were not there
	}
	return d.oneOf(v, at, "history", "shallow", "deep") == "deep"
}

// typeNames are the names of the types, in the order of the constants.
var typeNames = []string{"atomic", "compound", "parallel", "final", "history"}

// String returns the type's name in definitions.
func (t Type) String() string { return typeNames[t] }

// stateType works out the type as XState does, and reports what does not go with it.
func (d *decoder) stateType(s *State, v value.Value) {
	history := v.Get("history")
	switch given := slices.Index(typeNames, v.Get("type").Text()); {
	case given >= 0:
		s.Type = Type(given)
	case v.Has("type"):
		return // a fault already, and what else is there says little without it
	case v.Get("states").Kind() == value.Object && v.Get("states").Len() > 0:
		s.Type = Compound
	case v.Has("history") && !isFalse(history):
		s.Type = History
	}
	d.misplaced(s, v)
	if s.Type == Compound {
		d.checkInitial(s, v)
	}
}

func isFalse(v value.Value) bool { return v.Kind() == value.Bool && !v.Bool() }

// misplaced reports keys that XState would silently ignore on a state of this type.
func (d *decoder) misplaced(s *State, v value.Value) {
	only := func(key string, allowed bool, where string) {
		if v.Has(key) && !allowed {
			d.fault(child(s.At, key), CodeMisplaced, "%q means nothing on a state that is %s: %s", key, s.Type, where)
		}
	}
	states := v.Get("states")
	unread := v.Has("states") && states.Kind() != value.Object // so that the type is a guess
	only("states", s.Type == Compound || s.Type == Parallel || states.Len() == 0 || unread, "a compound or parallel one has it")
	only("initial", s.Type == Compound || unread, "a compound one has it")
	only("history", s.Type == History || isFalse(v.Get("history")), "a history one has it")
	only("target", s.Type == History, `a history one has it, and a transition in "on", "after" or "always"`)
	only("output", s.Type == Final || s.Key == "", "a final one has it, or the machine")
}

// checkInitial looks for the initial child of a compound state.
func (d *decoder) checkInitial(s *State, v value.Value) {
	keys := make([]string, len(s.States))
	for i, c := range s.States {
		keys[i] = c.Key
	}
	switch {
	case !v.Has("states"):
		d.fault(s.At, CodeMissing, `a compound state needs "states"`)
	case !v.Has("initial"):
		d.fault(s.At, CodeMissing, `a compound state needs "initial", the key of one of its states`)
	case s.Initial != nil && len(s.Initial.Targets) == 1 && !slices.Contains(keys, s.Initial.Targets[0]):
		key := s.Initial.Targets[0]
		d.fault(s.Initial.At, CodeBadValue, "initial is the key of one of the state's own states, and %q is none%s", clip(key), didYouMean(key, keys))
	}
}
