package store

import (
	"cmp"
	"time"

	"github.com/jackc/pgx/v5"
)

// addHistorySQL has no ON CONFLICT: an event that history has already must stop the batch.
const addHistorySQL = `
INSERT INTO detent.history_entry (
    bucket, namespace, machine_id, seq, event_id, outcome, event, event_time, effective_time, processed_at, lateness_ms,
    definition_version, from_value, to_value, actions, effects, changes, reason, owner_id, lane
)
SELECT * FROM unnest(
    @buckets::smallint[], @namespaces::text[], @machines::text[], @seqs::bigint[], @event_ids::text[], @outcomes::text[],
    @events::text[], @event_times::timestamptz[], @effective_times::timestamptz[], @processed::timestamptz[],
    @lateness::double precision[], @versions::integer[], @froms::text[], @tos::text[], @actions::text[], @effects::text[],
    @changes::text[], @reasons::text[], @owners::bigint[], @lanes::integer[]
)`

func (b *applyBatch) addHistory(entries []HistoryEntry) {
	if len(entries) == 0 {
		return
	}
	entries = byBucket(entries, func(e *HistoryEntry) Key { return e.Key }, func(a, b *HistoryEntry) int {
		return cmp.Or(compareNames(a.Key, b.Key), cmp.Compare(a.Seq, b.Seq))
	})
	columns := newKeyColumns(len(entries))
	for _, e := range entries {
		columns.add(e.Key)
	}
	b.Queue(addHistorySQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"seqs":            column(entries, func(e *HistoryEntry) int64 { return e.Seq }),
		"event_ids":       column(entries, func(e *HistoryEntry) *string { return nullText(e.EventID) }),
		"outcomes":        column(entries, func(e *HistoryEntry) string { return e.Outcome }),
		"events":          column(entries, func(e *HistoryEntry) []byte { return e.Event }),
		"event_times":     column(entries, func(e *HistoryEntry) time.Time { return e.EventTime }),
		"effective_times": column(entries, func(e *HistoryEntry) time.Time { return e.EffectiveTime }),
		"processed":       column(entries, func(e *HistoryEntry) time.Time { return e.ProcessedAt }),
		"lateness":        column(entries, (*HistoryEntry).lateness),
		"versions":        column(entries, func(e *HistoryEntry) int32 { return int32(e.DefinitionVersion) }),
		"froms":           column(entries, func(e *HistoryEntry) []byte { return e.From }),
		"tos":             column(entries, func(e *HistoryEntry) []byte { return e.To }),
		"actions":         column(entries, func(e *HistoryEntry) []byte { return e.Actions }),
		"effects":         column(entries, func(e *HistoryEntry) []byte { return e.Effects }),
		"changes":         column(entries, func(e *HistoryEntry) []byte { return e.Changes }),
		"reasons":         column(entries, func(e *HistoryEntry) []byte { return e.Reason }),
		"owners":          column(entries, func(e *HistoryEntry) int64 { return e.Owner }),
		"lanes":           column(entries, func(e *HistoryEntry) int32 { return int32(e.Lane) }),
	})
}

func (e *HistoryEntry) lateness() *float64 {
	if !e.IsTimer {
		return nil
	}
	return &e.LatenessMs
}

const addDeadLettersSQL = `
INSERT INTO detent.dead_letter (bucket, namespace, machine_id, event_id, seq, event_time, event, reason)
SELECT * FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @event_ids::text[], @seqs::bigint[], @times::timestamptz[], @events::text[], @reasons::text[])`

func (b *applyBatch) addDeadLetters(letters []DeadLetter) {
	if len(letters) == 0 {
		return
	}
	letters = byBucket(letters, func(l *DeadLetter) Key { return l.Key }, func(a, b *DeadLetter) int {
		return compareRefs(&a.EventRef, &b.EventRef)
	})
	columns := newKeyColumns(len(letters))
	for _, l := range letters {
		columns.add(l.Key)
	}
	b.Queue(addDeadLettersSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"event_ids": column(letters, func(l *DeadLetter) string { return l.EventID }),
		"seqs":      column(letters, func(l *DeadLetter) int64 { return l.Seq }),
		"times":     column(letters, func(l *DeadLetter) time.Time { return l.EventTime }),
		"events":    column(letters, func(l *DeadLetter) []byte { return l.Event }),
		"reasons":   column(letters, func(l *DeadLetter) []byte { return l.Reason }),
	})
}
