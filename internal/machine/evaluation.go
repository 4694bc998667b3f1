package machine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/value"
)

// eval evaluates an expression in the scope as it stands. No expression gives no value.
func (m *macrostep) eval(x *expression) (value.Value, *Failure) {
	if x == nil {
		return value.Value{}, nil
	}
	var v value.Value
	var err error
	switch {
	case x.program != nil:
		v, err = x.program.Eval(&m.scope)
	case x.template != nil:
		v, err = x.template.Eval(&m.scope)
	default:
		return x.constant, nil
	}
	if err != nil {
		return value.Value{}, x.failure(err)
	}
	return v, nil
}

// failure names the place of what failed in an expression. Of a template that is a place in it, so that
// the message need not say it.
func (x *expression) failure(err error) *Failure {
	if e := (*expr.EvalError)(nil); errors.As(err, &e) && e.Pointer != "" {
		plain := *e
		plain.Pointer = ""
		return expressionFailure(x.at+e.Pointer, &plain)
	}
	return expressionFailure(x.at, err)
}

// evalText evaluates an expression that must give text: an id, or whom a message is for.
func (m *macrostep) evalText(x *expression) (string, *Failure) {
	v, f := m.eval(x)
	if f != nil || x == nil {
		return "", f
	}
	if v.Kind() != value.Text {
		return "", expressionFailure(x.at, fmt.Errorf("text is needed here, and this is %s", v.Kind()))
	}
	return v.Text(), nil
}

var errNoEvent = errors.New(`an event is an object with a "type" that is text`)

// evalEvent evaluates an expression that must give an event.
func (m *macrostep) evalEvent(x *expression) (value.Value, *Failure) {
	v, f := m.eval(x)
	if f == nil && !isEvent(v) {
		f = expressionFailure(x.at, errNoEvent)
	}
	return v, f
}

// isEvent reports whether a value has the form of an event.
func isEvent(v value.Value) bool { return v.Get("type").Text() != "" }

// inState answers inState("#id") in expressions, over the configuration from before the microstep.
func (m *macrostep) inState(id string) (bool, error) {
	if n, ok := m.d.named[id]; ok {
		return m.current.has(n), nil
	}
	n, err := m.d.stateByID(id)
	return err == nil && m.current.has(n), err
}

// hasTag answers hasTag("t") in expressions, over the same configuration.
func (m *macrostep) hasTag(tag string) bool {
	for _, n := range m.current.sorted {
		if slices.Contains(m.d.nodes[n].tags, tag) {
			return true
		}
	}
	return false
}
