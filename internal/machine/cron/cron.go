// Package cron computes the next time of a cron schedule in a time zone.
package cron

// Schedule is a parsed cron expression in a time zone.
type Schedule struct{}

// Parse reads a five-field cron expression (robfig/cron's grammar with @daily and the like; no
// @every) and an IANA zone name ("" is UTC). It refuses schedules that never come ("0 0 31 2 *").
func Parse(spec, zone string) (*Schedule, error) { panic("cron: to be written") }

// Next returns the first instant after the given one that the schedule names, both in microseconds
// since the epoch. It reports false when there is none that can be named.
func (s *Schedule) Next(after int64) (int64, bool) { panic("cron: to be written") }
