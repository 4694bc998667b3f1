// Package cron computes the next time of a cron schedule in a time zone.
//
// A schedule names civil times: what a clock on the wall of its zone shows. The grammar is
// robfig/cron's, and its parser reads it; its Next is not used, because it steps through
// instants and so skips, doubles or shifts what lies near a change of the clock. Here the next civil
// time is found in the calendar alone, and then mapped to an instant by one rule:
//
//	A civil time comes at the first instant at which the zone's clock shows that time or a later one.
//
// So a time that the clock passes twice (set back in autumn) comes the first time only. A time that
// the clock never shows (set forward in spring, or a whole day left out, as in Samoa on 30
// December 2011) comes at the first instant after the gap. The rule is monotone: a later civil time
// never comes earlier. Several civil times may come at the same instant; Next names it once.
//
// If both the day of the month and the day of the week are restricted, a day matches when either
// does, as in every cron; a field is unrestricted when * or ? is in it without a step.
//
// The zones are those of the IANA database in zoneinfo.zip, a copy of the one that Go ships, which
// is embedded: time.LoadLocation would prefer the host's files, and two hosts with
// different files would compute different deadlines for one machine. A new version of the
// database comes with `go generate`, and moves deadlines that are computed from then on only.
//
// The package reads no clock. It takes the calendar and the zone rules from package time.
package cron
