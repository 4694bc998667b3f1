package engine

import (
	"time"

	"github.com/detent-run/detent/internal/store"
)

// turns lets no machine keep a lane to itself. A batch has little time, deadlines come first in it, and
// the inbox is read from its oldest event on: a machine that always has a timer due, or has ten thousand
// events waiting, would leave nothing for those behind it. So a machine that has had its share while
// others waited sits out until they have had theirs.
type turns struct {
	resting map[store.Key]struct{} // have had their share in this round
	batches int                    // of this round
	past    time.Time              // when the lane last read past the resting
	cost    time.Duration          // and how long that took
}

// longestRound is how many batches a machine sits out at most: where more comes in than is done, a
// round would never end.
const longestRound = 8

// pastShare bounds the time that is spent on reading past long inboxes: one part in so many.
const pastShare = 4

// out returns the machines that sit out the next batch.
func (t *turns) out(now time.Time) []store.Key {
	if len(t.resting) == 0 || now.Sub(t.past) < (pastShare-1)*t.cost {
		return nil
	}
	out := make([]store.Key, 0, len(t.resting))
	for k := range t.resting {
		out = append(out, k)
	}
	return out
}

// readPast notes what it cost to read past those who sit out.
func (t *turns) readPast(began, now time.Time) { t.past, t.cost = now, now.Sub(began) }

// took notes which machines have more to do than their share. A batch that left nobody behind ends the round.
func (t *turns) took(decisions []decision, leftBehind bool) {
	t.batches++
	if !leftBehind || t.batches >= longestRound {
		*t = turns{past: t.past, cost: t.cost}
		return
	}
	for i := range decisions {
		if d := &decisions[i]; d.shared {
			if t.resting == nil {
				t.resting = map[store.Key]struct{}{}
			}
			t.resting[d.next.key] = struct{}{}
		}
	}
}

func (t *turns) rests(k store.Key) bool {
	_, rests := t.resting[k]
	return rests
}
