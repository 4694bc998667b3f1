package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/store"
)

// table is the timer table, ordered by deadline, and a lane that consumes what is delivered.
type table struct {
	rows   []store.TimerRow
	fired  map[string][]time.Duration // by machine: lateness of each of its timers
	looks  int
	down   bool
	during func() // called in the middle of a look; may be nil
}

func (s *table) DueTimers(_ context.Context, buckets []int16, until time.Time, limit int) ([]store.TimerRow, bool, clock.Sample, error) {
	s.looks++
	now := time.Now()
	sample := clock.Sample{Database: now, Sent: now, Received: now}
	if s.down {
		return nil, false, clock.Sample{}, errors.New("no connection")
	}
	if s.during != nil {
		s.during()
	}
	var found []store.TimerRow
	for _, r := range s.rows {
		if r.Deadline.After(until) {
			break
		}
		if slices.Contains(buckets, r.Key.Bucket()) {
			found = append(found, r)
		}
	}
	if len(found) > limit {
		return found[:limit], true, sample, nil
	}
	return found, false, sample, nil
}

func (s *table) add(rows ...store.TimerRow) {
	s.rows = append(s.rows, rows...)
	slices.SortStableFunc(s.rows, func(a, b store.TimerRow) int { return a.Deadline.Compare(b.Deadline) })
}

// consume fires the timers of the machines that are due, as a lane does.
func (s *table) consume(keys []store.Key) {
	now := time.Now()
	for _, k := range keys {
		s.rows = slices.DeleteFunc(s.rows, func(r store.TimerRow) bool {
			due := r.Key == k && !r.Deadline.After(now)
			if due {
				s.fired[k.Machine] = append(s.fired[k.Machine], now.Sub(r.Deadline))
			}
			return due
		})
	}
}

func allBuckets() []int16 {
	all := make([]int16, store.Buckets)
	for i := range all {
		all[i] = int16(i)
	}
	return all
}

func timer(machine string, at time.Time) store.TimerRow {
	return store.TimerRow{Key: store.Key{Namespace: store.Namespace, Machine: machine}, Deadline: at}
}

func start(t *testing.T, s *table) *Scheduler {
	t.Helper()
	s.fired = map[string][]time.Duration{}
	sched := New(s, &clock.Clock{}, s.consume, slog.New(slog.DiscardHandler))
	sched.Hold(allBuckets())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := sched.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return sched
}

// Every timer of a long time fires at its deadline exactly, whether it was in the table long before
// or was armed a moment ago.
func TestFiresOnTheDot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		s := &table{}
		random := rand.New(rand.NewPCG(1, 2))
		const timers = 500
		for i := range timers {
			s.add(timer(fmt.Sprintf("old-%d", i), begin.Add(time.Duration(random.Int64N(int64(time.Hour))))))
		}
		sched := start(t, s)
		for i := range timers {
			time.Sleep(time.Duration(random.Int64N(int64(10 * time.Second))))
			row := timer(fmt.Sprintf("new-%d", i), time.Now().Add(time.Duration(random.Int64N(int64(20*time.Second)))))
			s.add(row)
			sched.Armed([]store.TimerRow{row})
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if len(s.rows) != 0 || len(s.fired) != 2*timers {
			t.Fatalf("%d timers left, %d fired", len(s.rows), len(s.fired))
		}
		for machine, lateness := range s.fired {
			if len(lateness) != 1 || lateness[0] != 0 {
				t.Errorf("%s fired %d times, late by %v", machine, len(lateness), lateness)
			}
		}
	})
}

// A hint that got lost costs at most the time to the next look.
func TestLostHint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{}
		start(t, s)
		time.Sleep(lookEvery + lookEvery/2)
		s.add(timer("m", time.Now().Add(time.Millisecond)))
		time.Sleep(lookEvery)
		synctest.Wait()
		if late := s.fired["m"]; len(late) != 1 || late[0] > lookEvery {
			t.Fatalf("fired %v", late)
		}
	})
}

// What a broken connection delays fires as soon as the database answers again.
func TestSurvivesAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{down: true}
		start(t, s)
		due := time.Now().Add(time.Second)
		s.add(timer("m", due))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(s.fired) != 0 {
			t.Fatal("fired without a database")
		}
		s.down = false
		time.Sleep(retryAfter)
		synctest.Wait()
		if late := s.fired["m"]; len(late) != 1 || late[0] > 9*time.Second+retryAfter {
			t.Fatalf("fired %v", late)
		}
	})
}

// Timers of buckets that are held no longer are somebody else's.
func TestHoldsOnlyItsBuckets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{}
		sched := start(t, s)
		mine, other := timer("a", time.Now().Add(time.Second)), timer("b", time.Now().Add(time.Second))
		if mine.Key.Bucket() == other.Key.Bucket() {
			t.Fatal("the two machines lie in one bucket")
		}
		s.add(mine, other)
		sched.Hold([]int16{mine.Key.Bucket()})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if len(s.fired["a"]) != 1 || len(s.fired["b"]) != 0 {
			t.Fatalf("fired %v", s.fired)
		}
	})
}

// Buckets that come while a look at the others is under way are looked at as soon as it is over.
func TestHoldDuringALook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{fired: map[string][]time.Duration{}}
		mine := timer("a", time.Now().Add(time.Millisecond))
		s.add(mine)
		sched := New(s, &clock.Clock{}, s.consume, slog.New(slog.DiscardHandler))
		s.during = func() {
			s.during = nil
			sched.Hold([]int16{mine.Key.Bucket()})
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go sched.Run(ctx)
		time.Sleep(lookEvery / 2)
		synctest.Wait()
		if late := s.fired["a"]; len(late) != 1 || late[0] != 0 {
			t.Fatalf("fired %v", late)
		}
	})
}

// A look that the limit cuts off is followed by others until all is found.
func TestMoreThanOneLookCanTake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &table{}
		due := time.Now().Add(time.Second)
		for i := range lookLimit + 10 {
			s.rows = append(s.rows, timer(fmt.Sprint("m", i), due.Add(time.Duration(i)*time.Microsecond)))
		}
		delivered := 0
		sched := New(s, &clock.Clock{}, func(keys []store.Key) {
			delivered += len(keys)
			s.rows = s.rows[len(keys):]
		}, slog.New(slog.DiscardHandler))
		sched.Hold(allBuckets())
		for range 200 {
			wait, err := sched.FireOnce(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(max(wait, time.Millisecond))
		}
		if len(s.rows) != 0 || delivered != lookLimit+10 {
			t.Fatalf("%d left, %d delivered", len(s.rows), delivered)
		}
	})
}
