package machine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// The codes of faults of an event.
const (
	CodeNoEvent       = "no_event"       // not an object with a type
	CodeUnlistedEvent = "unlisted_event" // a type that setup.events does not list, where "*" is false
	CodeInvalidEvent  = "invalid_event"  // against the schema of its type
)

// schemaBase is the address that schemas are filed under; it is never loaded from.
const schemaBase = "detent:///setup/events/"

// noLoader refuses to load schemas from anywhere: a definition stands alone.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema stands alone, nothing is loaded from elsewhere")
}

// compileSchemas compiles the schemas of events.
func (c *compiler) compileSchemas() {
	setup := &c.doc.Setup
	c.d.closed = setup.ClosedEvents
	c.d.schemas = make(map[string]*jsonschema.Schema, len(setup.Events))
	for i, x := range setup.Events {
		compiler := jsonschema.NewCompiler()
		compiler.DefaultDraft(jsonschema.Draft2020)
		compiler.UseLoader(noLoader{})
		address := fmt.Sprintf("%s%d", schemaBase, i)
		err := compiler.AddResource(address, plain(x.Schema))
		if err == nil {
			c.d.schemas[x.Type], err = compiler.Compile(address)
		}
		if err != nil {
			c.schemaFaults(x.At, address, err)
		}
	}
}

// schemaFaults reports what is wrong with a schema, at the places in it.
func (c *compiler) schemaFaults(at, address string, err error) {
	var invalid *jsonschema.ValidationError
	if s := (*jsonschema.SchemaValidationError)(nil); errors.As(err, &s) && errors.As(s.Err, &invalid) {
		for _, f := range leafFaults(invalid, CodeBadSchema) {
			c.fault(at+f.Pointer, f.Code, "%s", f.Message)
		}
		return
	}
	c.fault(at, CodeBadSchema, "%s", strings.ReplaceAll(err.Error(), address, ""))
}

// CheckEvent holds an event from outside to setup.events. The error is syntax.Faults, whose pointers
// are into the event.
func (d *Definition) CheckEvent(event value.Value) error {
	if !isEvent(event) {
		return syntax.Faults{{Code: CodeNoEvent, Message: errNoEvent.Error()}}
	}
	name := event.Get("type").Text()
	schema, listed := d.schemas[name]
	switch {
	case !listed && d.closed:
		message := fmt.Sprintf("setup.events does not list %q", name)
		return syntax.Faults{{Pointer: "/type", Code: CodeUnlistedEvent, Message: message}}
	case !listed:
		return nil
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(plain(event)); errors.As(err, &invalid) {
		return leafFaults(invalid, CodeInvalidEvent)
	}
	return nil
}

// leafFaults returns the faults that have no others as their causes, in the order of their places: the
// validator goes through objects in no order.
func leafFaults(e *jsonschema.ValidationError, code string) syntax.Faults {
	var out syntax.Faults
	var collect func(*jsonschema.ValidationError)
	collect = func(e *jsonschema.ValidationError) {
		if extra, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
			slices.Sort(extra.Properties)
		}
		for _, cause := range e.Causes {
			collect(cause)
		}
		if unit := e.BasicOutput(); len(e.Causes) == 0 && unit.Error != nil {
			out = append(out, syntax.Fault{Pointer: unit.InstanceLocation, Code: code, Message: unit.Error.String()})
		}
	}
	collect(e)
	slices.SortFunc(out, func(a, b syntax.Fault) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
}

// plain returns a value as the validator reads it: numbers as their text, so that integers stay exact.
func plain(v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		return v.Bool()
	case value.Int, value.Float:
		return json.Number(v.String())
	case value.Text:
		return v.Text()
	case value.Array:
		out := make([]any, v.Len())
		for i, e := range v.Elems() {
			out[i] = plain(e)
		}
		return out
	case value.Object:
		out := make(map[string]any, v.Len())
		for i := range v.Len() {
			key, x := v.Member(i)
			out[key] = plain(x)
		}
		return out
	default:
		return nil
	}
}
