package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/store"
)

// claim reads what waits for the lane's machines: the oldest events of the inbox, and all that
// waits for machines whose timers are due.
//
// A deadline must not wait for the events of other machines. That is why machines with due timers
// are read for themselves, however long the inbox is, and come first in the batch.
func (l *Lane) claim(ctx context.Context) (b *batch, err error) {
	began := time.Now()
	out := l.turns.out(began)
	due, err := l.takeDue(ctx, len(out) > 0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.Due(due...)
		}
	}()
	page, err := l.store.Claim(ctx, l.buckets, l.limit, append(out, l.shunnedNow(began)...)...)
	if err != nil {
		return nil, err
	}
	l.o.Clock.Note(page.Clock)
	if len(out) > 0 {
		l.turns.readPast(began, time.Now())
	}
	b = &batch{byKey: map[store.Key]*work{}, full: page.More, past: len(out) > 0}
	if len(due) > 0 {
		own, err := l.store.ClaimMachines(ctx, due, machineShare+1)
		if err != nil {
			return nil, err
		}
		b.addDue(due, own)
	}
	b.addPage(page)
	if err := l.load(ctx, b); err != nil {
		return nil, err
	}
	b.works = slices.DeleteFunc(b.works, l.unknown)
	return b, nil
}

// shunnedNow returns the machines that are left alone for now.
func (l *Lane) shunnedNow(now time.Time) []store.Key {
	var keys []store.Key
	for k, until := range l.shunned {
		if until.After(now) {
			keys = append(keys, k)
		} else {
			delete(l.shunned, k)
		}
	}
	return keys
}

// unknown reports whether there is no such machine, or one that is left alone for a while.
func (l *Lane) unknown(w *work) bool {
	if w.self == nil {
		l.o.Log.Error("events wait for a machine that does not exist", "machine", w.key.Machine)
		return true
	}
	return l.shunned[w.key].After(time.Now())
}

// takeDue returns the machines whose timers are due: those that the scheduler named, and, once a
// second, those that the lane finds itself, so that a stopped scheduler delays little and changes nothing.
// Those that sit this batch out are due in the next one.
func (l *Lane) takeDue(ctx context.Context, sitOut bool) ([]store.Key, error) {
	now := time.Now()
	until, known := l.o.Clock.Lower(now)
	if known && now.Sub(l.looked) >= ownLookEvery {
		rows, _, sample, err := l.store.DueTimers(ctx, l.buckets, until, ownLookLimit)
		if err != nil {
			return nil, err
		}
		l.o.Clock.Note(sample)
		l.looked = now
		for _, r := range rows {
			l.Due(r.Key)
		}
	}
	l.hints.Lock()
	defer l.hints.Unlock()
	due := l.due.take(dueShare)
	if sitOut {
		due = slices.DeleteFunc(due, func(k store.Key) bool {
			rests := l.turns.rests(k)
			if rests {
				l.due.add(k)
			}
			return rests
		})
	}
	if len(l.due.order) > 0 {
		l.Wake() // for the rest
	}
	return due, nil
}

// batch gathers the works of a batch, one for each machine.
type batch struct {
	works []*work
	rest  []*work // too much for one batch
	byKey map[store.Key]*work
	full  bool // more waits than was read
	past  bool // machines that had their share sit this one out
}

func (b *batch) find(k store.Key, page store.Page) *work {
	w := b.byKey[k]
	if w == nil {
		w = &work{held: held{key: k}, horizon: horizonOf(page), processing: timeOf(page.Now)}
		b.byKey[k] = w
		b.works = append(b.works, w)
	}
	return w
}

// addDue adds machines with due timers, each with the beginning of its own inbox. Of one that was cut
// off the events are seen up to its last one only.
func (b *batch) addDue(due []store.Key, own store.Page) {
	own.More = false
	for _, k := range due {
		b.find(k, own).due = true
	}
	for _, row := range own.Events {
		w := b.find(row.Key, own)
		w.events = append(w.events, row)
		if own.Cut[row.Key] || len(w.events) > machineShare {
			w.horizon = min(w.horizon, timeOf(row.EventTime))
		}
	}
}

// addPage adds the events of a page, but for machines that were read for themselves.
func (b *batch) addPage(page store.Page) {
	for _, row := range page.Events {
		if w := b.find(row.Key, page); !w.due {
			w.events = append(w.events, row)
		}
	}
}

// horizonOf is the instant up to which a page shows every event acknowledged before it.
func horizonOf(p store.Page) machine.Time {
	at := timeOf(p.Now)
	if p.More && len(p.Events) > 0 {
		at = min(at, timeOf(p.Events[len(p.Events)-1].EventTime))
	}
	return at
}

// load fills in how the machines stand, from the cache or the database. What the database omits, for the
// machines before it are large, is left for the next batch.
func (l *Lane) load(ctx context.Context, b *batch) error {
	missing := make(map[store.Key]*work)
	var keys []store.Key
	for _, w := range b.works {
		if h, ok := l.cache.find(w.key); ok {
			w.held = *h
			continue
		}
		missing[w.key] = w
		keys = append(keys, w.key)
	}
	if len(keys) == 0 {
		return nil
	}
	rows, err := l.store.LoadMachines(ctx, keys)
	if err != nil {
		return err
	}
	for _, row := range rows {
		w := missing[row.Key]
		if w.omitted = row.Omitted; w.omitted {
			b.rest = append(b.rest, w)
			continue
		}
		if err := l.revive(ctx, row, &w.held); err != nil {
			if !unreadable(err) {
				return err
			}
			w.broken, w.raw = err, row.Snapshot
			continue
		}
		read := w.held
		l.cache.put(&read) // the batch may not come to it
	}
	b.works = slices.DeleteFunc(b.works, func(w *work) bool { return w.omitted })
	return nil
}

// revive turns a row into a machine.
func (l *Lane) revive(ctx context.Context, row store.Machine, h *held) error {
	h.self = &machine.Identity{ID: row.Key.Machine, Definition: row.Definition, Version: row.Version, Parent: row.Parent}
	h.seq, h.status, h.deferred, h.bytes = row.Seq, row.Status, row.Deferred, len(row.Snapshot)
	def, err := l.defs.find(ctx, row.Key.Namespace, row.Definition, row.Version)
	if err != nil {
		return err
	}
	h.def = def
	if row.Snapshot == nil {
		return nil
	}
	h.snapshot, err = def.DecodeSnapshot(h.self, row.Snapshot)
	if err != nil {
		return reason{Code: codeSnapshot, Message: "snapshot cannot be read: " + err.Error()}
	}
	return nil
}

// unreadable tells a machine that cannot be read, which is its own trouble, from a database that does not answer.
func unreadable(err error) bool {
	var why reason
	return errors.As(err, &why) || errors.Is(err, store.ErrNotFound)
}
