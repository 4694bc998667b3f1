package engine

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// reason is why an event was not applied, as history, dead letters and suspended machines keep it.
type reason struct {
	Code    string // data, expression, engine: the core's; the others are the shell's, below
	Message string
	Pointer string // into the definition, "" when it concerns no place in it
	EventID string // of the event that waits, "" when there is none
}

// The shell's own codes.
const (
	codeNotSupported = "not_supported" // the macrostep asks for what this runtime cannot do yet
	codePanic        = "panic"         // a fault in the engine itself
	codeSnapshot     = "snapshot"      // the snapshot or the definition cannot be read
	codeBatch        = "batch"         // the database refuses what was decided
	codeEvent        = "event"         // an event in the inbox cannot be read, or is not as the definition wants it
)

func (r reason) json() []byte {
	members := []value.Member{
		{Key: "code", Value: value.OfText(r.Code)},
		{Key: "message", Value: value.OfText(r.Message)},
	}
	if r.Pointer != "" {
		members = append(members, value.Member{Key: "pointer", Value: value.OfText(r.Pointer)})
	}
	if r.EventID != "" {
		members = append(members, value.Member{Key: "eventId", Value: value.OfText(r.EventID)})
	}
	return value.OfObject(members...).AppendJSON(nil)
}

func (r reason) Error() string { return r.Code + ": " + r.Message }

// ofDefinition reports whether the failure is the definition's own, for which it has a policy.
func (r reason) ofDefinition() bool {
	switch r.Code {
	case string(machine.DataFailure), string(machine.ExpressionFailure), string(machine.EngineFailure):
		return true
	default:
		return false
	}
}

// failureReason words an error of the core, or of the shell around it.
func failureReason(err error) reason {
	var why reason
	if errors.As(err, &why) {
		return why
	}
	var failure *machine.Failure
	if errors.As(err, &failure) {
		return reason{Code: string(failure.Kind), Message: failure.Message, Pointer: failure.Pointer}
	}
	return reason{Code: codeEvent, Message: err.Error()}
}

// guarded turns a panic of the core into an error: one machine's trouble must not stop the others.
func guarded(step func() (machine.Result, error)) (res machine.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = reason{Code: codePanic, Message: fmt.Sprintf("%v\n%s", p, debug.Stack())}
		}
	}()
	return step()
}

// unsupported refuses effects whose durable side this runtime does not have yet.
func unsupported(effects []machine.Effect) error {
	for _, e := range effects {
		switch e := e.(type) {
		case machine.Send:
			return notSupported("sending to another machine", e.To.ID)
		case machine.StartTask:
			return notSupported("tasks", e.Src)
		case machine.StartChild:
			return notSupported("child machines", e.Src)
		}
	}
	return nil
}

func notSupported(what, name string) error {
	return reason{Code: codeNotSupported, Message: fmt.Sprintf("%s (%q): not supported by this version of the runtime", what, name)}
}
