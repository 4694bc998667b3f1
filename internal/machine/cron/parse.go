package cron

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robfig/cron/v3"
)

// fields are the five fields of a schedule, in their order.
var fields = []struct {
	name   string
	option cron.ParseOption
	hint   string
}{
	{"minute", cron.Minute, "0 to 59"},
	{"hour", cron.Hour, "0 to 23"},
	{"day of the month", cron.Dom, "1 to 31"},
	{"month", cron.Month, "1 to 12 or JAN to DEC"},
	{"day of the week", cron.Dow, "0 (Sunday) to 6 or SUN to SAT"},
}

var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// descriptors are the names of common schedules.
var descriptors = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// maxSpec is the length of a schedule in bytes.
const maxSpec = 1000

// unrestricted is the bit by which the parser marks a field with * or ? in it.
const unrestricted = 1 << 63

// Parse reads a five-field cron expression (robfig/cron's grammar with @daily and the like; no
// @every) and an IANA zone name ("" is UTC). It refuses schedules that never come ("0 0 31 2 *").
func Parse(spec, zone string) (*Schedule, error) {
	location, err := loadZone(zone)
	if err != nil {
		return nil, err
	}
	if err := check(spec); err != nil {
		return nil, fmt.Errorf("schedule %q: %w", shorten(spec), err)
	}
	parsed, err := parser.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w", shorten(spec), explain(spec, err))
	}
	bits, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		panic(fmt.Sprintf("the cron parser made a %T of %q", parsed, spec))
	}
	s := &Schedule{
		minute: bits.Minute, hour: bits.Hour, day: bits.Dom &^ unrestricted, month: bits.Month, weekday: bits.Dow &^ unrestricted,
		anyDay: bits.Dom&unrestricted != 0, anyWeekday: bits.Dow&unrestricted != 0,
		zone: location,
	}
	for _, field := range []*uint64{&s.minute, &s.hour, &s.month} {
		*field &^= unrestricted
	}
	// Whatever day comes at all comes within the horizon, from wherever one looks.
	if _, found := s.match(0); !found {
		return nil, fmt.Errorf("schedule %q never comes: no such month has such a day", shorten(spec))
	}
	return s, nil
}

// check refuses what the parser takes and this package does not, and what the parser passes over in silence.
func check(spec string) error {
	switch {
	case len(spec) > maxSpec:
		return fmt.Errorf("longer than %d bytes", maxSpec)
	case strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ="):
		return errors.New("the zone is given beside the schedule, not in it")
	case strings.HasPrefix(spec, "@every"):
		return errors.New("@every names no times: use a delay in milliseconds or a duration")
	case strings.HasPrefix(spec, "@"):
		if !slices.Contains(descriptors, spec) {
			return fmt.Errorf("unknown name: there are %s", strings.Join(descriptors, ", "))
		}
		return nil
	}
	given := strings.Fields(spec)
	switch {
	case len(given) == len(fields)+1:
		return errors.New("six fields: seconds are not supported, the five fields are minute, hour, day of the month, month, day of the week")
	case len(given) != len(fields):
		return fmt.Errorf("%d fields: there must be five, minute, hour, day of the month, month, day of the week", len(given))
	}
	for i, field := range given {
		for item := range strings.SplitSeq(field, ",") {
			if !isItem(item) {
				return fmt.Errorf("the %s %q: %q is none of *, a value, a range, or one of these with a step", fields[i].name, field, item)
			}
		}
	}
	return nil
}

// isItem reports whether an item of a list has the form *, ?, a or a-b, with or without /step.
func isItem(item string) bool {
	values, step, stepped := strings.Cut(item, "/")
	if stepped && !isWord(step) {
		return false
	}
	if values == "*" || values == "?" {
		return true
	}
	low, high, ranged := strings.Cut(values, "-")
	return isWord(low) && (!ranged || isWord(high))
}

// isWord reports whether a text is ASCII letters and digits. What they mean is for the parser to say.
func isWord(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
}

// explain adds to an error of the parser which field it is about.
func explain(spec string, err error) error {
	for i, text := range strings.Fields(spec) {
		if i >= len(fields) {
			break
		}
		if _, fieldErr := cron.NewParser(fields[i].option).Parse(text); fieldErr != nil {
			return fmt.Errorf("the %s %q (%s): %w", fields[i].name, text, fields[i].hint, fieldErr)
		}
	}
	return err
}

// shorten keeps a message readable whatever the length of a schedule.
func shorten(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}
