package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
	"github.com/detent-run/detent/internal/store"
)

// maxEventType is the longest event type that is accepted from outside, in bytes.
const maxEventType = 200

// Send puts an event into a machine's inbox: when it returns, the event is durable and will be
// applied once. eventID names the event, so that sending it again changes nothing; "" makes a new id.
func (e *Engine) Send(ctx context.Context, id, eventID string, event []byte) (Accepted, error) {
	if err := checkMachineID(id, ""); err != nil {
		return Accepted{}, err
	}
	if eventID == "" {
		eventID = newID()
	} else if err := checkKey(eventID, ""); err != nil {
		return Accepted{}, err
	}
	data, err := readExternalEvent(event)
	if err != nil {
		return Accepted{}, err
	}
	if err := e.holdToSchema(ctx, id, data); err != nil {
		return Accepted{}, err
	}
	in := incoming(id, eventID, data)
	got, err := e.door.deliver(ctx, in)
	if err != nil {
		return Accepted{}, outside(fmt.Errorf("accept event: %w", err))
	}
	return e.accepted(in, got[0])
}

// incoming is an event from outside as the door takes it.
func incoming(id, eventID string, event value.Value) store.Incoming {
	return store.Incoming{EventRef: store.EventRef{Key: key(id), EventID: callerPrefix + eventID}, Event: event.AppendJSON(nil)}
}

// accepted tells the caller what became of an event at the door.
func (e *Engine) accepted(in store.Incoming, got store.Acceptance) (Accepted, error) {
	switch got.Outcome {
	case store.NoMachine:
		return Accepted{}, unknownMachine(in.Key.Machine)
	case store.Conflict:
		return Accepted{}, &Error{Code: CodeIdempotencyConflict, Message: fmt.Sprintf("event %s of machine %s was sent before with another content", quoted(strings.TrimPrefix(in.EventID, callerPrefix)), quoted(in.Key.Machine))}
	}
	e.hint(in.Key)
	return Accepted{EventID: in.EventID, AcceptedAt: got.AcceptedAt}, nil
}

// readExternalEvent reads an event that someone outside sends.
func readExternalEvent(body []byte) (value.Value, error) {
	data, err := readObject(body)
	if err != nil {
		return data, err
	}
	return data, checkExternalEvent(data)
}

// checkExternalEvent holds an event to what anybody may send to any machine.
func checkExternalEvent(event value.Value) error {
	t := event.Get("type")
	switch {
	case t.Kind() != value.Text || t.Len() == 0:
		return &Error{Code: CodeInvalidEvent, Pointer: "/type", Message: "type: an event needs a type, a text that is not empty"}
	case t.Len() > maxEventType:
		return &Error{Code: CodeInvalidEvent, Pointer: "/type", Message: fmt.Sprintf("type: %d bytes, at most %d", t.Len(), maxEventType)}
	case strings.HasPrefix(t.Text(), "xstate."):
		return &Error{Code: CodeReservedEvent, Pointer: "/type", Message: `type: events that begin with "xstate." are the engine's own`}
	case t.Text() == "*":
		return &Error{Code: CodeReservedEvent, Pointer: "/type", Message: `type: "*" is a descriptor, not an event`}
	}
	return nil
}

// holdToSchema holds an event to the definition's setup.events, where it has any.
func (e *Engine) holdToSchema(ctx context.Context, id string, event value.Value) error {
	def, err := e.definitionOf(ctx, id)
	if err != nil {
		return err
	}
	return checkAgainst(def, event)
}

// checkAgainst holds an event to one definition.
func checkAgainst(def *machine.Definition, event value.Value) error {
	err := def.CheckEvent(event)
	var faults syntax.Faults
	switch {
	case err == nil:
		return nil
	case errors.As(err, &faults) && len(faults) > 0:
		return &Error{Code: CodeInvalidEvent, Pointer: faults[0].Pointer, Message: fmt.Sprintf("event %s: %s", quoted(event.Get("type").Text()), faults[0].Message), Faults: faultsOf(faults)}
	default:
		return outside(err)
	}
}

func (e *Engine) machineRow(ctx context.Context, id string) (store.Machine, error) {
	row, err := e.db.FindMachine(ctx, key(id))
	if errors.Is(err, store.ErrNotFound) {
		return row, unknownMachine(id)
	}
	return row, outside(err)
}

func unknownMachine(id string) error {
	return &Error{Code: CodeUnknownMachine, Message: fmt.Sprintf("there is no machine %s", quoted(id))}
}

// escapePointer writes a key as a part of a JSON pointer.
func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
