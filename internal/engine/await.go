package engine

import (
	"context"
	"sync"
	"time"

	"github.com/detent-run/detent/internal/store"
)

// How often outcomes are looked for while somebody waits, when nothing wakes the look earlier, and
// how often a wait makes sure that its machine still moves.
const (
	awaitPoll    = 15 * time.Millisecond
	suspendCheck = 200 * time.Millisecond
	awaitTimeout = 5 * time.Second // for one look
	awaitMost    = 4096            // events looked for at once
)

// awaiter waits for the outcomes of events on behalf of all callers of a process: one query looks
// for everything that is waited for. Wake-ups only shorten the wait.
type awaiter struct {
	store outcomeStore
	wake  chan struct{}

	mu      sync.Mutex
	waiting map[store.EventRef][]chan store.HistoryEntry
}

type outcomeStore interface {
	Outcomes(ctx context.Context, refs []store.EventRef) ([]store.HistoryEntry, error)
}

func newAwaiter(s outcomeStore) *awaiter {
	return &awaiter{store: s, wake: make(chan struct{}, 1), waiting: map[store.EventRef][]chan store.HistoryEntry{}}
}

// Wake makes a look happen at once, if anybody waits.
func (a *awaiter) Wake() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// expect registers a wait. The channel gets one entry; forget ends the wait.
func (a *awaiter) expect(ref store.EventRef) (got chan store.HistoryEntry, forget func()) {
	got = make(chan store.HistoryEntry, 1)
	a.mu.Lock()
	a.waiting[ref] = append(a.waiting[ref], got)
	a.mu.Unlock()
	a.Wake()
	return got, func() { a.remove(ref, got) }
}

func (a *awaiter) remove(ref store.EventRef, got chan store.HistoryEntry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.waiting[ref]
	for i, c := range list {
		if c == got {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(a.waiting, ref)
	} else {
		a.waiting[ref] = list
	}
}

// Run looks until ctx ends. While nobody waits it sleeps.
func (a *awaiter) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.wake:
		case <-a.poll():
		}
		look, cancel := context.WithTimeout(ctx, awaitTimeout)
		// A look that fails is made again at the next poll: the callers' own time limits bound the wait.
		_ = a.LookOnce(look)
		cancel()
	}
}

// poll fires while somebody waits.
func (a *awaiter) poll() <-chan time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == 0 {
		return nil
	}
	return time.After(awaitPoll)
}

// LookOnce looks for the outcomes of all events that are waited for and hands out those that are there.
func (a *awaiter) LookOnce(ctx context.Context) error {
	a.mu.Lock()
	refs := make([]store.EventRef, 0, min(len(a.waiting), awaitMost))
	for ref := range a.waiting {
		if len(refs) == awaitMost {
			break
		}
		refs = append(refs, ref)
	}
	a.mu.Unlock()
	if len(refs) == 0 {
		return nil
	}
	entries, err := a.store.Outcomes(ctx, refs)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range entries {
		ref := store.EventRef{Key: e.Key, EventID: e.EventID}
		for _, c := range a.waiting[ref] {
			c <- e
		}
		delete(a.waiting, ref)
	}
	return nil
}

// await waits until the event has its outcome. It reports false when ctx ends first, or when the
// machine is suspended and the event waits for an operator.
func (e *Engine) await(ctx context.Context, ref store.EventRef) (store.HistoryEntry, bool, error) {
	got, forget := e.awaiter.expect(ref)
	defer forget()
	check := time.NewTicker(suspendCheck)
	defer check.Stop()
	for {
		select {
		case entry := <-got:
			return entry, true, nil
		case <-ctx.Done():
			return store.HistoryEntry{}, false, nil
		case <-check.C:
			row, err := e.machineRow(ctx, ref.Key.Machine)
			switch {
			case err != nil && ctx.Err() != nil:
				return store.HistoryEntry{}, false, nil
			case err != nil:
				return store.HistoryEntry{}, false, err
			case row.Status == statusSuspended:
				return store.HistoryEntry{}, false, nil
			}
		}
	}
}

// AwaitStart waits for the machine's first macrostep and returns the machine. When ctx ends first,
// or the machine is suspended instead, it returns the machine as it is then.
func (e *Engine) AwaitStart(ctx context.Context, id string) (MachineView, error) {
	if _, _, err := e.await(ctx, store.EventRef{Key: key(id), EventID: startEventID}); err != nil {
		return MachineView{}, err
	}
	return e.Machine(context.WithoutCancel(ctx), id)
}

// AwaitApplied waits until an accepted event was handled. done is false when ctx ends first, or when
// the machine is suspended: the event is accepted all the same.
func (e *Engine) AwaitApplied(ctx context.Context, id string, a Accepted) (applied Applied, done bool, err error) {
	entry, done, err := e.await(ctx, store.EventRef{Key: key(id), EventID: a.EventID})
	if err != nil || !done {
		return Applied{}, false, err
	}
	view, err := e.Machine(context.WithoutCancel(ctx), id)
	if err != nil {
		return Applied{}, false, err
	}
	return Applied{
		Accepted:  a,
		AppliedAt: entry.ProcessedAt,
		Seq:       entry.Seq,
		Outcome:   entry.Outcome,
		Handled:   entry.Outcome == outcomeApplied,
		Changed:   entry.Outcome == outcomeApplied && changed(entry),
		From:      entry.From,
		To:        entry.To,
		Reason:    entry.Reason,
		Machine:   &view,
	}, true, nil
}

// changed reports whether value or context are not as before.
func changed(e store.HistoryEntry) bool {
	return string(e.From) != string(e.To) || string(e.Changes) != string(emptyObject)
}
