package cron

import (
	"math"
	"math/bits"
	"time"
)

// Schedule is a parsed cron expression in a time zone. It is immutable and safe for concurrent use.
type Schedule struct {
	// Each field has a bit for each value that matches.
	minute, hour, day, month, weekday uint64
	// anyDay and anyWeekday report whether the field is unrestricted.
	anyDay, anyWeekday bool

	zone *time.Location
}

const (
	second     = 1_000_000 // microseconds
	daySeconds = 24 * 60 * 60
)

// lastInstant is the end of the year 9999, which is the last that RFC 3339 can name.
var lastInstant = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() - 1

// Next returns the first instant after the given one that the schedule names, both in microseconds
// since the epoch. It reports false when there is none that can be named: none before the year 10000.
func (s *Schedule) Next(after int64) (int64, bool) {
	if after >= lastInstant {
		return 0, false
	}
	seconds := floorDiv(after, second)
	_, offset := time.Unix(seconds, 0).In(s.zone).Zone()
	// What the clock shows has come already, so the search begins at the next minute. Where the clock
	// was set back shortly before, it finds minutes that have come the first time, and goes on.
	civil := (floorDiv(seconds+int64(offset), 60) + 1) * 60
	for {
		var found bool
		if civil, found = s.match(civil); !found {
			return 0, false
		}
		at := s.instant(civil) * second
		if at > lastInstant {
			return 0, false
		}
		if at > after {
			return at, true
		}
		civil += 60
	}
}

// instant maps a civil time to an instant by the rule of the package. Both are in seconds, the
// civil time as if it were UTC.
func (s *Schedule) instant(civil int64) int64 {
	// No zone is two days from UTC, so the clock shows an earlier time at this instant.
	for at := civil - 2*daySeconds; ; {
		offset, end := s.period(at)
		shows := max(at, civil-offset)
		if shows < end {
			return shows
		}
		at = end
	}
}

// period returns the offset of the zone from UTC at an instant, and an instant up to which it stays.
func (s *Schedule) period(at int64) (offset, end int64) {
	t := time.Unix(at, 0).In(s.zone)
	_, seconds := t.Zone()
	_, bound := t.ZoneBounds()
	switch {
	case bound.IsZero():
		return int64(seconds), math.MaxInt64
	case bound.Unix() <= at:
		// On the last day of a leap year package time has the end of the year one day early, where
		// a zone's rules and not its table apply. No zone has changed its clock twice in an hour.
		return int64(seconds), at + 3600
	default:
		return int64(seconds), bound.Unix()
	}
}

// horizon is how far ahead the calendar is searched: the 29th of February is at most eight years
// away, and the month that it is in may have begun.
const horizon = 9 * 366

// match returns the first civil time from the given one on that the fields match.
func (s *Schedule) match(civil int64) (int64, bool) {
	day, inDay := floorDiv(civil, daySeconds), floorMod(civil, daySeconds)
	hour, minute := uint(inDay/3600), uint(inDay/60%60)
	for range horizon {
		if s.matchesDay(day) {
			if h, m, ok := s.matchTime(hour, minute); ok {
				return day*daySeconds + int64(h)*3600 + int64(m)*60, true
			}
		}
		day++
		hour, minute = 0, 0
	}
	return 0, false
}

// matchesDay reports whether the fields match a day, counted from the epoch.
func (s *Schedule) matchesDay(day int64) bool {
	date := time.Unix(day*daySeconds, 0).UTC()
	_, month, dayOfMonth := date.Date()
	if s.month>>month&1 == 0 {
		return false
	}
	inMonth, inWeek := s.day>>dayOfMonth&1 == 1, s.weekday>>date.Weekday()&1 == 1
	if s.anyDay || s.anyWeekday {
		return inMonth && inWeek
	}
	return inMonth || inWeek
}

// matchTime returns the first time of the day from the given one on that the fields match.
func (s *Schedule) matchTime(hour, minute uint) (h, m uint, ok bool) {
	if s.hour>>hour&1 == 1 {
		if m, ok := nextBit(s.minute, minute); ok {
			return hour, m, true
		}
	}
	if h, ok = nextBit(s.hour, hour+1); !ok {
		return 0, 0, false
	}
	m, ok = nextBit(s.minute, 0)
	return h, m, ok
}

// nextBit returns the lowest bit of a set that is not below from.
func nextBit(set uint64, from uint) (uint, bool) {
	set = set >> from << from
	return uint(bits.TrailingZeros64(set)), set != 0
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
