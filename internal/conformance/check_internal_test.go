package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

func TestGuardedCatchesAPanic(t *testing.T) {
	t.Parallel()
	stack, err := guarded(func() error { panic("a broken invariant") })
	if err == nil || err.Error() != "panic: a broken invariant" || !strings.Contains(stack, "TestGuardedCatchesAPanic") {
		t.Errorf("error %v, stack %s", err, stack)
	}
}

// TestRuntimeBelievesNothing hands the runtime results that contradict themselves.
func TestRuntimeBelievesNothing(t *testing.T) {
	t.Parallel()
	active := func(s machine.Snapshot) machine.Result { return machine.Result{Snapshot: s} }
	timer := machine.Timer{No: 1, Deadline: DefaultStart, Event: value.OfObject(value.Member{Key: "type", Value: value.OfText("T")})}
	for about, test := range map[string]struct {
		res machine.Result
		err error
	}{
		"a timer that was never started":      {res: active(machine.Snapshot{Timers: []machine.Timer{timer}})},
		"a timer that the snapshot lacks":     {res: machine.Result{Effects: []machine.Effect{machine.StartTimer{Timer: timer}}}},
		"a child that was never started":      {res: active(machine.Snapshot{Children: []machine.Child{{ID: "k", No: 1}}})},
		"a task that the snapshot lacks":      {res: machine.Result{Effects: []machine.Effect{machine.StartTask{ID: "k", No: 1}}}},
		"a failure without the status":        {err: &machine.Failure{Kind: machine.EngineFailure}},
		"the status error without a failure":  {res: active(machine.Snapshot{Status: machine.Failed})},
		"a timer that is another one's":       {res: machine.Result{Snapshot: machine.Snapshot{Timers: []machine.Timer{{No: 1}}}, Effects: []machine.Effect{machine.StartTimer{Timer: timer}}}},
		"a machine where a task was declared": {res: machine.Result{Snapshot: machine.Snapshot{Children: []machine.Child{{ID: "k", No: 1}}}, Effects: []machine.Effect{machine.StartTask{ID: "k", No: 1}}}},
	} {
		a := &actor{run: &run{clock: clock{start: DefaultStart}}, started: true, children: map[childKey]*actor{}}
		effects, err := a.macrostep(func() (machine.Result, error) { return test.res, test.err })
		if err == nil {
			err = errors.Join(a.createChildren(effects), a.settle(effects))
		}
		if !errors.Is(err, errIncoherent) {
			t.Errorf("%s: error %v", about, err)
		}
	}
}
