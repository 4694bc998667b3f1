package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/store"
)

const counter = `{"machine": {"initial": "a", "context": {"log": ""}, "states": {"a": {"on": {
	"NOTE": {"actions": {"assign": {"log": "context.log + event.text"}}}}}}},
	"setup": {"events": {"*": false, "NOTE": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}}}}`

// told says what became of each item, in a line.
func told(results []BatchResult) string {
	var b strings.Builder
	for _, r := range results {
		if r.Err != nil {
			fmt.Fprintf(&b, "%s %s\n", r.Err.Code, r.Err.Pointer)
		} else {
			fmt.Fprintf(&b, "%s\n", r.EventID)
		}
	}
	return b.String()
}

// Whatever is wrong with an item concerns that item alone; the good ones are applied in their order.
func TestSendBatch(t *testing.T) {
	t.Parallel()
	items := []string{
		`{"machine":"a","id":"1","event":{"type":"NOTE","text":"x"}}`,
		`{"machine":"b","id":"1","event":{"type":"NOTE","text":"b"}}`,
		`{"machine":"a","id":"0","event":{"type":"NOTE","text":"y"}}`,
		`{"machine":"a","id":"1","event":{"type":"NOTE","text":"x"}}`, // the first again
		`{"machine":"a","id":"1","event":{"type":"NOTE","text":"z"}}`,
		`{"machine":"none","event":{"type":"NOTE","text":"x"}}`,
		`{"machine":"a","event":{"type":"NOTE"}}`,
		`{"machine":"a","event":{"type":"OTHER"}}`,
		`{"machine":"a","event":{"type":"xstate.init"}}`,
		`{"machine":"a","event":{"text":"x"}}`,
		`{"machine":"a","event":"NOTE"}`,
		`{"machine":"a"}`,
		`{"event":{"type":"NOTE","text":"x"}}`,
		`{"machine":"-","event":{"type":"NOTE","text":"x"}}`,
		`{"machine":7,"event":{"type":"NOTE","text":"x"}}`,
		`{"machine":"a","id":"","event":{"type":"NOTE","text":"x"}}`,
		`{"machine":"a","idd":"2","event":{"type":"NOTE","text":"x"}}`,
		`["a"]`,
		`{"machine":"a","id":"2","event":{"type":"NOTE","text":"w"}}`,
	}
	want := `c:1
c:1
c:0
c:1
idempotency_conflict 
unknown_machine /machine
invalid_event /event
invalid_event /event/type
reserved_event /event/type
invalid_event /event/type
invalid_body /event
invalid_body /event
invalid_body /machine
invalid_id /machine
invalid_body /machine
invalid_id /id
invalid_body /idd
invalid_body 
c:2
`
	for name, body := range map[string]string{
		"array": "[" + strings.Join(items, ",\n") + "]",
		"lines": strings.Join(items, "\r\n") + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.define("counter", counter)
			r.create("a", "counter")
			r.create("b", "counter")
			l, _ := r.lane(nil)
			for range 2 { // the second time changes nothing
				r.engine.bound = boundDefinitions{}
				got, err := r.engine.SendBatch(t.Context(), []byte(body), name == "lines")
				if err != nil || told(got) != want {
					t.Fatalf("%v, got\n%s", err, told(got))
				}
				r.drain(l)
			}
			if got := string(r.view("a").Context) + string(r.view("b").Context); got != `{"log":"xyw"}{"log":"b"}` {
				t.Error(got)
			}
			r.checkFold("a")
			r.checkFold("b")
		})
	}
}

// A body that cannot be read is refused as a whole, and accepts nothing.
func TestSendBatchRefusesTheWhole(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("counter", counter)
	r.create("a", "counter")
	const good = `{"machine":"a","event":{"type":"NOTE","text":"x"}}`
	tests := []struct {
		body    string
		lines   bool
		code    Code
		message string // is part of it
	}{
		{good, false, CodeInvalidBody, "expected an array"},
		{`[` + good + `,]`, false, CodeInvalidBody, "body: "},
		{`[` + good + `] ` + good, false, CodeInvalidBody, "body: "},
		{`[` + good + strings.Repeat(`,`+good, maxBatch) + `]`, false, CodeTooLarge, "1001 events, at most 1000"},
		{strings.Repeat(good+"\n", maxBatch+1), true, CodeTooLarge, "1001 events, at most 1000"},
		{good + "\n" + `{"machine":"a"`, true, CodeInvalidBody, "line 2: "},
		{good + "\n\n" + good, true, CodeInvalidBody, "line 2: "},
		{"\n", true, CodeInvalidBody, "line 1: "},
	}
	for _, tt := range tests {
		_, err := r.engine.SendBatch(t.Context(), []byte(tt.body), tt.lines)
		var told *Error
		if !errors.As(err, &told) || told.Code != tt.code || !strings.Contains(told.Message, tt.message) {
			t.Errorf("%.60s: %v", tt.body, err)
		}
	}
	if got, err := r.engine.SendBatch(t.Context(), []byte(`[]`), false); err != nil || len(got) != 0 {
		t.Errorf("nothing: %v %v", got, err)
	}
	l, _ := r.lane(nil)
	r.drain(l)
	if n := len(r.history("a")); n != 1 {
		t.Errorf("%d entries of history", n)
	}
}

// A batch is never torn: it is one transaction whoever else waits, larger than a group if need be, and
// nobody's answers are mixed up.
func TestDoorKeepsBatchesTogether(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	groups := make(chan []string, 100)
	d := &door{accept: func(_ context.Context, in []store.Incoming) ([]store.Acceptance, error) {
		entered <- struct{}{}
		<-release
		got := make([]store.Acceptance, len(in))
		var names []string
		for i, e := range in {
			names = append(names, e.EventID)
			if strings.HasSuffix(e.EventID, "/0") {
				got[i].Outcome = store.Duplicate
			}
		}
		groups <- slices.Compact(batchNames(names))
		return got, nil
	}}
	done := make(chan error, 6)
	bring := func(name string, n int) {
		events := make([]store.Incoming, n)
		for i := range events {
			events[i].EventID = fmt.Sprintf("%s/%d", name, i)
		}
		own := &delivery{events: events, done: make(chan struct{})}
		if err := d.join(own); err != nil {
			t.Error(err)
		}
		go func() {
			<-own.done
			if len(own.got) != n || own.got[0].Outcome != store.Duplicate || n > 1 && own.got[1].Outcome != store.Accepted {
				done <- fmt.Errorf("%s: %v", name, own.got)
				return
			}
			done <- own.err
		}()
	}
	bring("a", 1)
	<-entered
	bring("b", 1)
	<-entered // both leaders are busy: what comes now waits
	bring("c", 1000)
	bring("d", 500)
	bring("e", 12)
	bring("f", 1)
	go func() {
		for range entered { // let the rest through
		}
	}()
	close(release)
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var all []string
	for range 5 {
		all = append(all, strings.Join(<-groups, "+"))
	}
	slices.Sort(all)
	if got := strings.Join(all, " "); got != "a b c d+e f" {
		t.Errorf("groups %s", got)
	}
}

// batchNames cuts the numbers off.
func batchNames(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i], _, _ = strings.Cut(id, "/")
	}
	return names
}
