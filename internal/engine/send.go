package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	} else if err := checkKey(eventID); err != nil {
		return Accepted{}, err
	}
	data, err := readExternalEvent(event)
	if err != nil {
		return Accepted{}, err
	}
	if err := e.holdToSchema(ctx, id, data); err != nil {
		return Accepted{}, err
	}
	ref := store.EventRef{Key: key(id), EventID: callerPrefix + eventID}
	got, err := e.door.deliver(ctx, store.Incoming{EventRef: ref, Event: data.AppendJSON(nil)})
	if err != nil {
		return Accepted{}, outside(fmt.Errorf("accept event: %w", err))
	}
	switch got.Outcome {
	case store.NoMachine:
		return Accepted{}, unknownMachine(id)
	case store.Conflict:
		return Accepted{}, &Error{Code: CodeIdempotencyConflict, Message: fmt.Sprintf("event %s of machine %s was sent before with another content", quoted(eventID), quoted(id))}
	}
	e.hint(ref.Key)
	return Accepted{EventID: ref.EventID, AcceptedAt: got.AcceptedAt}, nil
}

// readExternalEvent reads an event that someone outside sends.
func readExternalEvent(body []byte) (value.Value, error) {
	data, err := readObject(body)
	if err != nil {
		return data, err
	}
	t := data.Get("type")
	switch {
	case t.Kind() != value.Text || t.Len() == 0:
		return data, &Error{Code: CodeInvalidEvent, Pointer: "/type", Message: "type: an event needs a type, a text that is not empty"}
	case t.Len() > maxEventType:
		return data, &Error{Code: CodeInvalidEvent, Pointer: "/type", Message: fmt.Sprintf("type: %d bytes, at most %d", t.Len(), maxEventType)}
	case strings.HasPrefix(t.Text(), "xstate."):
		return data, &Error{Code: CodeReservedEvent, Pointer: "/type", Message: `type: events that begin with "xstate." are the engine's own`}
	case t.Text() == "*":
		return data, &Error{Code: CodeReservedEvent, Pointer: "/type", Message: `type: "*" is a descriptor, not an event`}
	}
	return data, nil
}

// holdToSchema holds an event to the definition's setup.events, where it has any.
func (e *Engine) holdToSchema(ctx context.Context, id string, event value.Value) error {
	def, err := e.definitionOf(ctx, id)
	if err != nil {
		return err
	}
	err = def.CheckEvent(event)
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
