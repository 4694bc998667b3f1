package syntax

import (
	"math"

	"github.com/detent-run/detent/internal/machine/value"
)

// Invoke is one invoked actor of a state.
type Invoke struct {
	At      string
	ID      string // as given, "" when not
	Src     string
	Input   value.Value
	OnDone  []*Transition // nil when not given
	OnError []*Transition // nil when not given
}

// NamedActor is one entry of setup.actors: a child machine, a task or an HTTP call.
type NamedActor struct {
	At      string
	Key     string
	Machine string // a child machine's definition; "" for the others
	Version int    // of Machine; 0 is the latest
	Task    *Task
	HTTP    *Call
}

// Task is work for an outside worker.
type Task struct {
	At                        string
	Queue                     string
	Fields                    value.Value // the whole object as written: data positions in it
	Timeout, HeartbeatTimeout int64       // microseconds, 0 when not given
	Retry                     *Retry
}

// Call is an HTTP call that the service makes.
type Call struct {
	At      string
	Fields  value.Value // the whole object as written: data positions in it
	Timeout int64       // microseconds, 0 when not given
	Retry   *Retry
}

// Retry is a retry policy; zero fields were not given. Intervals are microseconds.
type Retry struct {
	MaxAttempts                  int
	InitialInterval, MaxInterval int64
	Backoff                      float64
	NonRetryable                 []string
}

var invokeWords = &vocabulary{
	of:    "invoke",
	known: []string{"src", "id", "input", "onDone", "onError"},
	v4: map[string]string{
		"data":        `write "input"`,
		"autoForward": `write {"forwardTo": ...} as an action`,
		"forward":     `write {"forwardTo": ...} as an action`,
	},
	refused: map[string]string{
		"onSnapshot":   "let the child send events to its parent",
		"systemId":     "machines are found by their ids",
		"syncSnapshot": "a parent does not watch its children's snapshots",
	},
}

func (d *decoder) invoke(v value.Value, at string) *Invoke {
	in := &Invoke{At: at}
	ok := d.members(v, at, invokeWords, func(key string, v value.Value, at string) bool {
		switch key {
		case "src":
			in.Src = d.name(v, at, "src")
		case "id":
			in.ID = d.name(v, at, "id")
		case "input":
			in.Input = v
		case "onDone":
			in.OnDone = d.transitions(v, at, false)
		case "onError":
			in.OnError = d.transitions(v, at, false)
		default:
			return false
		}
		return true
	})
	if ok {
		d.require(v, at, "invoke", "src")
	}
	return in
}

var actorWords = &vocabulary{of: "an actor", known: []string{"machine", "task", "http"}}

// actor reads a value of setup.actors.
func (d *decoder) actor(key string, v value.Value, at string) NamedActor {
	out := NamedActor{At: at, Key: key}
	form, _ := d.form(v, at, actorWords, "version")
	x, where := v.Get(form), child(at, form)
	switch form {
	case "machine":
		out.Machine = d.name(x, where, "machine")
	case "task":
		out.Task = d.task(x, where, false)
	case "http":
		out.HTTP = d.call(x, where)
	}
	if v.Has("version") {
		at := child(at, "version")
		out.Version = int(d.integer(v.Get("version"), at, "version", 1, math.MaxInt32))
		if form != "machine" {
			d.fault(at, CodeMisplaced, `"version" goes with "machine"`)
		}
	}
	return out
}

// task reads work for an outside worker. What an invoked task is given is the input of its invoke;
// one that is an action has nobody else to give it any.
func (d *decoder) task(v value.Value, at string, isAction bool) *Task {
	t := &Task{At: at, Fields: v}
	words := &vocabulary{of: "task", known: []string{"queue", "timeout", "heartbeatTimeout", "retry"}}
	if isAction {
		words.known = append(words.known, "input")
	} else {
		words.refused = map[string]string{"input": `write "input" in invoke or spawnChild`}
	}
	ok := d.members(v, at, words, func(key string, v value.Value, at string) bool {
		switch key {
		case "queue":
			t.Queue = d.name(v, at, "queue")
		case "timeout":
			t.Timeout = d.interval(v, at, "timeout")
		case "heartbeatTimeout":
			t.HeartbeatTimeout = d.interval(v, at, "heartbeatTimeout")
		case "retry":
			t.Retry = d.retry(v, at)
		case "input":
			return isAction
		default:
			return false
		}
		return true
	})
	if ok {
		d.require(v, at, "task", "queue")
	}
	return t
}

// call reads an HTTP call. Only what is no template can be checked here.
func (d *decoder) call(v value.Value, at string) *Call {
	c := &Call{At: at, Fields: v}
	words := &vocabulary{of: "http", known: []string{"method", "url", "headers", "body", "timeout", "retry"}}
	ok := d.members(v, at, words, func(key string, v value.Value, at string) bool {
		switch key {
		case "method", "url":
			d.name(v, at, key)
		case "headers":
			d.names(v, at, "headers", func(key string, v value.Value, at string) { d.text(v, at, "a header") })
		case "body":
		case "timeout":
			c.Timeout = d.interval(v, at, "timeout")
		case "retry":
			c.Retry = d.retry(v, at)
		default:
			return false
		}
		return true
	})
	if ok {
		d.require(v, at, "http", "url")
	}
	return c
}

var retryWords = &vocabulary{of: "retry", known: []string{"maxAttempts", "initialInterval", "backoff", "maxInterval", "nonRetryable"}}

func (d *decoder) retry(v value.Value, at string) *Retry {
	r := &Retry{}
	d.members(v, at, retryWords, func(key string, v value.Value, at string) bool {
		switch key {
		case "maxAttempts":
			r.MaxAttempts = int(d.integer(v, at, key, 1, math.MaxInt32))
		case "initialInterval":
			r.InitialInterval = d.interval(v, at, key)
		case "backoff":
			r.Backoff = d.backoff(v, at)
		case "maxInterval":
			r.MaxInterval = d.interval(v, at, key)
		case "nonRetryable":
			r.NonRetryable = d.texts(v, at, "a code in nonRetryable")
		default:
			return false
		}
		return true
	})
	if r.MaxInterval != 0 && r.MaxInterval < r.InitialInterval {
		d.fault(child(at, "maxInterval"), CodeBadValue, "maxInterval is shorter than initialInterval")
	}
	return r
}

// backoff reads the factor from one interval to the next.
func (d *decoder) backoff(v value.Value, at string) float64 {
	f, ok := v.Number()
	switch {
	case !ok:
		d.wrongType(v, at, "backoff is a number")
	case f < 1:
		d.fault(at, CodeBadValue, "backoff is 1 or more, not %s", v)
	}
	return f
}
