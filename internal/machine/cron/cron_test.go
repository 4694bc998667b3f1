package cron

import (
	"strings"
	"testing"
	"time"
)

func schedule(t testing.TB, spec, zone string) *Schedule {
	t.Helper()
	s, err := Parse(spec, zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNext lists what comes after an instant, one after the other, in the zone's own time.
func TestNext(t *testing.T) {
	t.Parallel()
	tests := []struct {
		about, spec, zone, after string
		want                     string
	}{
		{"every minute", "* * * * *", "", "2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z 2024-01-01T00:02:00Z"},
		{"the instant itself is not after it", "0 0 * * *", "", "2023-12-31T23:59:59.999999Z", "2024-01-01T00:00:00Z 2024-01-02T00:00:00Z"},
		{"weekdays", "0 16 * * MON-FRI", "America/New_York", "2024-03-08T16:00:00-05:00", "2024-03-11T16:00:00-04:00 2024-03-12T16:00:00-04:00"},
		{"steps", "10-40/15 */12 1 * *", "", "2024-01-01T00:00:00Z", "2024-01-01T00:10:00Z 2024-01-01T00:25:00Z 2024-01-01T00:40:00Z 2024-01-01T12:10:00Z"},
		{"lists and names", "5 4 * feb,Mar sun", "", "2024-02-20T00:00:00Z", "2024-02-25T04:05:00Z 2024-03-03T04:05:00Z"},
		{"either day matches when both are restricted", "0 0 13 * FRI", "", "2024-09-07T00:00:00Z", "2024-09-13T00:00:00Z 2024-09-20T00:00:00Z 2024-09-27T00:00:00Z 2024-10-04T00:00:00Z 2024-10-11T00:00:00Z 2024-10-13T00:00:00Z"},
		{"a leap day", "0 0 29 2 *", "", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"the name of a schedule", "@weekly", "Asia/Kathmandu", "2024-01-01T00:00:00Z", "2024-01-07T00:00:00+05:45"},
		{"before the epoch", "30 12 * * *", "", "1969-12-31T12:29:59.5Z", "1969-12-31T12:30:00Z 1970-01-01T12:30:00Z"},

		{"a time that does not exist comes right after the gap", "30 2 * * *", "America/New_York", "2024-03-09T03:00:00-05:00", "2024-03-10T03:00:00-04:00 2024-03-11T02:30:00-04:00"},
		{"all times of a gap come at once, and once", "*/15 * * * *", "America/New_York", "2024-03-10T01:40:00-05:00", "2024-03-10T01:45:00-05:00 2024-03-10T03:00:00-04:00 2024-03-10T03:15:00-04:00"},
		{"a time that exists twice comes once", "30 1 * * *", "America/New_York", "2024-11-03T00:00:00-04:00", "2024-11-03T01:30:00-04:00 2024-11-04T01:30:00-05:00"},
		{"so does every hour", "30 * * * *", "America/New_York", "2024-11-03T00:59:00-04:00", "2024-11-03T01:30:00-04:00 2024-11-03T02:30:00-05:00"},
		{"seen from within the second time", "30 1 * * *", "America/New_York", "2024-11-03T01:10:00-05:00", "2024-11-04T01:30:00-05:00"},
		{"a midnight that does not exist", "0 0 * * *", "America/Santiago", "2024-09-07T01:00:00-04:00", "2024-09-08T01:00:00-03:00 2024-09-09T00:00:00-03:00"},
		{"the day that Samoa left out", "0 9 * * *", "Pacific/Apia", "2011-12-29T09:00:00-10:00", "2011-12-31T00:00:00+14:00 2011-12-31T09:00:00+14:00"},
		{"half an hour set back", "45 1 * * *", "Australia/Lord_Howe", "2024-04-07T00:00:00+11:00", "2024-04-07T01:45:00+11:00 2024-04-08T01:45:00+10:30"},
		{"a summer in winter", "30 1 * * *", "Europe/Dublin", "2024-10-27T00:00:00+01:00", "2024-10-27T01:30:00+01:00 2024-10-28T01:30:00Z"},
		{"rules beyond the table of the zone", "0 12 1 7 *", "Europe/Berlin", "2090-01-01T00:00:00Z", "2090-07-01T12:00:00+02:00"},
		{"the last day of a leap year", "0 */12 * * *", "Europe/Berlin", "2040-12-30T12:00:00+01:00", "2040-12-31T00:00:00+01:00 2040-12-31T12:00:00+01:00 2041-01-01T00:00:00+01:00 2041-01-01T12:00:00+01:00"},
		{"the end of the years that can be named", "0 0 31 12 *", "", "9998-12-31T00:00:00Z", "9999-12-31T00:00:00Z never"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			t.Parallel()
			s := schedule(t, tt.spec, tt.zone)
			at, err := time.Parse(time.RFC3339Nano, tt.after)
			if err != nil {
				t.Fatal(err)
			}
			now := at.UnixMicro()
			var got []string
			for range strings.Fields(tt.want) {
				next, ok := s.Next(now)
				if !ok {
					got = append(got, "never")
					break
				}
				now = next
				got = append(got, time.UnixMicro(now).In(s.zone).Format(time.RFC3339Nano))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s in %s\n got %s\nwant %s", tt.spec, tt.zone, strings.Join(got, " "), tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ spec, zone, want string }{
		{"", "", `schedule "": 0 fields: there must be five, minute, hour, day of the month, month, day of the week`},
		{"0 0 * * * *", "", `schedule "0 0 * * * *": six fields: seconds are not supported, the five fields are minute, hour, day of the month, month, day of the week`},
		{"@every 5m", "", `schedule "@every 5m": @every names no times: use a delay in milliseconds or a duration`},
		{"@reboot", "", `schedule "@reboot": unknown name: there are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly`},
		{"TZ=UTC 0 0 * * *", "", `schedule "TZ=UTC 0 0 * * *": the zone is given beside the schedule, not in it`},
		{"CRON_TZ=UTC", "", `schedule "CRON_TZ=UTC": the zone is given beside the schedule, not in it`},
		{"60 0 * * *", "", `schedule "60 0 * * *": the minute "60" (0 to 59): end of range (60) above maximum (59): 60`},
		{"0 0 0 * *", "", `schedule "0 0 0 * *": the day of the month "0" (1 to 31): beginning of range (0) below minimum (1): 0`},
		{"0 0 * * 7", "", `schedule "0 0 * * 7": the day of the week "7" (0 (Sunday) to 6 or SUN to SAT): end of range (7) above maximum (6): 7`},
		{"0 0 * * FRI-MON", "", `schedule "0 0 * * FRI-MON": the day of the week "FRI-MON" (0 (Sunday) to 6 or SUN to SAT): beginning of range (5) beyond end of range (1): FRI-MON`},
		{"*/0 * * * *", "", `schedule "*/0 * * * *": the minute "*/0" (0 to 59): step of range should be a positive number: */0`},
		{", * * * *", "", `schedule ", * * * *": the minute ",": "" is none of *, a value, a range, or one of these with a step`},
		{"* 1,,2 * * *", "", `schedule "* 1,,2 * * *": the hour "1,,2": "" is none of *, a value, a range, or one of these with a step`},
		{"*-5 * * * *", "", `schedule "*-5 * * * *": the minute "*-5": "*-5" is none of *, a value, a range, or one of these with a step`},
		{"-1 * * * *", "", `schedule "-1 * * * *": the minute "-1": "-1" is none of *, a value, a range, or one of these with a step`},
		{"0 0 31 2 *", "", `schedule "0 0 31 2 *" never comes: no such month has such a day`},
		{"0 0 30,31 2 *", "", `schedule "0 0 30,31 2 *" never comes: no such month has such a day`},
		{"0 0 31 4,6,9,11 *", "", `schedule "0 0 31 4,6,9,11 *" never comes: no such month has such a day`},
		{"* * * * *", "Europe/Atlantis", `unknown time zone "Europe/Atlantis": names are those of the IANA database, such as Europe/Berlin`},
		{"* * * * *", "america/new_york", `unknown time zone "america/new_york": did you mean America/New_York?`},
		{"* * * * *", "Local", `unknown time zone "Local": names are those of the IANA database, such as Europe/Berlin`},
		{"* * * * *", "../UTC", `unknown time zone "../UTC": names are those of the IANA database, such as Europe/Berlin`},
	}
	for _, tt := range tests {
		_, err := Parse(tt.spec, tt.zone)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q in %q\n got %v\nwant %s", tt.spec, tt.zone, err, tt.want)
		}
	}
}

// TestImpossibleDayWithWeekday is why "0 0 31 2 *" is refused for its day and not for its fields.
func TestImpossibleDayWithWeekday(t *testing.T) {
	t.Parallel()
	s := schedule(t, "0 0 31 2 MON", "")
	next, ok := s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	if want := time.Date(2024, 2, 5, 0, 0, 0, 0, time.UTC).UnixMicro(); !ok || next != want {
		t.Errorf("got %v", time.UnixMicro(next).UTC())
	}
}

func FuzzParse(f *testing.F) {
	for _, spec := range []string{"* * * * *", "0 16 * * MON-FRI", "@daily", "*/7 1-5/2 1,15 ? sun", "0 0 29 2 *", "TZ=x", "@every 1s", "59 23 31 12 6"} {
		for _, zone := range []string{"", "Europe/Dublin", "Pacific/Apia", "Local"} {
			f.Add(spec, zone, int64(1_325_000_000_000_000))
		}
	}
	f.Fuzz(func(t *testing.T, spec, zone string, after int64) {
		s, err := Parse(spec, zone)
		if err != nil {
			return
		}
		for range 5 {
			next, ok := s.Next(after)
			if !ok {
				if after < lastInstant-10*366*daySeconds*second {
					t.Fatalf("%q in %q never comes after %d", spec, zone, after)
				}
				return
			}
			if again, _ := s.Next(after); next <= after || again != next {
				t.Fatalf("%q in %q: %d and then %d after %d", spec, zone, next, again, after)
			}
			after = next
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse("0 16 * * MON-FRI", "America/New_York"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	s := schedule(b, "0 16 * * MON-FRI", "America/New_York")
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	b.ReportAllocs()
	for b.Loop() {
		next, ok := s.Next(now)
		if !ok {
			b.Fatal("no next time")
		}
		now = min(next, lastInstant-366*daySeconds*second)
	}
}
