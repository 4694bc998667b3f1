package clock

import (
	"sync"
	"testing"
	"time"
)

// host returns the host's clock (with its monotonic part) so many milliseconds after some beginning.
func host(ms int) time.Time { return beginning.Add(time.Duration(ms) * time.Millisecond) }

// database returns the database's clock so many milliseconds after another one, years apart from the host's.
func database(ms int) time.Time {
	return time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

var beginning = time.Now()

func TestZeroClockKnowsNoTime(t *testing.T) {
	t.Parallel()
	var c Clock
	if at, known := c.Lower(host(0)); known {
		t.Errorf("lower bound %v", at)
	}
	if at, known := c.Upper(host(0)); known {
		t.Errorf("upper bound %v", at)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	var c Clock
	c.Note(Sample{Database: database(0), Sent: host(100), Received: host(130)})
	for _, step := range []struct{ now, lower, upper int }{
		{130, 0, 30},
		{131, 1, 31},
		{1130, 1000, 1030},
	} {
		lower, _ := c.Lower(host(step.now))
		upper, _ := c.Upper(host(step.now))
		if !lower.Equal(database(step.lower)) || !upper.Equal(database(step.upper)) {
			t.Errorf("at %d ms: from %v to %v, want %v to %v", step.now, lower, upper, database(step.lower), database(step.upper))
		}
	}
}

// TestBoundsHold: whenever in between the reading was really taken, the true time lies between the bounds.
func TestBoundsHold(t *testing.T) {
	t.Parallel()
	const sent, received = 100, 130
	for taken := sent; taken <= received; taken++ {
		var c Clock
		offset := -taken // the database's clock shows 0 when it is read
		c.Note(Sample{Database: database(0), Sent: host(sent), Received: host(received)})
		for now := received; now < received+200; now += 7 {
			truth := database(now + offset)
			lower, _ := c.Lower(host(now))
			upper, _ := c.Upper(host(now))
			if truth.Before(lower) || truth.After(upper) {
				t.Fatalf("read at %d ms: at %d ms it is %v, not between %v and %v", taken, now, truth, lower, upper)
			}
		}
	}
}

func TestNewestSampleCounts(t *testing.T) {
	t.Parallel()
	var c Clock
	newer := Sample{Database: database(-5000), Sent: host(300), Received: host(310)} // the database's clock went back
	for _, s := range []Sample{
		{Database: database(0), Sent: host(100), Received: host(110)},
		newer,
		{Database: database(200), Sent: host(290), Received: host(305)}, // came in late
		newer,
	} {
		c.Note(s)
	}
	if lower, _ := c.Lower(host(310)); !lower.Equal(newer.Database) {
		t.Errorf("lower bound %v, want %v", lower, newer.Database)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var c Clock
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				ms := 8*n + i
				c.Note(Sample{Database: database(ms), Sent: host(ms), Received: host(ms + 1)})
				if _, known := c.Lower(host(ms + 1)); !known {
					t.Error("no time after a sample")
				}
				if _, known := c.Upper(host(ms + 1)); !known {
					t.Error("no time after a sample")
				}
			}
		})
	}
	wg.Wait()
	if lower, _ := c.Lower(host(1600)); !lower.Equal(database(1599)) {
		t.Errorf("lower bound %v, want %v", lower, database(1599))
	}
}
