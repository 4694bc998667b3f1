package machine

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// millis returns the whole milliseconds since the epoch that have passed: what expressions see as now.
func (t Time) millis() int64 {
	ms := int64(t) / 1000
	if int64(t) < ms*1000 {
		ms--
	}
	return ms
}

var (
	errNegativeDelay = errors.New("the delay is negative")
	errEndlessDelay  = errors.New("the deadline is beyond the year 294,000: a delay may have 292 years")
	errNoMoreTimes   = errors.New("the schedule names no time after this")
)

// deadline returns when a timer that is armed now is due. It counts from the event time of the
// macrostep, not from the time of processing (but see hopsInPlace), and never lies before it. What is not a whole number
// of microseconds is rounded up: no timer is early.
func (m *macrostep) deadline(d *delay) (Time, *Failure) {
	due, err := m.due(d)
	if err == nil && d.skip && m.origin == FromTimer && due <= m.at.Processing {
		due, err = d.catchUp(due, m.at.Processing)
	}
	if err != nil {
		return 0, expressionFailure(d.at, err)
	}
	return max(due, m.from), nil
}

func (m *macrostep) due(d *delay) (Time, error) {
	switch d.kind {
	case syntax.DelayMillis, syntax.DelayDuration:
		return after(m.from, d.micros)
	case syntax.DelayCron:
		return next(d, m.from)
	}
	v, err := d.program.Eval(&m.scope)
	if err != nil {
		return 0, err
	}
	if d.kind == syntax.DelayAt {
		return instant(v)
	}
	micros, err := microsOf(v)
	if err != nil {
		return 0, err
	}
	if micros < 0 {
		return 0, errNegativeDelay
	}
	return after(m.from, micros)
}

// catchUp moves a deadline that a late timer led to, and that has itself passed by now, on by whole
// periods to the first one to come.
func (d *delay) catchUp(due, processing Time) (Time, error) {
	switch {
	case d.kind == syntax.DelayCron:
		return next(d, processing)
	case d.kind == syntax.DelayDuration && d.micros > 0:
		period := Time(d.micros)
		return after(due, int64(period+(processing-due)/period*period))
	default:
		return due, nil // an absolute deadline has no period
	}
}

// next returns the next time of a schedule.
func next(d *delay, now Time) (Time, error) {
	at, ok := d.schedule.Next(int64(now))
	if !ok {
		return 0, errNoMoreTimes
	}
	return Time(at), nil
}

// after adds a delay to an instant.
func after(t Time, micros int64) (Time, error) {
	if micros > math.MaxInt64-max(int64(t), 0) {
		return 0, errEndlessDelay
	}
	return t + Time(micros), nil
}

// microsOf turns milliseconds into microseconds, rounding up.
func microsOf(v value.Value) (int64, error) {
	if v.Kind() == value.Int {
		ms := v.Int()
		if ms > math.MaxInt64/1000 || ms < math.MinInt64/1000 {
			return 0, errEndlessDelay
		}
		return ms * 1000, nil
	}
	ms, ok := v.Number()
	if !ok {
		return 0, fmt.Errorf("milliseconds must be a number, and this is %s", v.Kind())
	}
	micros := math.Ceil(ms * 1000)
	if math.Abs(micros) >= math.MaxInt64 {
		return 0, errEndlessDelay
	}
	return int64(micros), nil
}

// instant reads an absolute deadline: RFC 3339 text or epoch milliseconds.
func instant(v value.Value) (Time, error) {
	if v.Kind() != value.Text {
		micros, err := microsOf(v)
		if err != nil {
			return 0, fmt.Errorf("a deadline is RFC 3339 text or epoch milliseconds: %w", err)
		}
		return Time(micros), nil
	}
	at, err := time.ParseInLocation(time.RFC3339Nano, v.Text(), time.UTC)
	if err != nil {
		return 0, fmt.Errorf("%s is no RFC 3339 time with an offset", v)
	}
	if at.Nanosecond()%1000 != 0 {
		at = at.Add(time.Microsecond)
	}
	return Time(at.UnixMicro()), nil
}
