package machine

import "github.com/detent-run/detent/internal/machine/value"

// Effect is something that Step asks to be made durable, or to be told.
type Effect interface{ effect() }

// The effects, in the words of the actions that ask for them.
type (
	// RunAction: an action that setup.actions lacks ran ("unknownActions": "trace").
	RunAction struct {
		Type   string
		Params value.Value
	}
	// Log writes a message into history.
	Log struct{ Message value.Value }
	// Emit tells listeners of the machine's stream.
	Emit struct{ Event value.Value }
	// StartTimer arms a timer; the snapshot's list has it already.
	StartTimer struct{ Timer Timer }
	// CancelTimer takes a timer away; the snapshot's list lacks it already.
	CancelTimer struct{ Timer Timer }
	// Send delivers a message.
	Send struct {
		To    Address
		Event value.Value
	}
	// StartTask asks for work outside. ID is the child's id, "" for a fire-and-forget task.
	StartTask struct {
		ID    string
		No    int64
		Src   string
		Input value.Value
		Task  value.Value // the filled-in fields of the task or HTTP call
	}
	// CancelTask ends the wait for such work.
	CancelTask struct {
		ID string
		No int64
	}
	// StartChild creates a child machine.
	StartChild struct {
		ID    string
		No    int64
		Src   string
		Input value.Value
	}
	// StopChild stops a child machine.
	StopChild struct {
		ID string
		No int64
	}
)

func (RunAction) effect()   {}
func (Log) effect()         {}
func (Emit) effect()        {}
func (StartTimer) effect()  {}
func (CancelTimer) effect() {}
func (Send) effect()        {}
func (StartTask) effect()   {}
func (CancelTask) effect()  {}
func (StartChild) effect()  {}
func (StopChild) effect()   {}
