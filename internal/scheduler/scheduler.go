// Package scheduler finds timers that are due and delivers them at their deadline.
//
// The truth about a machine's timers is the list in its snapshot; the timer table is the index that
// lets somebody find them in time. The scheduler looks some seconds ahead in that index, keeps what
// it finds in memory, and at each deadline tells the lane that holds the machine. It writes nothing:
// what it delivers is a claim, which the lane checks against the machine's list and consumes in its
// own transaction. So a delivery too many does nothing, a lost one is made again at the next look, and
// a scheduler that is stopped, stalled or cut off changes no outcome: a lane looks once a second itself.
//
// It fires by the lower bound of the database's clock (package clock): never early. It has a goroutine
// and connections of its own, so that no long batch of a lane holds up the timers of another.
//
// The package imports store and clock.
package scheduler

import (
	"container/heap"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/store"
)

// How far the scheduler looks ahead, how often, and how much of it it keeps.
const (
	lookAhead   = 6 * time.Second
	lookEvery   = time.Second
	lookAgain   = 100 * time.Millisecond // when the limit cut a look off
	lookLimit   = 50_000
	lookTimeout = 5 * time.Second
	retryAfter  = 100 * time.Millisecond
)

type timerStore interface {
	DueTimers(ctx context.Context, buckets []int16, until time.Time, limit int) ([]store.TimerRow, bool, clock.Sample, error)
}

// Scheduler watches over the timers of some buckets.
type Scheduler struct {
	store   timerStore
	clock   *clock.Clock
	deliver func([]store.Key)
	log     *slog.Logger

	mu      sync.Mutex
	buckets []int16
	holds   int       // how often buckets has changed
	ahead   deadlines // what is known of the near future, earliest first
	armed   deadlines // told by lanes since the last look began: it may have missed them
	until   time.Time // the look reached this far
	next    time.Time // host's clock: when to look again; zero is at once
	wake    chan struct{}
}

// New returns a scheduler that holds no bucket yet. deliver is called with machines whose timers are due.
func New(s timerStore, c *clock.Clock, deliver func([]store.Key), log *slog.Logger) *Scheduler {
	return &Scheduler{store: s, clock: c, deliver: deliver, log: log, wake: make(chan struct{}, 1)}
}

// Hold makes the scheduler watch over exactly these buckets.
func (s *Scheduler) Hold(buckets []int16) {
	s.mu.Lock()
	s.buckets = append([]int16(nil), buckets...)
	s.holds++
	s.ahead, s.armed, s.next = nil, nil, time.Time{}
	s.mu.Unlock()
	s.nudge()
}

// Armed tells of timers that a lane has just made durable: those that are due before the next look
// must be known at once.
func (s *Scheduler) Armed(rows []store.TimerRow) {
	s.mu.Lock()
	earlier := false
	for _, r := range rows {
		if r.Deadline.After(s.until) {
			continue
		}
		d := deadline{r.Deadline, r.Key}
		s.armed = append(s.armed, d)
		earlier = earlier || len(s.ahead) == 0 || d.at.Before(s.ahead[0].at)
		heap.Push(&s.ahead, d)
	}
	s.mu.Unlock()
	if earlier {
		s.nudge()
	}
}

func (s *Scheduler) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run fires until ctx ends.
func (s *Scheduler) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait, err := s.FireOnce(ctx)
		if err != nil {
			s.log.Warn("cannot look for timers", "error", err)
			wait = retryAfter
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// FireOnce delivers what is due, after a look at the table when one is due, and returns how long
// nothing will be.
func (s *Scheduler) FireOnce(ctx context.Context) (time.Duration, error) {
	if s.lookDue() {
		if err := s.look(ctx); err != nil {
			return 0, err
		}
	}
	due, wait := s.takeDue(time.Now())
	if len(due) > 0 {
		s.deliver(due)
	}
	return wait, nil
}

func (s *Scheduler) lookDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !time.Now().Before(s.next)
}

// look reads the near future. What lanes armed while it read is kept beside what it found.
func (s *Scheduler) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	began := time.Now()
	s.mu.Lock()
	buckets, holds := s.buckets, s.holds
	s.armed = nil
	s.mu.Unlock()
	now, known := s.clock.Lower(began)
	if !known {
		_, _, sample, err := s.store.DueTimers(ctx, nil, time.Time{}, 0)
		if err != nil {
			return err
		}
		s.clock.Note(sample)
		now = sample.Database
	}
	until, next := now.Add(lookAhead), began.Add(lookEvery)
	rows, more, sample, err := s.store.DueTimers(ctx, buckets, until, lookLimit)
	if err != nil {
		return err
	}
	s.clock.Note(sample)
	if more {
		until, next = rows[len(rows)-1].Deadline, began.Add(lookAgain)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if holds != s.holds {
		return nil // other buckets are held by now: look again, at once
	}
	s.next, s.until = next, until
	ahead := make(deadlines, 0, len(rows)+len(s.armed))
	for _, r := range rows {
		ahead = append(ahead, deadline{r.Deadline, r.Key})
	}
	s.ahead = append(ahead, s.armed...)
	heap.Init(&s.ahead)
	return nil
}

// takeDue takes the machines out whose deadline has come, and returns how long it is to the next.
func (s *Scheduler) takeDue(host time.Time) ([]store.Key, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := max(0, s.next.Sub(host))
	now, known := s.clock.Lower(host)
	if !known {
		return nil, wait
	}
	var due []store.Key
	for len(s.ahead) > 0 && !s.ahead[0].at.After(now) {
		due = append(due, heap.Pop(&s.ahead).(deadline).key)
	}
	if len(s.ahead) > 0 {
		wait = min(wait, s.ahead[0].at.Sub(now))
	}
	return due, wait
}
