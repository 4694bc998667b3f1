// Package clock tells what time it is in the database.
//
// Deadlines are decided by the database's clock. A process learns it from readings that come back
// with its transactions; between two readings it goes on with the host's monotonic clock. The host's
// wall clock decides nothing. A reading was taken somewhere between the moment its request was sent
// and the moment its answer came, so the true time lies between two bounds: timers fire by the lower
// one, and are therefore never early.
//
// The package imports the standard library only.
package clock

import (
	"sync"
	"time"
)

// Sample is one reading of the database's clock.
type Sample struct {
	Database time.Time // what the database's clock_timestamp() said
	Sent     time.Time // the host's clock (with its monotonic part) just before asking
	Received time.Time // ... and just after the answer
}

// Clock holds the newest sample. The zero value knows no time yet. It is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	sample Sample
}

// Note takes a sample over. The newest one counts, also when the database's clock has gone back.
func (c *Clock) Note(s Sample) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Received.After(c.sample.Received) {
		c.sample = s
	}
}

// Lower returns the earliest instant that the database's clock can show at the host's time now, and
// reports false when no sample was taken yet.
func (c *Clock) Lower(now time.Time) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sample.Received.IsZero() {
		return time.Time{}, false
	}
	return c.sample.Database.Add(now.Sub(c.sample.Received)), true
}

// Upper returns the latest instant that the database's clock can show at the host's time now, and
// reports false when no sample was taken yet.
func (c *Clock) Upper(now time.Time) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sample.Received.IsZero() {
		return time.Time{}, false
	}
	return c.sample.Database.Add(now.Sub(c.sample.Sent)), true
}
