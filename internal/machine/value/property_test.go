package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// arbitrary returns a random value that leans to what is hard: limits of numbers, escapes, large objects.
func arbitrary(r *rand.Rand, depth int) Value {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch r.IntN(kinds) {
	case 0:
		return NullValue
	case 1:
		return OfBool(r.IntN(2) == 0)
	case 2:
		return OfInt(int64(r.Uint64() >> r.IntN(64)))
	case 3:
		return OfInt(math.MinInt64 + int64(r.IntN(3)))
	case 4:
		return arbitraryFloat(r)
	case 5:
		return OfText(arbitraryText(r))
	case 6:
		elems := make([]Value, r.IntN(5))
		for i := range elems {
			elems[i] = arbitrary(r, depth-1)
		}
		return OfArray(elems)
	default:
		members := make([]Member, r.IntN(2*indexFrom))
		for i := range members {
			members[i] = Member{arbitraryText(r), arbitrary(r, depth-1)}
		}
		return OfObject(members...)
	}
}

func arbitraryFloat(r *rand.Rand) Value {
	for {
		if v, err := OfFloat(math.Float64frombits(r.Uint64())); err == nil {
			return v
		}
	}
}

func arbitraryText(r *rand.Rand) string {
	const letters = "ab\"\\/\b\f\n\r\t\x01\x1f\x7fé\u2028😀<"
	runes := []rune(letters)
	out := make([]rune, r.IntN(6))
	for i := range out {
		out[i] = runes[r.IntN(len(runes))]
	}
	return string(out)
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		v := arbitrary(r, 4)
		text := v.AppendJSON(nil)
		back, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !identical(v, back) || !Equal(v, back) {
			t.Fatalf("%s comes back as %s", text, back)
		}
		if !json.Valid(text) {
			t.Fatalf("encoding/json refuses %s", text)
		}
	}
}

// identical is a stricter Equal: the same kinds, and the same order of keys.
func identical(a, b Value) bool {
	if a.Kind() != b.Kind() || a.Len() != b.Len() {
		return false
	}
	switch a.Kind() {
	case Array:
		return slices.EqualFunc(a.Elems(), b.Elems(), identical)
	case Object:
		for i := range a.Len() {
			k, x := a.Member(i)
			l, y := b.Member(i)
			if k != l || !identical(x, y) {
				return false
			}
		}
		return true
	default:
		return a.num == b.num && a.Text() == b.Text()
	}
}

// Equal does not see the order of keys, at any depth.
func TestEqualIgnoresOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		v := arbitrary(r, 3)
		w := shuffled(r, v)
		if !Equal(v, w) || !Equal(w, v) {
			t.Fatalf("%s is not %s", v, w)
		}
		if v.Kind() == Object && v.Len() > 0 {
			key, _ := v.Member(r.IntN(v.Len()))
			other := w.With(key, OfArray([]Value{v.Get(key)}))
			if Equal(v, other) || Equal(other, v) {
				t.Fatalf("%s is %s", v, other)
			}
		}
	}
}

func shuffled(r *rand.Rand, v Value) Value {
	switch v.Kind() {
	case Array:
		elems := make([]Value, v.Len())
		for i, e := range v.Elems() {
			elems[i] = shuffled(r, e)
		}
		return OfArray(elems)
	case Object:
		members := make([]Member, v.Len())
		for i, j := range r.Perm(v.Len()) {
			key, x := v.Member(i)
			members[j] = Member{key, shuffled(r, x)}
		}
		return OfObject(members...)
	default:
		return v
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e3,true,null,"x\u00e9\ud83d\ude00\n"],"b":{}}`,
		`[1e400,9223372036854775808,-0,0.1e-7]`,
		`{"a":1,"\u0061":2}`,
		"\"\xff\"",
		`"\ud800\u0000"`,
		strings.Repeat("[", 20) + strings.Repeat("]", 20),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil {
			checkRefusal(t, text, err)
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is accepted, but no JSON", text)
		}
		once := v.AppendJSON(nil)
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, once, err)
		}
		if !identical(v, again) || !bytes.Equal(once, again.AppendJSON(nil)) {
			t.Fatalf("%q is written as %q, then as %q", text, once, again.AppendJSON(nil))
		}
	})
}

// checkRefusal holds a refusal to what encoding/json says: what is no JSON to us is none to it. The
// other codes are for texts that it takes.
func checkRefusal(t *testing.T, text []byte, err error) {
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("%q: %v", text, err)
	}
	if syntax.Offset < 0 || syntax.Offset > len(text) {
		t.Fatalf("%q: offset %d", text, syntax.Offset)
	}
	if syntax.Code == CodeInvalidJSON && json.Valid(text) {
		t.Fatalf("%q is JSON, but refused: %v", text, err)
	}
}

func TestWithAllIsWithOneAfterTheOther(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		v := arbitrary(r, 2)
		members := make([]Member, r.IntN(5))
		for i := range members {
			members[i] = Member{arbitraryText(r), arbitrary(r, 1)}
			if v.Kind() == Object && v.Len() > 0 && r.IntN(3) > 0 {
				members[i].Key, _ = v.Member(r.IntN(v.Len()))
			}
		}
		before, want := v.String(), v
		for _, m := range members {
			want = want.With(m.Key, m.Value)
		}
		if got := v.WithAll(members); !identical(got, want) || v.String() != before {
			t.Fatalf("%s becomes %s instead of %s", before, got, want)
		}
	}
}
