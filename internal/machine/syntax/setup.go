package syntax

import (
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// Setup is what the names of the machine mean, each list in the document's order.
type Setup struct {
	Guards  []NamedGuard
	Actions []NamedActions
	Delays  []NamedDelay
	Actors  []NamedActor
	Context []Assignment // expressions see input, and machine.context as context
	Events  []NamedSchema
	// ClosedEvents: "*": false in events.
	ClosedEvents bool
}

// NamedGuard is one entry of setup.guards.
type NamedGuard struct {
	Key   string
	Guard *Guard
}

// NamedActions is one entry of setup.actions: the actions that a name stands for, in their order.
type NamedActions struct {
	At      string
	Key     string
	Actions []*Action
}

// NamedDelay is one entry of setup.delays.
type NamedDelay struct {
	Key   string
	Delay Delay
}

// DelayKind tells the forms of a delay apart.
type DelayKind uint8

// The forms of a delay, with the fields that each uses.
const (
	DelayMillis   DelayKind = iota // Micros
	DelayDuration                  // Micros
	DelayExpr                      // Expr gives milliseconds
	DelayAt                        // Expr gives an instant
	DelayCron                      // Cron, Zone
)

// Delay says when a timer is due.
type Delay struct {
	At     string
	Kind   DelayKind
	Micros int64
	Expr   string
	Cron   string
	Zone   string // "UTC" when not given
	Skip   bool   // catchUp: skip
}

// NamedSchema is one entry of setup.events: the JSON Schema of an event type.
type NamedSchema struct {
	At     string
	Type   string
	Schema value.Value
}

var setupWords = &vocabulary{
	of:     "setup",
	known:  []string{"guards", "actions", "delays", "actors", "context", "events"},
	schema: true,
	v4:     map[string]string{"services": `write "actors"`, "activities": `write "actors"`},
}

// setup reads what the names of the machine mean.
func (d *decoder) setup(v value.Value, at string) Setup {
	var s Setup
	d.members(v, at, setupWords, func(key string, v value.Value, at string) bool {
		switch key {
		case "guards":
			d.names(v, at, "guards", func(key string, v value.Value, at string) {
				s.Guards = append(s.Guards, NamedGuard{key, d.namedGuard(v, at)})
			})
		case "actions":
			d.names(v, at, "actions", func(key string, v value.Value, at string) {
				s.Actions = append(s.Actions, NamedActions{at, key, d.actions(v, at)})
			})
		case "delays":
			d.names(v, at, "delays", func(key string, v value.Value, at string) {
				s.Delays = append(s.Delays, NamedDelay{key, d.namedDelay(v, at)})
			})
		case "actors":
			d.names(v, at, "actors", func(key string, v value.Value, at string) {
				s.Actors = append(s.Actors, d.actor(key, v, at))
			})
		case "context":
			s.Context = d.assignments(v, at, "the keys of context")
		case "events":
			d.names(v, at, "events", func(key string, v value.Value, at string) { d.schema(&s, key, v, at) })
		default:
			return false
		}
		return true
	})
	return s
}

// schema reads the schema of one event type, or what "*" says of all others.
func (d *decoder) schema(s *Setup, key string, v value.Value, at string) {
	switch {
	case key == "*":
		s.ClosedEvents = !d.boolean(v, at, `"*"`)
	case strings.HasSuffix(key, ".*"):
		d.fault(at, CodeBadValue, "a schema is for one event type, and %q is a wildcard", clip(key))
	case strings.HasPrefix(key, xstatePrefix):
		d.fault(at, CodeBadValue, "event types that begin with %q are the engine's own: nobody may post %q", xstatePrefix, clip(key))
	case v.Kind() != value.Object && v.Kind() != value.Bool:
		d.wrongType(v, at, "a JSON Schema is an object, true or false")
	default:
		s.Events = append(s.Events, NamedSchema{at, key, v})
	}
}

var delayWords = &vocabulary{
	of:    "a delay",
	known: []string{"duration", "at", "cron"},
	refused: map[string]string{
		"expr": "write the expression alone, as a text",
	},
}

// namedDelay reads a value of setup.delays.
func (d *decoder) namedDelay(v value.Value, at string) Delay {
	out := Delay{At: at}
	switch v.Kind() {
	case value.Int:
		out.Micros = d.millis(v, at, "a delay")
	case value.Text:
		out.Kind, out.Expr = DelayExpr, d.code(v, at, "the expression of a delay")
	case value.Object:
		d.delayObject(&out, v)
	default:
		d.wrongType(v, at, "a delay is an integer of milliseconds, an expression, or an object")
	}
	return out
}

func (d *decoder) delayObject(out *Delay, v value.Value) {
	form, _ := d.form(v, out.At, delayWords, "timezone", "catchUp")
	x, at := v.Get(form), child(out.At, form)
	switch form {
	case "duration":
		out.Kind, out.Micros = DelayDuration, d.duration(x, at, "duration")
	case "at":
		out.Kind, out.Expr = DelayAt, d.instant(x, at)
	case "cron":
		out.Kind, out.Cron, out.Zone = DelayCron, d.name(x, at, "cron"), "UTC"
	}
	if v.Has("timezone") {
		at := child(out.At, "timezone")
		if out.Zone = d.name(v.Get("timezone"), at, "timezone"); form != "cron" {
			d.fault(at, CodeMisplaced, `"timezone" goes with "cron"`)
		}
	}
	if v.Has("catchUp") {
		out.Skip = d.oneOf(v.Get("catchUp"), child(out.At, "catchUp"), "catchUp", "all", "skip") == "skip"
	}
}

// instant reads an expression that gives an instant: code, or epoch milliseconds as a literal.
func (d *decoder) instant(v value.Value, at string) string {
	if v.Kind() == value.Int {
		return v.String()
	}
	return d.code(v, at, "the expression of at")
}
