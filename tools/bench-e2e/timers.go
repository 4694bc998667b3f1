package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timersEach is how many pending timers each of the sleeping machines has.
const timersEach = 100

// ticker lets a deadline pass each second, for ever: the next one counts from the deadline before, so
// lateness does not add up.
const ticker = `{"machine": {"initial": "a", "states": {"a": {"after": {"1000": "b"}}, "b": {"after": {"1000": "a"}}}}}`

// sleeper arms its timers for days that do not come.
func sleeper() string {
	var entry []string
	for i := range timersEach {
		entry = append(entry, fmt.Sprintf(`{"raise": {"event": {"type": "WAKE"}, "id": "t%d", "delay": %d}}`, i, 86_400_000+i*1000))
	}
	return `{"machine": {"initial": "a", "states": {"a": {"entry": [` + strings.Join(entry, ", ") + `], "on": {"WAKE": {}}}}}}`
}

func named(prefix string) func(int32) string {
	return func(no int32) string { return prefix + strconv.Itoa(int(no)) }
}

// benchTimers lets timers fall due while others are pending: alone, and beside events.
func (h *host) benchTimers(ctx context.Context, r *report) error {
	s := h.settings
	if err := h.startPrograms(ctx, false); err != nil {
		return err
	}
	fmt.Fprintf(h.progress, "arming %d timers\n", s.pending)
	if err := h.create(ctx, "sleeper", sleeper(), (s.pending+timersEach-1)/timersEach, named("sleeper-")); err != nil {
		return err
	}
	if err := h.create(ctx, "counter", counter, s.machines, machineID); err != nil {
		return err
	}
	if err := h.create(ctx, "ticker", ticker, s.due, named("ticker-")); err != nil {
		return err
	}
	if err := pause(ctx, 2*time.Second); err != nil { // until each has ticked
		return err
	}
	fmt.Fprintln(h.progress, "timers")
	if err := h.measureTimers(ctx, r, "timers alone", nil); err != nil {
		return err
	}
	busy := load{tag: "busy", connections: 32, batch: 1, rate: float64(s.events), many: s.machines, duration: s.duration}
	fmt.Fprintln(h.progress, "timers beside events")
	if err := h.measureTimers(ctx, r, fmt.Sprintf("timers beside %d events/s", s.events), &busy); err != nil {
		return err
	}
	return h.checkMachines(ctx, r)
}

// latenessSQL is of the timers that were due in the time measured: until they were decided, and until
// that was committed.
const latenessSQL = `
SELECT count(*),
    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY lateness_ms), 0), coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY lateness_ms), 0),
    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY committed), 0), coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY committed), 0)
FROM (
    SELECT lateness_ms, extract(epoch FROM pg_xact_commit_timestamp(xmin) - event_time)::float8 * 1000 AS committed
    FROM detent.history_entry
    WHERE lateness_ms IS NOT NULL AND event_time >= $1 AND event_time < $2
) fired`

// measureTimers measures for the duration, with a load beside if there is one, and charges everything
// to the timers and events together.
func (h *host) measureTimers(ctx context.Context, r *report, name string, beside *load) error {
	var events *sent
	w, err := h.during(ctx, func() (err error) {
		if beside == nil {
			return pause(ctx, h.settings.duration)
		}
		events, err = send(ctx, h.server.addr, beside)
		return err
	})
	if err != nil {
		return err
	}
	if err := pause(ctx, time.Second); err != nil { // for the last to be committed
		return err
	}
	t := &row{Name: name}
	err = h.sql.QueryRow(ctx, latenessSQL, w.from, w.to).Scan(&t.Events, &t.LateP50, &t.LateP99, &t.AppliedP50, &t.AppliedP99)
	if err != nil {
		return err
	}
	t.Applied = float64(t.Events) / w.to.Sub(w.from).Seconds()
	r.rows = append(r.rows, t)
	if events == nil {
		t.charge(w.used, t.Events)
		return nil
	}
	t.charge(w.used, t.Events+len(events.acks))
	row := newRow("... the events", events, events.lasts)
	r.rows = append(r.rows, row)
	return h.checkLoad(ctx, events, row)
}

// window is a time by the database's clock, and what was used in it.
type window struct {
	from, to time.Time
	used     usage
}

func (h *host) during(ctx context.Context, do func() error) (window, error) {
	var w window
	const now = `SELECT clock_timestamp()`
	if err := h.sql.QueryRow(ctx, now).Scan(&w.from); err != nil {
		return w, err
	}
	before, err := h.used()
	if err != nil {
		return w, err
	}
	if err := do(); err != nil {
		return w, err
	}
	after, err := h.used()
	if err != nil {
		return w, err
	}
	w.used = after.minus(before)
	return w, h.sql.QueryRow(ctx, now).Scan(&w.to)
}
