package conformance

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// Verdict is how a case went.
type Verdict struct {
	Name        string
	Differences []Difference // the first one of every entry that has any
	Fault       error        // the case could not be played to its end
	Stack       string       // where the engine panicked, when it did
}

// Passed reports whether the engine did what the case expects.
func (v Verdict) Passed() bool { return v.Fault == nil && len(v.Differences) == 0 }

// maxShown is how many differences of a case are worth reading: the later ones follow from the first.
const maxShown = 3

// String returns what is wrong, a line for each difference.
func (v Verdict) String() string {
	var lines []string
	for i, d := range v.Differences {
		if i == maxShown {
			lines = append(lines, fmt.Sprintf("and %d entries more", len(v.Differences)-i))
			break
		}
		lines = append(lines, d.String())
	}
	if v.Fault != nil {
		lines = append(lines, v.Fault.Error())
	}
	return strings.Join(lines, "\n")
}

// ErrNoExpectations is the fault of a case that says nothing about what should happen.
var ErrNoExpectations = errors.New(`the case expects nothing: "expect" is missing or empty`)

// Check runs a case and compares. A panic of the engine is that case's fault.
func Check(c *Case, o Options) Verdict {
	v := Verdict{Name: c.Name}
	if len(c.Expect) == 0 {
		v.Fault = ErrNoExpectations
		return v
	}
	var got []value.Value
	v.Stack, v.Fault = guarded(func() (err error) {
		got, err = Run(c, o)
		return err
	})
	want := c.Expect
	if v.Fault != nil { // what was not reached any more is no difference
		want = want[:min(len(want), len(got))]
	}
	v.Differences = Compare(want, got, o.Partial)
	return v
}

// guarded makes an error of a panic, and returns where it happened.
func guarded(do func() error) (stack string, err error) {
	defer func() {
		if p := recover(); p != nil {
			stack, err = string(debug.Stack()), fmt.Errorf("panic: %v", p)
		}
	}()
	return "", do()
}
