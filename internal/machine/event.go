package machine

import "github.com/detent-run/detent/internal/machine/value"

// Origin tells where an event came from: it decides what a failure does.
type Origin uint8

const (
	External Origin = iota // posted from outside
	FromTimer
	FromResult  // a task's, a call's or a child's answer
	FromMessage // another machine's
	FromStart
)

// Event is what a macrostep handles.
type Event struct {
	Type   string
	Data   value.Value // the whole object, type included
	Origin Origin
	Timer  int64 // Timer.No of the pending timer that fired, 0 otherwise: Step takes it off the list
}

// NewEvent returns the external event of an object with a "type".
func NewEvent(data value.Value) Event { return Event{Type: data.Get("type").Text(), Data: data} }
