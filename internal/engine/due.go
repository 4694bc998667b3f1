package engine

import "github.com/detent-run/detent/internal/store"

// dueMachines is machines whose timers are due, each once, in the order in which they were named: when
// more are due than a batch can take, none is passed over for ever.
type dueMachines struct {
	order []store.Key
	named map[store.Key]struct{}
}

func (d *dueMachines) add(k store.Key) {
	if _, again := d.named[k]; again {
		return
	}
	if d.named == nil {
		d.named = map[store.Key]struct{}{}
	}
	d.named[k] = struct{}{}
	d.order = append(d.order, k)
}

// take takes the first n out.
func (d *dueMachines) take(n int) []store.Key {
	n = min(n, len(d.order))
	taken := d.order[:n:n]
	d.order = d.order[n:]
	for _, k := range taken {
		delete(d.named, k)
	}
	return taken
}

// comeAgain names machines again whose due timers this batch leaves for the next: those that it does not
// come to, and those that have had their share.
func (l *Lane) comeAgain(decisions []decision, rest []*work) {
	var again []store.Key
	for _, w := range rest {
		if w.due {
			again = append(again, w.key)
		}
	}
	for i := range decisions {
		if decisions[i].leavesDue() {
			again = append(again, decisions[i].next.key)
		}
	}
	if len(again) > 0 {
		l.Due(again...)
	}
}

// fireAgain names machines again whose timers fired in a batch that was refused.
func (l *Lane) fireAgain(decisions []decision) {
	for i := range decisions {
		if decisions[i].lastFired != 0 {
			l.Due(decisions[i].next.key)
		}
	}
}

// leavesDue reports whether the machine has a timer that is due still.
func (d *decision) leavesDue() bool {
	timers := d.next.snapshot.Timers
	return d.next.status != statusSuspended && len(timers) > 0 && timers[0].Deadline <= d.work.processing
}
