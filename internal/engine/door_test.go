package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/detent-run/detent/internal/store"
)

// Each caller gets its own answer, whoever it shared a transaction with, and no group is too large.
func TestDoorGroups(t *testing.T) {
	t.Parallel()
	var groups, events int
	var mu sync.Mutex
	refused := errors.New("refused")
	d := &door{accept: func(_ context.Context, in []store.Incoming) ([]store.Acceptance, error) {
		mu.Lock()
		defer mu.Unlock()
		groups, events = groups+1, events+len(in)
		if len(in) > doorGroup {
			t.Errorf("a group of %d", len(in))
		}
		got := make([]store.Acceptance, len(in))
		for i, e := range in {
			if e.EventID == "e7" {
				got[i].Outcome = store.NoMachine
			}
		}
		return got, nil
	}}
	const callers = 2000
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			id := fmt.Sprint("e", i)
			got, err := d.deliver(t.Context(), store.Incoming{EventRef: store.EventRef{EventID: id}})
			if err != nil || len(got) != 1 || (got[0].Outcome == store.NoMachine) != (id == "e7") {
				t.Errorf("%s: %v, %v", id, got, err)
			}
		})
	}
	group.Wait()
	if events != callers || groups == callers {
		t.Errorf("%d events in %d groups", events, groups)
	}
	d.accept = func(context.Context, []store.Incoming) ([]store.Acceptance, error) { return nil, refused }
	if _, err := d.deliver(t.Context(), store.Incoming{}); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}

// Beyond the bound callers are sent away and told to come again; nobody's event is lost silently.
func TestDoorIsBounded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	d := &door{accept: func(_ context.Context, in []store.Incoming) ([]store.Acceptance, error) {
		<-release
		return make([]store.Acceptance, len(in)), nil
	}}
	var group sync.WaitGroup
	var mu sync.Mutex
	away := 0
	for range doorWaiting + doorLeaders*doorGroup + 100 {
		group.Go(func() {
			_, err := d.deliver(t.Context(), store.Incoming{})
			var told *Error
			if errors.As(err, &told) && told.Code == CodeUnavailable && told.Retryable {
				mu.Lock()
				if away++; away == 1 {
					close(release)
				}
				mu.Unlock()
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if away == 0 {
		t.Error("nobody was sent away")
	}
}

// A caller who leaves takes nobody's event along.
func TestDoorSurvivesCallersThatLeave(t *testing.T) {
	t.Parallel()
	release, accepted := make(chan struct{}), make(chan int, 1)
	d := &door{accept: func(ctx context.Context, in []store.Incoming) ([]store.Acceptance, error) {
		<-release
		if ctx.Err() == nil {
			accepted <- len(in)
		}
		return make([]store.Acceptance, len(in)), ctx.Err()
	}}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := d.deliver(ctx, store.Incoming{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	if n := <-accepted; n != 1 {
		t.Errorf("%d events accepted", n)
	}
}

// Large events come in a few at a time, and beyond the bound their callers are sent away.
func TestDoorCountsBytes(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	large := store.Incoming{Event: make([]byte, doorGroupBytes/4)}
	d := &door{accept: func(_ context.Context, in []store.Incoming) ([]store.Acceptance, error) {
		<-release
		if len(in) > 4 {
			t.Errorf("a group of %d large events", len(in))
		}
		return make([]store.Acceptance, len(in)), nil
	}}
	var group sync.WaitGroup
	var mu sync.Mutex
	away := 0
	for range doorWaitingBytes/len(large.Event) + 4*doorLeaders + 10 {
		group.Go(func() {
			_, err := d.deliver(t.Context(), large)
			var told *Error
			if errors.As(err, &told) && told.Code == CodeUnavailable && told.Retryable {
				mu.Lock()
				if away++; away == 10 {
					close(release)
				}
				mu.Unlock()
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if away < 10 {
		t.Errorf("%d were sent away", away)
	}
	if d.bytes != 0 || d.events != 0 {
		t.Errorf("%d bytes of %d events are thought to wait", d.bytes, d.events)
	}
}
