package expr

import "github.com/detent-run/detent/internal/machine/value"

// The limits of an expression's text.
const (
	// MaxSource is the length of an expression in bytes.
	MaxSource = 10_000
	// maxDepth is how deep the parts of an expression may nest. A chain of operators nests too.
	maxDepth = 500
	// maxNodes is how many parts an expression may have.
	maxNodes = 10_000
	// maxRegexp is the size of a regular expression in instructions of its matcher, about one for each character.
	maxRegexp = 2_000
)

// The limits of what the evaluations of one macrostep may do.
const (
	// MaxTicks is how often the predicates of collection functions may run in one macrostep.
	MaxTicks = 100_000
	// MaxWork is how many elements may be looked at by operators and functions without a predicate
	// in one macrostep. 16 bytes of text count as an element.
	MaxWork = 5_000_000
	// MaxMemory is how many bytes of arrays, objects and texts may be made in one macrostep.
	MaxMemory = 10_000_000
)

// maxResultDepth is how deep the arrays and objects of a result may nest. It is well below
// value.MaxDepth, so that a result can be put into a context or an event and still be read again.
const maxResultDepth = 500

// Budget bounds the work of all evaluations of one macrostep. The zero Budget is a fresh one.
type Budget struct {
	Ticks  int // runs of predicates, up to MaxTicks
	Work   int // elements looked at, up to MaxWork
	Memory int // bytes made, up to MaxMemory
}

// The sizes that Memory is counted in.
const (
	elemSize   = 24 // a value
	memberSize = 64 // a value, its key, and the place in an index
)

// tick counts one run of a predicate.
func (s *Scope) tick() error {
	if s.spent.Ticks >= MaxTicks {
		return failf("more than %d runs of predicates in one macrostep", MaxTicks)
	}
	s.spent.Ticks++
	return nil
}

// work counts n elements that are looked at.
func (s *Scope) work(n int) error {
	if n > MaxWork-s.spent.Work {
		return failf("more than %d elements looked at in one macrostep", MaxWork)
	}
	s.spent.Work += n
	return nil
}

// scan counts a text that is looked through.
func (s *Scope) scan(text string) error { return s.work(1 + len(text)/16) }

// charge counts n things of size bytes each that are about to be made.
func (s *Scope) charge(n, size int) error {
	if n > (MaxMemory-s.spent.Memory)/size {
		return failf("more than %d bytes of arrays, objects and texts made in one macrostep", MaxMemory)
	}
	s.spent.Memory += n * size
	return nil
}

// newArray returns an empty array's backing with room for n elements.
func (s *Scope) newArray(n int) ([]value.Value, error) {
	if err := s.charge(n, elemSize); err != nil {
		return nil, err
	}
	return make([]value.Value, 0, n), nil
}

// checkDepth refuses a value whose arrays and objects nest deeper than left.
func (s *Scope) checkDepth(v value.Value, left int) error {
	switch v.Kind() {
	case value.Array, value.Object:
	default:
		return nil
	}
	if left == 0 {
		return failf("the result nests deeper than %d arrays and objects", maxResultDepth)
	}
	if err := s.work(1 + v.Len()/8); err != nil {
		return err
	}
	for _, e := range v.Elems() {
		if err := s.checkDepth(e, left-1); err != nil {
			return err
		}
	}
	if v.Kind() == value.Object {
		for i := range v.Len() {
			_, e := v.Member(i)
			if err := s.checkDepth(e, left-1); err != nil {
				return err
			}
		}
	}
	return nil
}
