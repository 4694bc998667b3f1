package machine_test

import (
	"os"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// TestSubscriptionLapsesByTheCalendar takes the example to where it waits for the end of the month. The
// zones of a definition are literal: each has a timer, and of these only the customer's decides.
func TestSubscriptionLapsesByTheCalendar(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../examples/subscription/subscription.json")
	if err != nil {
		t.Fatal(err)
	}
	d := compile(t, string(text))
	for _, x := range []struct{ zone, ends string }{
		{`"Europe/Berlin"`, "2025-03-31T22:00:00Z"}, // summer time began the day before
		{`"America/New_York"`, "2025-04-01T04:00:00Z"},
		{`"Asia/Tokyo"`, "2025-04-01T00:00:00Z"},
		{`null`, "2025-04-01T00:00:00Z"},
	} {
		now := machine.Time(time.Date(2025, 3, 10, 12, 0, 0, 0, time.UTC).UnixMicro())
		at := machine.Moment{Event: now, Processing: now}
		r, err := d.Start(nil, parse(t, `{"plan": "pro", "trialMs": 1, "periodMs": 1, "retryMs": 1, "zone": `+x.zone+`}`), at)
		for _, event := range []string{"", "CHARGE_FAILED", "", "CHARGE_FAILED", "", "CHARGE_FAILED"} {
			if err != nil {
				t.Fatal(err)
			}
			if event == "" {
				r, err = fire(d, r.Snapshot)
				continue
			}
			ev := machine.NewEvent(value.OfObject(value.Member{Key: "type", Value: value.OfText(event)}))
			r, err = d.Step(r.Snapshot, ev, at)
		}
		for d.StateValue(r.Snapshot).Text() == "lapsed" && err == nil && len(r.Snapshot.Timers) > 0 {
			r, err = fire(d, r.Snapshot)
		}
		ends := time.UnixMicro(int64(r.Snapshot.Now)).UTC().Format(time.RFC3339)
		if err != nil || ends != x.ends || r.Snapshot.Status != machine.Done {
			t.Errorf("zone %s: %s at %s, not at %s (%v)", x.zone, d.StateValue(r.Snapshot), ends, x.ends, err)
		}
	}
}

// fire lets the next timer fire on the dot.
func fire(d *machine.Definition, s machine.Snapshot) (machine.Result, error) {
	next := s.Timers[0]
	ev := machine.NewEvent(next.Event)
	ev.Origin, ev.Timer = machine.FromTimer, next.No
	return d.Step(s, ev, machine.Moment{Event: next.Deadline, Processing: next.Deadline})
}
