package machine

import "slices"

// footprint is the trace of a microstep of one transition alone, where that is always the same.
type footprint struct {
	steps []Microstep // one

	// The names of its actions by the part of the microstep in which they run.
	exit, own, entry []string
}

// allKnown reports whether all the transitions have a footprint.
func allKnown(ts []*transition) bool {
	for _, t := range ts {
		if t.footprint == nil {
			return false
		}
	}
	return true
}

// album keeps the last traces that were put together of the footprints of several transitions: where
// regions take an event together, they tend to do it again.
type album struct {
	kept []snapped
	next int // the place of the oldest, once there are maxKept
}

type snapped struct {
	ts    []*transition
	steps []Microstep
}

// maxKept is how many traces an album keeps: all of them are looked at to find one.
const maxKept = 8

// trace returns the trace of a microstep of transitions that all have footprints. They come in document
// order: the last is left first, and entered last.
func (a *album) trace(ts []*transition) []Microstep {
	if len(ts) == 1 {
		return ts[0].footprint.steps
	}
	for i := range a.kept {
		if slices.Equal(a.kept[i].ts, ts) {
			return a.kept[i].steps
		}
	}
	if len(a.kept) < maxKept {
		a.kept = append(a.kept, snapped{})
	}
	k := &a.kept[a.next]
	a.next = (a.next + 1) % maxKept
	k.ts, k.steps = append(k.ts[:0], ts...), compose(ts)
	return k.steps
}

// compose makes one trace of the footprints of several transitions.
func compose(ts []*transition) []Microstep {
	size := 0
	for _, t := range ts {
		s := &t.footprint.steps[0]
		size += len(s.Transitions) + len(s.Exited) + len(s.Entered) + len(s.Actions)
	}
	p := make(page, 0, size)
	step := Microstep{
		Event:       ts[0].footprint.steps[0].Event,
		Transitions: p.forward(ts, func(f *footprint) []string { return f.steps[0].Transitions }),
		Exited:      p.backward(ts, func(f *footprint) []string { return f.steps[0].Exited }),
		Entered:     p.forward(ts, func(f *footprint) []string { return f.steps[0].Entered }),
	}
	actions := len(p)
	p.backward(ts, func(f *footprint) []string { return f.exit })
	p.forward(ts, func(f *footprint) []string { return f.own })
	p.forward(ts, func(f *footprint) []string { return f.entry })
	step.Actions = p[actions:]
	return []Microstep{step}
}

// page is the one array that the lists of a trace are slices of.
type page []string

// forward gathers a list of all transitions, and backward does so from the last one on.
func (p *page) forward(ts []*transition, list func(*footprint) []string) []string {
	start := len(*p)
	for _, t := range ts {
		*p = append(*p, list(t.footprint)...)
	}
	return (*p)[start:len(*p):len(*p)]
}

func (p *page) backward(ts []*transition, list func(*footprint) []string) []string {
	start := len(*p)
	for _, t := range slices.Backward(ts) {
		*p = append(*p, list(t.footprint)...)
	}
	return (*p)[start:len(*p):len(*p)]
}
