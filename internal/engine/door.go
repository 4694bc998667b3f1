package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/detent-run/detent/internal/store"
)

// Limits of the door. Events count by number and by size: a group of large ones would take so long that
// the database gives up on it, and on the small ones in it.
const (
	doorGroup        = 512       // events accepted in one transaction; a caller's own batch may be more
	doorGroupBytes   = 4 << 20   // ... and of what size
	doorLeaders      = 2         // transactions at a time: while one commits, the next gathers
	doorWaiting      = 16_384    // events that may wait; beyond that their callers are sent away
	doorWaitingBytes = 128 << 20 // ... and of what size
)

// door is where events come in. Callers that arrive while others are being accepted share the next
// transaction: under load one commit serves many, and alone nobody waits for company. What one caller
// brings stays together: events of one transaction are ordered by their place in it, and two leaders
// overtake each other.
type door struct {
	accept func(ctx context.Context, events []store.Incoming) ([]store.Acceptance, error)

	mu      sync.Mutex
	waiting []*delivery
	events  int // of all that wait
	bytes   int
	leaders int
}

// delivery is what one caller brings, and what became of each of it.
type delivery struct {
	events []store.Incoming
	bytes  int
	got    []store.Acceptance
	err    error
	done   chan struct{}
}

// deliver accepts events, all in one transaction. When ctx ends first, they may be accepted all the
// same: sending them again with their ids is safe.
func (d *door) deliver(ctx context.Context, events ...store.Incoming) ([]store.Acceptance, error) {
	own := &delivery{events: events, done: make(chan struct{})}
	for i := range events {
		own.bytes += len(events[i].Event)
	}
	if err := d.join(own); err != nil {
		return nil, err
	}
	select {
	case <-own.done:
		return own.got, own.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// join adds a caller to the next group, and starts somebody to lead it if nobody does.
func (d *door) join(own *delivery) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.events > 0 && (d.events+len(own.events) > doorWaiting || d.bytes+own.bytes > doorWaitingBytes) {
		return &Error{Code: CodeUnavailable, Retryable: true, Message: fmt.Sprintf("%d events wait to be accepted already", d.events)}
	}
	d.waiting = append(d.waiting, own)
	d.events += len(own.events)
	d.bytes += own.bytes
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
		group, events := d.gather()
		if len(group) == 0 {
			d.leaders--
			d.mu.Unlock()
			return
		}
		d.mu.Unlock()
		d.commit(group, events)
	}
}

// gather takes out the callers that came first, as many as make up a group: one at least, however much
// it brings.
func (d *door) gather() (group []*delivery, events int) {
	n, bytes := 0, 0
	for ; n < len(d.waiting); n++ {
		next := d.waiting[n]
		if n > 0 && (events+len(next.events) > doorGroup || bytes+next.bytes > doorGroupBytes) {
			break
		}
		events += len(next.events)
		bytes += next.bytes
	}
	group = d.waiting[:n:n]
	d.waiting = append([]*delivery(nil), d.waiting[n:]...)
	d.events -= events
	d.bytes -= bytes
	return group, events
}

// commit accepts a group in one transaction. It belongs to no caller's context: one who leaves must
// not take the others' events along. The store bounds its time.
func (d *door) commit(group []*delivery, n int) {
	events := make([]store.Incoming, 0, n)
	for _, c := range group {
		events = append(events, c.events...)
	}
	got, err := d.accept(context.Background(), events)
	for _, c := range group {
		if err == nil {
			c.got, got = got[:len(c.events):len(c.events)], got[len(c.events):]
		}
		c.err = err
		close(c.done)
	}
}
