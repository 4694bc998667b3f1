package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/detent-run/detent/internal/machine/value"
	"github.com/detent-run/detent/internal/store"
)

// maxBatch is how many events a batch may hold.
const maxBatch = 1000

// BatchResult is what became of one event of a batch: it is accepted, or Err says why not.
type BatchResult struct {
	Accepted
	Err *Error // nil when it is accepted; its pointer leads into the item
}

// batchItem is one event of a batch on its way to the door.
type batchItem struct {
	machine, eventID string
	event            value.Value
	err              error
}

// SendBatch sends many events at once, to one machine or to many. The body is a JSON array of
// {machine, id?, event}, or one such object on each line. Results are in the order of the items. What
// is wrong with one item concerns that item alone; a body that cannot be read at all is refused as a
// whole, and so is everything when the database does not answer.
//
// The good ones are accepted in one transaction, in their order: two events for one machine are applied
// as they stand in the body.
func (e *Engine) SendBatch(ctx context.Context, body []byte, lines bool) ([]BatchResult, error) {
	values, err := readBatch(body, lines)
	if err != nil {
		return nil, err
	}
	items := make([]batchItem, len(values))
	for i, v := range values {
		items[i] = readBatchItem(v)
	}
	if err := e.holdBatchToSchemas(ctx, items); err != nil {
		return nil, err
	}
	return e.deliverBatch(ctx, items)
}

// readBatch cuts the body into its items.
func readBatch(body []byte, lines bool) ([]value.Value, error) {
	if lines {
		return readLines(body)
	}
	v, err := parseBody(body)
	switch {
	case err != nil:
		return nil, err
	case v.Kind() != value.Array:
		return nil, wrongType("", v, "an array of events")
	case v.Len() > maxBatch:
		return nil, tooMany(v.Len())
	}
	return v.Elems(), nil
}

// readLines reads one item from each line; the last one may end with a line break or without.
func readLines(body []byte) ([]value.Value, error) {
	body = bytes.TrimSuffix(body, []byte("\n"))
	if n := bytes.Count(body, []byte("\n")) + 1; n > maxBatch {
		return nil, tooMany(n)
	}
	var values []value.Value
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		v, err := parseBody(line)
		var told *Error
		if errors.As(err, &told) {
			told.Message = fmt.Sprintf("line %d: %s", len(values)+1, told.Message)
		}
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func tooMany(n int) error {
	return &Error{Code: CodeTooLarge, Message: fmt.Sprintf("%d events, at most %d at once", n, maxBatch)}
}

// readBatchItem reads {machine, id?, event}. It notes the first thing that is wrong.
func readBatchItem(v value.Value) batchItem {
	var it batchItem
	if v.Kind() != value.Object {
		it.err = &Error{Code: CodeInvalidBody, Message: fmt.Sprintf("item: %s, expected an object", v.Kind())}
		return it
	}
	for i := range v.Len() {
		k, x := v.Member(i)
		if it.err = it.set(k, x); it.err != nil {
			return it
		}
	}
	switch {
	case it.machine == "":
		it.err = &Error{Code: CodeInvalidBody, Pointer: "/machine", Message: "machine: missing; give the id of a machine"}
	case it.event.IsAbsent():
		it.err = &Error{Code: CodeInvalidBody, Pointer: "/event", Message: "event: missing; give an object with a type"}
	case it.eventID == "":
		it.eventID = newID()
	}
	return it
}

func (it *batchItem) set(key string, v value.Value) error {
	pointer := "/" + key
	switch key {
	case "machine":
		if v.Kind() != value.Text {
			return wrongType(pointer, v, "text")
		}
		it.machine = v.Text()
		return checkMachineID(it.machine, pointer)
	case "id":
		if v.Kind() != value.Text {
			return wrongType(pointer, v, "text")
		}
		it.eventID = v.Text()
		return checkKey(it.eventID, pointer)
	case "event":
		if v.Kind() != value.Object {
			return wrongType(pointer, v, "an object")
		}
		it.event = v
		return below(pointer, checkExternalEvent(v))
	default:
		return unknownKey(pointer, key, []string{"machine", "id", "event"})
	}
}

// holdBatchToSchemas holds the events to what their machines' definitions say, and notes machines that
// do not exist.
func (e *Engine) holdBatchToSchemas(ctx context.Context, items []batchItem) error {
	var ids []string
	for i := range items {
		if items[i].err == nil {
			ids = append(ids, items[i].machine)
		}
	}
	names, err := e.definitionNames(ctx, ids)
	if err != nil {
		return err
	}
	for i := range items {
		it := &items[i]
		if it.err != nil {
			continue
		}
		name, ok := names[it.machine]
		if !ok {
			it.err = below("/machine", unknownMachine(it.machine))
			continue
		}
		def, err := e.defs.find(ctx, name.namespace, name.name, name.version)
		if err != nil {
			return outside(err)
		}
		it.err = below("/event", checkAgainst(def, it.event))
	}
	return nil
}

// deliverBatch puts the good ones through the door and gathers the results.
func (e *Engine) deliverBatch(ctx context.Context, items []batchItem) ([]BatchResult, error) {
	var events []store.Incoming
	for i := range items {
		if it := &items[i]; it.err == nil {
			events = append(events, incoming(it.machine, it.eventID, it.event))
		}
	}
	var got []store.Acceptance
	if len(events) > 0 {
		var err error
		if got, err = e.door.deliver(ctx, events...); err != nil {
			return nil, outside(fmt.Errorf("accept events: %w", err))
		}
	}
	results := make([]BatchResult, len(items))
	next := 0
	for i := range items {
		err := items[i].err
		if err == nil {
			results[i].Accepted, err = e.accepted(events[next], got[next])
			next++
		}
		if err != nil && !errors.As(err, &results[i].Err) {
			return nil, err
		}
	}
	return results, nil
}

// below moves an error's places into the item's member that was looked at.
func below(pointer string, err error) error {
	var told *Error
	if !errors.As(err, &told) {
		return err
	}
	told.Pointer = pointer + told.Pointer
	for i := range told.Faults {
		told.Faults[i].Pointer = pointer + told.Faults[i].Pointer
	}
	return told
}
