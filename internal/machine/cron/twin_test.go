package cron

import (
	"archive/zip"
	"slices"
	"strings"
	"testing"
	"time"
)

// The dumb twin walks through every minute of ten years and looks at the clock. It knows nothing of
// gaps and of times that exist twice: a civil minute comes when the clock shows it, or a later one, first.

var (
	twinFrom = time.Date(2011, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	twinTo   = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

// twinZones have changes by half an hour and by a whole day, at midnight, twice a year, four times a
// year, at short notice, backwards, and none at all.
var twinZones = []string{
	"UTC", "America/New_York", "America/Santiago", "America/Sao_Paulo", "Africa/Cairo", "Africa/Casablanca", "Asia/Beirut", "Asia/Gaza",
	"Asia/Kathmandu", "Asia/Pyongyang", "Antarctica/Troll", "Australia/Lord_Howe", "Europe/Dublin", "Europe/Istanbul", "Pacific/Apia", "Pacific/Chatham",
}

// twinSchedules have a matcher that is written out by hand for each.
var twinSchedules = []struct {
	spec    string
	matches func(t time.Time) bool
}{
	{"0 * * * *", func(t time.Time) bool { return t.Minute() == 0 }},
	{"30 2 * * *", func(t time.Time) bool { return t.Hour() == 2 && t.Minute() == 30 }},
	{"@daily", func(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 }},
	{"*/20 0-3 13 * FRI", func(t time.Time) bool {
		return t.Minute()%20 == 0 && t.Hour() <= 3 && (t.Day() == 13 || t.Weekday() == time.Friday)
	}},
	{"15 1 * 3,4,9-11 SUN", func(t time.Time) bool {
		return t.Minute() == 15 && t.Hour() == 1 && t.Weekday() == time.Sunday && slices.Contains([]time.Month{3, 4, 9, 10, 11}, t.Month())
	}},
	{"0 3 29 2 *", func(t time.Time) bool { return t.Minute() == 0 && t.Hour() == 3 && t.Day() == 29 && t.Month() == 2 }},
	{"59 23 30,31 12 *", func(t time.Time) bool {
		return t.Minute() == 59 && t.Hour() == 23 && t.Day() >= 30 && t.Month() == 12
	}},
	{"* 0-2 1 * *", func(t time.Time) bool { return t.Hour() <= 2 && t.Day() == 1 }},
}

// civilMinutes returns for each civil minute from two days before the beginning on whether it matches.
func civilMinutes(matches func(time.Time) bool) []bool {
	out := make([]bool, (twinTo-twinFrom)/60+4*24*60)
	for i := range out {
		out[i] = matches(time.Unix(twinFrom+int64(i-2*24*60)*60, 0).UTC())
	}
	return out
}

// firstShown returns the highest civil minute that the clock of the zone has shown up to each minute,
// as an index of civilMinutes.
func firstShown(zone *time.Location) []int32 {
	out := make([]int32, (twinTo-twinFrom)/60)
	offset, until := 0, twinFrom
	for i := range out {
		at := twinFrom + int64(i)*60
		if at >= until { // asking for every minute takes too long
			t := time.Unix(at, 0).In(zone)
			_, offset = t.Zone()
			until = twinTo
			if _, end := t.ZoneBounds(); !end.IsZero() {
				until = end.Unix()
			}
		}
		out[i] = int32(i + offset/60 + 2*24*60)
		if i > 0 {
			out[i] = max(out[i], out[i-1])
		}
	}
	return out
}

// comes returns the instants, in seconds, at which one or more matching minutes are first shown.
func comes(shown []int32, matches []bool) []int64 {
	var out []int64
	for i := 1; i < len(shown); i++ {
		if shown[i] > shown[i-1] && slices.Contains(matches[shown[i-1]+1:shown[i]+1], true) {
			out = append(out, twinFrom+int64(i)*60)
		}
	}
	return out
}

func TestTwin(t *testing.T) {
	t.Parallel()
	matches := make([][]bool, len(twinSchedules))
	for i, s := range twinSchedules {
		matches[i] = civilMinutes(s.matches)
	}
	for _, name := range twinZones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := loadZone(name)
			if err != nil {
				t.Fatal(err)
			}
			shown := firstShown(zone)
			for i, s := range twinSchedules {
				compareWithTwin(t, schedule(t, s.spec, name), s.spec, comes(shown, matches[i]))
			}
		})
	}
}

// compareWithTwin follows the schedule from one time to the next, and asks from between them too.
func compareWithTwin(t *testing.T, s *Schedule, spec string, want []int64) {
	t.Helper()
	before := twinFrom * second
	for i, w := range want {
		for _, after := range [...]int64{before, (before + w*second) / 2, w*second - 1} {
			if got, ok := s.Next(after); !ok || got != w*second {
				t.Fatalf("%s: the %d-th time after %v is %v, want %v", spec, i, time.UnixMicro(after).In(s.zone), time.UnixMicro(got).In(s.zone), time.Unix(w, 0).In(s.zone))
			}
		}
		before = w * second
	}
	if got, _ := s.Next(before); got < twinTo*second {
		t.Fatalf("%s: there is one more time, %v", spec, time.UnixMicro(got).In(s.zone))
	}
}

// TestEveryZone reads all zones of the database, and follows a daily schedule for a year in each.
func TestEveryZone(t *testing.T) {
	t.Parallel()
	for _, name := range archiveNames(t) {
		s := schedule(t, "30 2 * * *", name)
		at := twinFrom * second
		for range 366 {
			next, ok := s.Next(at)
			if !ok || next <= at || next-at > 50*3600*second {
				t.Fatalf("%s: %v comes after %v", name, time.UnixMicro(next).In(s.zone), time.UnixMicro(at).In(s.zone))
			}
			at = next
		}
	}
}

func archiveNames(t *testing.T) []string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(zoneinfo), int64(len(zoneinfo)))
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(archive.File))
	for i, file := range archive.File {
		names[i] = file.Name
	}
	if len(names) < 500 {
		t.Fatalf("there are %d zones only", len(names))
	}
	return names
}
