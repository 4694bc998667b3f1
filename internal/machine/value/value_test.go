package value

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"testing"
)

func TestZeroValues(t *testing.T) {
	t.Parallel()
	var v Value
	if !v.IsAbsent() || !v.IsNull() || v.Kind() != Absent || v.String() != "null" {
		t.Errorf("the zero Value is %s %s", v.Kind(), v)
	}
	if NullValue.IsAbsent() || !NullValue.IsNull() {
		t.Error("null is not absent")
	}
	for _, v := range []Value{{}, NullValue, OfBool(true), OfInt(1), OfText("x"), OfArray(nil)} {
		if !v.Get("a").IsAbsent() || v.Has("a") {
			t.Errorf("%s has a member", v)
		}
	}
	for _, v := range []Value{{}, NullValue, OfArray(nil), OfObject(), OfText("5")} {
		_, isNumber := v.Number()
		if v.Bool() || v.Int() != 0 || isNumber {
			t.Errorf("%s is a boolean or a number", v)
		}
	}
	if OfInt(1).Text() != "" || OfInt(1).Elems() != nil || OfInt(1).Len() != 0 {
		t.Error("a number has a text, elements or a length")
	}
}

func TestOfFloat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    float64
		kind Kind
		text string
	}{
		{0, Int, "0"},
		{math.Copysign(0, -1), Int, "0"},
		{3, Int, "3"},
		{-3, Int, "-3"},
		{1 << 53, Int, "9007199254740992"},
		{-(1 << 53), Int, "-9007199254740992"},
		{1<<53 + 2, Float, "9.007199254740994e+15"},
		{1e21, Float, "1e+21"},
		{1.5, Float, "1.5"},
		{-1e-7, Float, "-1e-7"},
		{1.25e-12, Float, "1.25e-12"},
		{math.MaxFloat64, Float, "1.7976931348623157e+308"},
		{math.SmallestNonzeroFloat64, Float, "5e-324"},
	} {
		v, err := OfFloat(c.f)
		if err != nil || v.Kind() != c.kind || v.String() != c.text {
			t.Errorf("%v is %s %s, %v; want %s %s", c.f, v.Kind(), v, err, c.kind, c.text)
		}
		if back, ok := v.Number(); !ok || back != c.f {
			t.Errorf("%v comes back as %v", c.f, back)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if v, err := OfFloat(f); !errors.Is(err, ErrNotFinite) || !v.IsAbsent() {
			t.Errorf("%v is %s, %v", f, v, err)
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	// Values of one row are equal to each other, and to none of another row.
	rows := [][]string{
		{`null`, ` null`},
		{`true`},
		{`false`},
		{`0`, `-0`, `0.0`, `0e5`},
		{`1`, `1.0`, `10e-1`},
		{`1.5`, `15e-1`},
		{`1000000000000000000`, `1e18`},
		{`1000000000000000001`}, // the same double as the row above
		{`9223372036854775807`},
		{`9223372036854775808.0`, `9.223372036854775808e18`}, // 2^63, just beyond an integer
		{`-9223372036854775808`, `-9223372036854775808.0`},
		{`""`},
		{`"0"`},
		{`"é"`, `"\u00e9"`},
		{`"e\u0301"`}, // the same letter, composed
		{`[]`},
		{`{}`},
		{`[1,2]`, `[1.0,2]`},
		{`[2,1]`},
		{`[1,2,null]`},
		{`{"a":1,"b":[{"c":2,"d":3}]}`, `{"b":[{"d":3,"c":2}],"a":1}`},
		{`{"a":1,"b":[{"c":2,"d":4}]}`},
		{`{"a":1,"b":null}`},
		{`{"a":1,"c":null}`},
		{`{"a":1}`},
	}
	for i, row := range rows {
		for j, other := range rows {
			for _, a := range row {
				for _, b := range other {
					if got := Equal(parsed(t, a), parsed(t, b)); got != (i == j) {
						t.Errorf("Equal(%s, %s) is %t", a, b, got)
					}
				}
			}
		}
	}
	if !Equal(Value{}, NullValue) || Equal(Value{}, OfBool(false)) {
		t.Error("absent counts as null, and as nothing else")
	}
}

func parsed(t *testing.T, text string) Value {
	t.Helper()
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestObjects(t *testing.T) {
	t.Parallel()
	v := OfObject(Member{"a", OfInt(1)}, Member{"b", OfInt(2)}, Member{"a", OfInt(3)})
	if v.String() != `{"a":3,"b":2}` {
		t.Errorf("of two members of one key the later value stands at the earlier place: %s", v)
	}
	w := v.With("b", NullValue).With("c", OfText("new"))
	if w.String() != `{"a":3,"b":null,"c":"new"}` || v.String() != `{"a":3,"b":2}` {
		t.Errorf("With gives %s and leaves %s", w, v)
	}
	if one, two := v.With("c", OfInt(1)), v.With("d", OfInt(2)); one.String() != `{"a":3,"b":2,"c":1}` || two.String() != `{"a":3,"b":2,"d":2}` {
		t.Errorf("two extensions of one object: %s and %s", one, two)
	}
	if x := OfInt(5).With("a", OfInt(1)); x.String() != `{"a":1}` {
		t.Errorf("With of a number gives %s", x)
	}
	if key, x := w.Member(2); key != "c" || x.Text() != "new" || w.Len() != 3 {
		t.Errorf("the member 2 of %d is %s %s", w.Len(), key, x)
	}
	var large Value
	for i := range 3 * indexFrom {
		key := strconv.Itoa(i % (2 * indexFrom))
		large = large.With(key, OfInt(int64(i)))
	}
	if large.Len() != 2*indexFrom || large.Get("0").Int() != 2*indexFrom || large.Get("20").Int() != 20 || large.Has("100") {
		t.Errorf("a large object: %s", large)
	}
	members := make([]Member, 3*indexFrom)
	for i := range members {
		members[i] = Member{strconv.Itoa(i % (2 * indexFrom)), OfInt(int64(i))}
	}
	if all := OfObject(members...); !Equal(all, large) {
		t.Errorf("built at once: %s\nbit by bit: %s", all, large)
	}
}

func TestMemberOfNoObject(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("Member of an array does not panic")
		}
	}()
	OfArray([]Value{NullValue}).Member(0)
}

// A Value stands in a struct that encoding/json reads and writes.
func TestWithinStructs(t *testing.T) {
	t.Parallel()
	var s struct {
		Data  Value `json:"data"`
		Other Value `json:"other"`
	}
	if err := json.Unmarshal([]byte(`{"data":{"n":9007199254740993,"b":1,"a":2}}`), &s); err != nil {
		t.Fatal(err)
	}
	if !s.Other.IsAbsent() {
		t.Errorf("what is not there is %s", s.Other.Kind())
	}
	out, err := json.Marshal(s)
	if want := `{"data":{"n":9007199254740993,"b":1,"a":2},"other":null}`; err != nil || string(out) != want {
		t.Errorf("got %s, %v; want %s", out, err, want)
	}
	if err := json.Unmarshal([]byte(`{"data":{"n":1,"n":2}}`), &s); err == nil {
		t.Error("a duplicate key is accepted")
	}
}
