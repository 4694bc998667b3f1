package syntax

import (
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// ActionKind tells the built-in actions apart.
type ActionKind uint8

// The built-in actions, and ActNamed for those that setup.actions gives a meaning.
const (
	ActNamed ActionKind = iota
	ActAssign
	ActRaise
	ActSendTo
	ActSendParent
	ActForwardTo
	ActCancel
	ActEmit
	ActLog
	ActSpawnChild
	ActStopChild
	ActChoose
	ActTask
)

// Action is one action; Kind says which fields it uses. Fields that are data positions are Absent when not given.
type Action struct {
	At      string
	Kind    ActionKind
	Name    string       // named
	Params  value.Value  // named
	Assign  []Assignment // assign
	Event   value.Value  // raise, sendTo, sendParent, emit
	To      value.Value  // sendTo, forwardTo: text, a data position
	Machine value.Value  // sendTo: text, a data position
	ID      value.Value  // raise, sendTo, spawnChild: id; cancel, stopChild: whom. A data position
	Delay   value.Value  // raise, sendTo: integer milliseconds, or a name, or a duration literal
	Message value.Value  // log
	Src     string       // spawnChild
	Input   value.Value  // spawnChild
	Choose  []Branch     // choose
	Task    *Task        // task
}

// Assignment gives a context key a code position.
type Assignment struct {
	At   string
	Key  string
	Code value.Value // text is an expression; number, boolean, null a literal; array, object a data position
}

// Branch is one branch of choose; Guard is nil for the last, unconditional one.
type Branch struct {
	At      string
	Guard   *Guard
	Actions []*Action
}

var actionWords = &vocabulary{
	of: "an action",
	known: []string{
		"type", "assign", "raise", "sendTo", "sendParent", "forwardTo", "cancel", "emit", "log", "spawnChild", "stopChild", "choose", "task",
	},
	v4: map[string]string{
		"send":    `write {"raise": ...} for an event to this machine, {"sendTo": ...} for one to another`,
		"respond": `write {"sendTo": ...}`,
		"start":   `write "invoke" in a state`,
		"stop":    `write {"stopChild": ...}`,
		"pure":    `write {"choose": [...]}`,
		"exec":    `write the name of an action`,
	},
	refused: map[string]string{
		"enqueueActions": `write {"choose": [...]}`,
	},
}

// actions reads one action or an array of them.
func (d *decoder) actions(v value.Value, at string) []*Action {
	out := []*Action{}
	d.each(v, at, func(v value.Value, at string) { out = append(out, d.action(v, at)) })
	return out
}

func (d *decoder) action(v value.Value, at string) *Action {
	a := &Action{At: at}
	switch {
	case v.Kind() == value.Text:
		a.Name = d.name(v, at, "an action")
		if strings.HasPrefix(a.Name, xstatePrefix) {
			d.fault(at, CodeBadValue, "%q is a built-in action and needs its fields", clip(a.Name))
		}
	case v.Kind() != value.Object:
		d.wrongType(v, at, "an action is a name or an object")
	case v.Has("type"):
		d.typedAction(a, v)
	default:
		if word, ok := d.form(v, at, actionWords); ok {
			d.builtin(a, word, v.Get(word), child(at, word))
		}
	}
	return a
}

// typedAction reads an action with a type: a name with parameters, or XState's long spelling of a built-in one.
func (d *decoder) typedAction(a *Action, v value.Value) {
	a.Name = d.name(v.Get("type"), child(a.At, "type"), "the type of an action")
	if word, long := strings.CutPrefix(a.Name, xstatePrefix); long {
		d.longAction(a, word, v)
		return
	}
	a.Params = d.params(v, a.At, "a named action")
}

func (d *decoder) longAction(a *Action, word string, v value.Value) {
	var field []string // of those that are one field in the short spelling
	switch word {
	case "assign":
		field = []string{"assignment", "assign"}
	case "cancel":
		field = []string{"sendId", "id"}
	case "log":
		field = []string{"value", "message"}
	case "stopChild":
		field = []string{"id", "actorRef"}
	case "raise", "sendTo", "sendParent", "forwardTo", "emit", "spawnChild":
		fields, at := d.long(v, a.At)
		d.builtin(a, word, fields, at)
		return
	default:
		d.unknownBuiltin(word, child(a.At, "type"))
		return
	}
	if x, at, ok := d.longField(v, a.At, field...); ok {
		d.builtin(a, word, x, at)
	}
}

func (d *decoder) unknownBuiltin(word, at string) {
	long := xstatePrefix + clip(word)
	if advice, ok := actionWords.v4[word]; ok {
		d.fault(at, CodeV4Spelling, "%q is XState v4: %s", long, advice)
		return
	}
	if word == "enqueueActions" || word == "choose" {
		d.fault(at, CodeNotSupported, "%q is not supported: %s", long, actionWords.refused["enqueueActions"])
		return
	}
	hint := ""
	if near := Nearest(word, actionWords.known[1:]); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", xstatePrefix+near)
	}
	d.fault(at, CodeBadValue, "XState has no action %q%s", long, hint)
}

// builtin reads the fields of a built-in action.
func (d *decoder) builtin(a *Action, word string, v value.Value, at string) {
	a.Name = ""
	switch word {
	case "assign":
		a.Kind, a.Assign = ActAssign, d.assignments(v, at, "the keys of assign")
	case "raise":
		a.Kind = ActRaise
		d.fields(a, v, at, word, []string{"event"}, "delay", "id")
	case "sendTo":
		a.Kind = ActSendTo
		d.sendTo(a, v, at)
	case "sendParent":
		a.Kind = ActSendParent
		d.fields(a, v, at, word, []string{"event"})
	case "forwardTo":
		a.Kind = ActForwardTo
		d.fields(a, v, at, word, []string{"to"})
	case "cancel":
		a.Kind, a.ID = ActCancel, d.template(v, at, "the id that cancel names")
	case "emit":
		a.Kind = ActEmit
		d.fields(a, v, at, word, []string{"event"})
	case "log":
		a.Kind, a.Message = ActLog, v
	case "spawnChild":
		a.Kind = ActSpawnChild
		d.fields(a, v, at, word, []string{"src", "id"}, "input")
	case "stopChild":
		a.Kind, a.ID = ActStopChild, d.template(v, at, "the id that stopChild names")
	case "choose":
		a.Kind, a.Choose = ActChoose, d.branches(v, at)
	case "task":
		a.Kind, a.Task = ActTask, d.task(v, at, true)
	}
}
