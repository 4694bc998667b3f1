package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/detent-run/detent/internal/store"
)

// Limits of the door.
const (
	doorGroup   = 512  // events accepted in one transaction
	doorLeaders = 2    // transactions at a time: while one commits, the next gathers
	doorWaiting = 8192 // callers that may wait; beyond that they are sent away
)

// door is where events come in. Callers that arrive while others are being accepted share the next
// transaction: under load one commit serves many, and alone nobody waits for company.
type door struct {
	accept func(ctx context.Context, events []store.Incoming) ([]store.Acceptance, error)

	mu      sync.Mutex
	waiting []*delivery
	leaders int
}

// delivery is one caller's event and what became of it.
type delivery struct {
	event store.Incoming
	got   store.Acceptance
	err   error
	done  chan struct{}
}

// deliver accepts an event. When ctx ends first, the event may be accepted all the same: sending it
// again with its id is safe.
func (d *door) deliver(ctx context.Context, event store.Incoming) (store.Acceptance, error) {
	own := &delivery{event: event, done: make(chan struct{})}
	if err := d.join(own); err != nil {
		return store.Acceptance{}, err
	}
	select {
	case <-own.done:
		return own.got, own.err
	case <-ctx.Done():
		return store.Acceptance{}, ctx.Err()
	}
}

// join adds a caller to the next group, and starts somebody to lead it if nobody does.
func (d *door) join(own *delivery) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) >= doorWaiting {
		return &Error{Code: CodeUnavailable, Retryable: true, Message: fmt.Sprintf("%d events wait to be accepted already", doorWaiting)}
	}
	d.waiting = append(d.waiting, own)
	if d.leaders < doorLeaders {
		d.leaders++
		go d.lead()
	}
	return nil
}

// lead accepts group after group until nobody waits.
func (d *door) lead() {
	for {
		d.mu.Lock()
		group := d.waiting
		if len(group) == 0 {
			d.leaders--
			d.mu.Unlock()
			return
		}
		group = group[:min(len(group), doorGroup)]
		d.waiting = append([]*delivery(nil), d.waiting[len(group):]...)
		d.mu.Unlock()
		d.commit(group)
	}
}

// commit accepts a group in one transaction. It belongs to no caller's context: one who leaves must
// not take the others' events along. The store bounds its time.
func (d *door) commit(group []*delivery) {
	events := make([]store.Incoming, len(group))
	for i, c := range group {
		events[i] = c.event
	}
	got, err := d.accept(context.Background(), events)
	for i, c := range group {
		if err == nil {
			c.got = got[i]
		}
		c.err = err
		close(c.done)
	}
}
