package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
	"github.com/detent-run/detent/internal/store"
)

// Limits of labels.
const (
	maxLabels    = 64
	maxLabelKey  = 100
	maxLabelText = 500
)

// newMachine is a create request as read.
type newMachine struct {
	id, definition string
	version        int
	input          value.Value
	labels         value.Value
}

// Create stores a machine together with its first event; a lane starts it. The same id and body
// again changes nothing: created is false.
func (e *Engine) Create(ctx context.Context, r CreateRequest) (id string, created bool, err error) {
	m, err := readCreate(r)
	if err != nil {
		return "", false, err
	}
	fingerprint := m.fingerprint()
	def, err := e.definitionRow(ctx, m.definition, m.version, "/definition", "/version")
	if err != nil {
		return "", false, err
	}
	start := value.OfObject(value.Member{Key: "type", Value: value.OfText("xstate.init")}, value.Member{Key: "input", Value: m.input})
	if m.input.IsAbsent() {
		start = value.OfObject(value.Member{Key: "type", Value: value.OfText("xstate.init")})
	}
	created, err = e.db.CreateMachine(ctx, store.NewMachine{
		Key:         key(m.id),
		Definition:  def.Name,
		Version:     def.Version,
		Labels:      m.labels.AppendJSON(nil),
		Fingerprint: fingerprint,
		EventID:     startEventID,
		Event:       start.AppendJSON(nil),
		CreatedBy:   r.By,
	})
	if errors.Is(err, store.ErrConflict) {
		return "", false, &Error{Code: CodeMachineConflict, Pointer: "/id", Message: fmt.Sprintf("machine %s exists and was created with another body", quoted(m.id))}
	}
	if err != nil {
		return "", false, outside(fmt.Errorf("create machine: %w", err))
	}
	if created {
		e.bound.note(m.id, definitionKey{store.Namespace, def.Name, def.Version})
	}
	e.hint(key(m.id))
	return m.id, created, nil
}

func readCreate(r CreateRequest) (newMachine, error) {
	body, err := readObject(r.Body)
	if err != nil {
		return newMachine{}, err
	}
	m := newMachine{labels: value.OfObject()}
	for i := range body.Len() {
		k, v := body.Member(i)
		if err := m.set(k, v); err != nil {
			return newMachine{}, err
		}
	}
	if m.definition == "" {
		return newMachine{}, &Error{Code: CodeInvalidBody, Pointer: "/definition", Message: "definition: missing; give the name of a definition"}
	}
	return m, m.name(r.IdempotencyKey)
}

// name gives the machine an id when the caller gave none.
func (m *newMachine) name(idempotencyKey string) error {
	if idempotencyKey != "" {
		if err := checkKey(idempotencyKey, ""); err != nil {
			return err
		}
	}
	switch {
	case m.id != "":
	case idempotencyKey != "":
		m.id = derivedID(idempotencyKey)
	default:
		m.id = newID()
	}
	return nil
}

func (m *newMachine) set(key string, v value.Value) error {
	pointer := "/" + key
	switch key {
	case "id":
		if v.Kind() != value.Text {
			return wrongType(pointer, v, "text")
		}
		m.id = v.Text()
		return checkMachineID(m.id, pointer)
	case "definition":
		if v.Kind() != value.Text {
			return wrongType(pointer, v, "text")
		}
		m.definition = v.Text()
		return checkName(m.definition, pointer)
	case "version":
		const most = 1 << 30
		if v.Kind() != value.Int || v.Int() < 1 || v.Int() > most {
			return wrongType(pointer, v, "a version: an integer from 1")
		}
		m.version = int(v.Int())
	case "input":
		m.input = v
	case "labels":
		m.labels = v
		return checkLabels(v)
	default:
		return unknownKey(pointer, key, []string{"id", "definition", "version", "input", "labels"})
	}
	return nil
}

func checkLabels(v value.Value) error {
	if v.Kind() != value.Object {
		return wrongType("/labels", v, "an object of texts")
	}
	if v.Len() > maxLabels {
		return &Error{Code: CodeTooLarge, Pointer: "/labels", Message: fmt.Sprintf("labels: %d of them, at most %d", v.Len(), maxLabels)}
	}
	for i := range v.Len() {
		k, x := v.Member(i)
		pointer := "/labels/" + escapePointer(k)
		switch {
		case x.Kind() != value.Text:
			return wrongType(pointer, x, "text")
		case len(k) == 0 || len(k) > maxLabelKey:
			return &Error{Code: CodeTooLarge, Pointer: pointer, Message: fmt.Sprintf("labels: a key is 1 to %d bytes", maxLabelKey)}
		case x.Len() > maxLabelText:
			return &Error{Code: CodeTooLarge, Pointer: pointer, Message: fmt.Sprintf("labels: a text is at most %d bytes", maxLabelText)}
		}
	}
	return nil
}

// fingerprint is the same for requests that ask for the same: the version only when it was given.
func (m *newMachine) fingerprint() []byte {
	asked := value.OfObject(
		value.Member{Key: "definition", Value: value.OfText(m.definition)},
		value.Member{Key: "version", Value: value.OfInt(int64(m.version))},
		value.Member{Key: "input", Value: m.input},
		value.Member{Key: "labels", Value: m.labels},
	)
	sum := sha256.Sum256(value.Sorted(asked).AppendJSON(nil))
	return sum[:]
}

// readObject reads a body that must be one strict JSON object.
func readObject(body []byte) (value.Value, error) {
	v, err := parseBody(body)
	if err == nil && v.Kind() != value.Object {
		err = wrongType("", v, "an object")
	}
	return v, err
}

// parseBody reads strict JSON.
func parseBody(body []byte) (value.Value, error) {
	v, err := value.Parse(body)
	var bad *value.SyntaxError
	switch {
	case errors.As(err, &bad):
		return v, &Error{Code: CodeInvalidBody, Pointer: bad.Pointer, Message: "body: " + bad.Message, Faults: []Fault{{Pointer: bad.Pointer, Code: bad.Code, Message: bad.Message}}}
	case err != nil:
		return v, &Error{Code: CodeInvalidBody, Message: "body: " + err.Error()}
	}
	return v, nil
}

func wrongType(pointer string, v value.Value, want string) error {
	where := pointer
	if where == "" {
		where = "body"
	}
	return &Error{Code: CodeInvalidBody, Pointer: pointer, Message: fmt.Sprintf("%s: %s, expected %s", where, v.Kind(), want)}
}

func unknownKey(pointer, key string, known []string) error {
	message := fmt.Sprintf("%s is not known here", quoted(key))
	if near := syntax.Nearest(key, known); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return &Error{Code: CodeInvalidBody, Pointer: "/" + escapePointer(key), Message: message}
}
