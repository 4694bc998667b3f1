package syntax

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/value"
)

// Policy is what happens to a macrostep that fails, or to an event that nothing takes.
type Policy uint8

// The policies. The first three after the default are for macrosteps that fail, the others for events that nothing takes.
const (
	PolicyDefault Policy = iota
	Suspend
	Fail
	Rollback
	Ignore
	Defer
	DeadLetter
)

// Options is how the service runs the machine.
type Options struct {
	UnhandledEvents Policy // Ignore, Defer, DeadLetter; never PolicyDefault
	OnError         Policy // PolicyDefault: by origin
	MaxMicrosteps   int
	TraceUnknown    bool  // unknownActions: trace
	Retention       int64 // microseconds; 0 is for ever
}

// defaultMicrosteps is how many rounds a macrostep may take when the options do not say, and
// maxMicrosteps what they can say at most: a macrostep holds up its lane.
const (
	defaultMicrosteps = 1000
	maxMicrosteps     = 1_000_000
)

var defaultOptions = Options{UnhandledEvents: Ignore, MaxMicrosteps: defaultMicrosteps}

var optionWords = &vocabulary{
	of:      "options",
	known:   []string{"unhandledEvents", "onError", "maxMicrosteps", "unknownActions", "historyRetention"},
	refused: map[string]string{"maxIterations": `write "maxMicrosteps"`},
}

// options reads how the service runs the machine.
func (d *decoder) options(v value.Value, at string) Options {
	o := defaultOptions
	d.members(v, at, optionWords, func(key string, v value.Value, at string) bool {
		switch key {
		case "unhandledEvents":
			o.UnhandledEvents = d.policy(v, at, key, Ignore, Defer, DeadLetter)
		case "onError":
			o.OnError = d.policy(v, at, key, Suspend, Fail, Rollback)
		case "maxMicrosteps":
			o.MaxMicrosteps = int(d.integer(v, at, key, 1, maxMicrosteps))
		case "unknownActions":
			o.TraceUnknown = d.oneOf(v, at, key, "error", "trace") == "trace"
		case "historyRetention":
			o.Retention = d.retention(v, at)
		default:
			return false
		}
		return true
	})
	return o
}

var policyNames = [...]string{"", "suspend", "fail", "rollback", "ignore", "defer", "deadLetter"}

// String returns the policy's name in definitions, "" for the default.
func (p Policy) String() string { return policyNames[p] }

func (d *decoder) policy(v value.Value, at, of string, allowed ...Policy) Policy {
	names := make([]string, len(allowed))
	for i, p := range allowed {
		names[i] = p.String()
	}
	word := d.oneOf(v, at, of, names...)
	return Policy(max(0, slices.Index(policyNames[:], word)))
}

func (d *decoder) retention(v value.Value, at string) int64 {
	if v.Text() == "forever" {
		return 0
	}
	return d.interval(v, at, "historyRetention")
}
