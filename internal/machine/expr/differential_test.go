package expr

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	exprlang "github.com/expr-lang/expr"

	"github.com/detent-run/detent/internal/machine/value"
)

// TestDifferential holds the evaluator to its dumb twin, expr-lang's own virtual machine.
func TestDifferential(t *testing.T) {
	t.Parallel()
	context := parse(t, differentialContext)
	env := map[string]any{"context": toGo(context)}
	both, neither, refused := 0, 0, 0
	for seed := range uint64(30_000) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		source := g.expression(kind(g.IntN(int(kinds))), 4)
		theirs, theirErr := runTwin(source, env)
		if errors.Is(theirErr, errRefused) {
			refused++
			continue
		}
		ours, ourErr := runOurs(source, &Scope{Context: context})
		switch {
		case ourErr == nil && theirErr == nil:
			both++
			if twin, err := fromGo(theirs); err != nil || !closeTo(ours, twin) {
				t.Errorf("%s\n ours %s\ntwins %v (%v)", source, ours, theirs, err)
			}
		case ourErr != nil && theirErr != nil:
			neither++
		case ourErr != nil && !mentions(ourErr, stricter):
			t.Errorf("%s\n ours %v\ntwins %v", source, ourErr, theirs)
		case theirErr != nil && !mentions(theirErr, laxer):
			t.Errorf("%s\n ours %s\ntwins %v", source, ours, theirErr)
		}
	}
	t.Logf("both succeed %d times, both fail %d times, %d do not type-check", both, neither, refused)
	if both < 15_000 || neither < 1_000 {
		t.Errorf("the generator is too narrow: both succeed %d times, both fail %d times", both, neither)
	}
}

// stricter are our errors where expr-lang gives something: see the package comment.
var stricter = []string{
	"does not fit 64 bits",                    // it wraps
	"the range of numbers",                    // it gives infinities and NaN
	"division by zero",                        // the same
	"an integer is needed",                    // it cuts fractions off
	"a boolean is needed",                     // it does not look at the right side of && and ||
	"an array is needed",                      // it takes texts for arrays of bytes, and first, last and sort take anything
	"an array, an object or a text is needed", // get of a scalar is null
}

// laxer are errors of expr-lang where we give something.
var laxer = []string{
	"float64",       // a whole double is an integer for us
	"memory budget", // x in 1..n makes no array for us
}

func mentions(err error, any []string) bool {
	for _, a := range any {
		if strings.Contains(err.Error(), a) {
			return true
		}
	}
	return false
}

func runOurs(source string, s *Scope) (value.Value, error) {
	p, err := Compile(source, Context)
	if err != nil {
		return value.Value{}, err
	}
	return p.Eval(s)
}

// errRefused is the answer of expr-lang's type checker, which fails for parts that are never reached.
var errRefused = errors.New("refused by the type checker")

func runTwin(source string, env map[string]any) (result any, err error) {
	p, err := exprlang.Compile(source, exprlang.Env(env), exprlang.Optimize(false)) // the optimizer has errors of its own
	if err != nil {
		return nil, errRefused
	}
	return exprlang.Run(p, env)
}

// closeTo is Equal but for the rounding of doubles: expr-lang computes some integers as doubles.
func closeTo(a, b value.Value) bool {
	x, xok := a.Number()
	y, yok := b.Number()
	if xok && yok {
		return math.Abs(x-y) <= 1e-12*max(math.Abs(x), math.Abs(y))
	}
	if a.Kind() != b.Kind() || a.Len() != b.Len() {
		return false
	}
	switch a.Kind() {
	case value.Array:
		for i := range a.Elems() {
			if !closeTo(a.Elems()[i], b.Elems()[i]) {
				return false
			}
		}
		return true
	case value.Object:
		for i := range a.Len() {
			key, v := a.Member(i)
			if !b.Has(key) || !closeTo(v, b.Get(key)) {
				return false
			}
		}
		return true
	default:
		return value.Equal(a, b)
	}
}

// toGo gives a value as expr-lang takes it.
func toGo(v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		return v.Bool()
	case value.Int:
		return int(v.Int())
	case value.Float:
		f, _ := v.Number()
		return f
	case value.Text:
		return v.Text()
	case value.Array:
		out := make([]any, v.Len())
		for i, e := range v.Elems() {
			out[i] = toGo(e)
		}
		return out
	case value.Object:
		out := make(map[string]any, v.Len())
		for i := range v.Len() {
			key, x := v.Member(i)
			out[key] = toGo(x)
		}
		return out
	default:
		return nil
	}
}

// fromGo reads what expr-lang gives.
func fromGo(x any) (value.Value, error) {
	switch x := x.(type) {
	case nil:
		return value.NullValue, nil
	case bool:
		return value.OfBool(x), nil
	case int:
		return value.OfInt(int64(x)), nil
	case float64:
		return value.OfFloat(x)
	case string:
		return value.OfText(x), nil
	case []any:
		return fromSlice(x)
	case []int:
		return fromSlice(x)
	case []string:
		return fromSlice(x)
	case [2]any:
		return fromSlice(x[:])
	case [][2]any:
		return fromSlice(x)
	case map[string]any:
		var members []value.Member
		for key, e := range x {
			v, err := fromGo(e)
			if err != nil {
				return v, err
			}
			members = append(members, value.Member{Key: key, Value: v})
		}
		return value.OfObject(members...), nil
	case map[any]any:
		texts := make(map[string]any, len(x))
		for key, e := range x {
			texts[fmt.Sprint(key)] = e
		}
		return fromGo(texts)
	default:
		return value.Value{}, fmt.Errorf("a %T", x)
	}
}

func fromSlice[T any](xs []T) (value.Value, error) {
	out := make([]value.Value, len(xs))
	for i, x := range xs {
		var err error
		if out[i], err = fromGo(x); err != nil {
			return out[i], err
		}
	}
	return value.OfArray(out), nil
}
