package conformance_test

import (
	"errors"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
)

// family is a machine with a child, which has a task, and a history that the snapshot must carry.
const family = `{
	"definition": {
		"machine": {"id": "m", "initial": "p", "context": {"got": 0}, "states": {
			"p": {"initial": "x", "invoke": {"src": "kid", "id": "kid", "onDone": {"target": "q", "actions": {"assign": {"got": "event.output"}}}},
				"states": {"x": {"on": {"N": "y"}}, "y": {}, "h": {"type": "history"}}, "on": {"OUT": "q"}},
			"q": {"on": {"BACK": "p.h"}, "after": {"10": "r"}},
			"r": {}}},
		"setup": {"actors": {"kid": {"machine": "kid"}}}},
	"actors": {"kid": {
		"machine": {"id": "kid", "initial": "w", "states": {"w": {"invoke": {"src": "job", "id": "job", "onDone": {"target": "f"}}}, "f": {"type": "final", "output": 7}}, "output": "{{ event.output }}"},
		"setup": {"actors": {"job": {"task": {"queue": "q"}}}}}},
	"steps": [{"event": {"type": "N"}}, {"event": {"type": "OUT"}}, {"event": {"type": "BACK"}}, {"complete": {"id": "job", "of": "kid"}}, {"advance": 10}]
}`

// TestResumeGoesOn cuts a case everywhere: what was persisted goes on as what never stopped, unless a timer
// that the import has started makes the difference.
func TestResumeGoesOn(t *testing.T) {
	t.Parallel()
	c := one(t, family)
	snapshots, err := conformance.Persist(c)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := conformance.Run(c, strict)
	if err != nil {
		t.Fatal(err)
	}
	for at := range c.Steps {
		got, err := conformance.Resume(c, at, snapshots[at])
		if at == 4 { // in q, whose timer starts again
			if !errors.Is(err, conformance.ErrTimers) || len(got) > 0 {
				t.Errorf("cut after step %d: %d entries, error %v", at, len(got), err)
			}
			continue
		}
		if err != nil {
			t.Errorf("cut after step %d: %v", at, err)
		}
		if d := conformance.Compare(whole[at+1:], got, false); len(d) > 0 {
			t.Errorf("cut after step %d: %s", at, d[0])
		}
	}
	if last := whole[len(whole)-1]; last.Get("value").Text() != "r" || last.Get("context").Get("got").Int() != 7 {
		t.Errorf("the case ends in %s", last)
	}
}
