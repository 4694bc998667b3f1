package machine

import (
	"strconv"
	"strings"

	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// actionList compiles a list of actions.
func (c *compiler) actionList(list []*syntax.Action, sees expr.Names) []action {
	if len(list) == 0 {
		return nil
	}
	out := make([]action, len(list))
	for i, a := range list {
		out[i] = c.action(a, sees)
	}
	return out
}

// action compiles one action.
func (c *compiler) action(a *syntax.Action, sees expr.Names) action {
	switch a.Kind {
	case syntax.ActNamed:
		return c.namedAction(a, sees)
	case syntax.ActAssign:
		return assignAction(c.assignments(a.Assign, sees))
	case syntax.ActRaise:
		return c.raise(a, sees)
	case syntax.ActSendTo, syntax.ActSendParent, syntax.ActForwardTo:
		return c.send(a, sees)
	case syntax.ActCancel:
		return &cancelAction{id: c.field(a, "cancel", "", a.ID, sees)}
	case syntax.ActEmit:
		return &emitAction{event: c.field(a, "emit", "event", a.Event, sees)}
	case syntax.ActLog:
		return &logAction{message: c.field(a, "log", "", a.Message, sees)}
	case syntax.ActSpawnChild:
		return &spawnAction{
			at: a.At, id: c.field(a, "spawnChild", "id", a.ID, sees),
			actor: c.actor(a.Src, c.place(a, "spawnChild", "src")), input: c.field(a, "spawnChild", "input", a.Input, sees),
		}
	case syntax.ActStopChild:
		return &stopAction{id: c.field(a, "stopChild", "", a.ID, sees)}
	case syntax.ActChoose:
		return c.choose(a, sees)
	default:
		return &taskAction{fields: c.template(a.Task.Fields, a.Task.At, sees)}
	}
}

// field compiles a data position of a built-in action.
func (c *compiler) field(a *syntax.Action, word, key string, v value.Value, sees expr.Names) *expression {
	return c.template(v, c.place(a, word, key), sees)
}

// place returns the pointer to a field of a built-in action in its short spelling. In XState's long
// spelling the fields may stand elsewhere, so there it is the action.
func (c *compiler) place(a *syntax.Action, word, key string) string {
	action := c.at(a.At)
	if !action.Has(word) {
		return a.At
	}
	if key == "" {
		return child(a.At, word)
	}
	return child(child(a.At, word), key)
}

// at returns what the document has at a pointer.
func (c *compiler) at(pointer string) value.Value {
	v := c.doc.Source
	for _, token := range strings.Split(pointer, "/")[1:] {
		if i, err := strconv.Atoi(token); err == nil && v.Kind() == value.Array && i < v.Len() {
			v = v.Elems()[i]
			continue
		}
		v = v.Get(unescape.Replace(token))
	}
	return v
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

func (c *compiler) raise(a *syntax.Action, sees expr.Names) action {
	event := c.field(a, "raise", "event", a.Event, sees)
	if name := a.Event.Get("type").Text(); !strings.Contains(name, "{{") && name != "" {
		c.raised = append(c.raised, raised{a.At, name})
	}
	return &raiseAction{
		event: event,
		delay: c.actionDelay(a.Delay, c.place(a, "raise", "delay")),
		id:    c.field(a, "raise", "id", a.ID, sees),
	}
}

// send compiles the three actions that send a message.
func (c *compiler) send(a *syntax.Action, sees expr.Names) action {
	s := &sendAction{at: a.At, is: "sendTo"}
	switch a.Kind {
	case syntax.ActSendParent:
		s.is = "sendParent"
		s.to = &expression{at: a.At, constant: value.OfText(parentAddress)}
	case syntax.ActForwardTo:
		s.is = "forwardTo"
	}
	if s.to == nil {
		s.to = c.field(a, s.is, "to", a.To, sees)
	}
	s.machine = c.field(a, s.is, "machine", a.Machine, sees)
	s.event = c.field(a, s.is, "event", a.Event, sees)
	s.delay = c.actionDelay(a.Delay, c.place(a, s.is, "delay"))
	s.id = c.field(a, s.is, "id", a.ID, sees)
	return s
}

func (c *compiler) choose(a *syntax.Action, sees expr.Names) action {
	out := make(chooseAction, len(a.Choose))
	for i, b := range a.Choose {
		out[i] = branch{guard: c.guard(b.Guard, sees), actions: c.actionList(b.Actions, sees)}
	}
	return out
}

// namedAction looks an action up.
func (c *compiler) namedAction(a *syntax.Action, sees expr.Names) action {
	params := c.template(a.Params, child(a.At, "params"), sees)
	body, stage := c.actionBody(a.Name)
	switch {
	case stage == underWay:
		c.fault(a.At, CodeEndless, "the action %q leads back to itself", a.Name)
	case stage == untouched && c.doc.Options.TraceUnknown:
		return &tracedAction{is: a.Name, params: params}
	case stage == untouched:
		known := c.doc.Setup.Actions
		c.unknown(a.At, CodeUnknownAction, "setup.actions has no", a.Name, len(known), func(i int) string { return known[i].Key })
	}
	return &namedAction{is: a.Name, params: params, body: body}
}

// actionBody compiles what a name of setup.actions stands for, once. About the stage see guardBody.
func (c *compiler) actionBody(name string) (*actionBody, stage) {
	if s := c.stages[name]; s != untouched {
		return c.actions[name], s
	}
	for _, x := range c.doc.Setup.Actions {
		if x.Key != name {
			continue
		}
		body := &actionBody{}
		c.actions[name], c.stages[name] = body, underWay
		body.actions = c.actionList(x.Actions, inSetup)
		c.stages[name] = finished
		return body, finished
	}
	return &actionBody{}, untouched
}
