package value

import (
	"math/rand/v2"
	"testing"
)

// similar returns a value that has much in common with v: some members and elements are others, are
// missing, or have been added.
func similar(r *rand.Rand, v Value) Value {
	if r.IntN(8) == 0 {
		return arbitrary(r, 2)
	}
	switch v.Kind() {
	case Array:
		var elems []Value
		for _, e := range v.Elems()[:r.IntN(v.Len()+1)] {
			elems = append(elems, similar(r, e))
		}
		return OfArray(elems)
	case Object:
		var members []Member
		for i := range v.Len() {
			key, x := v.Member(i)
			if r.IntN(8) > 0 {
				members = append(members, Member{key, similar(r, x)})
			}
			if r.IntN(12) == 0 {
				members = append(members, Member{arbitraryText(r), NullValue})
			}
		}
		return OfObject(members...)
	default:
		return v
	}
}

func TestReaderAgreesWithParse(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		v := arbitrary(r, 4)
		example := similar(r, v)
		text := v.AppendJSON(nil)
		reader := NewReader(text)
		got := reader.Value(example)
		if !reader.Done() {
			t.Fatalf("%s is refused, with the example %s", text, example)
		}
		clear(text)
		if !identical(got, v) {
			t.Fatalf("%s is read as %s, with the example %s", v, got, example)
		}
	}
}

// A text that Parse refuses is refused, and what is accepted is what Parse makes of it.
func TestReaderIsStrict(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	refused := 0
	for range 20_000 {
		v := arbitrary(r, 3)
		text := v.AppendJSON(nil)
		text[r.IntN(len(text))] = []byte("{}[],:\"\\0-e. \x00\xff")[r.IntN(15)]
		want, err := Parse(text)
		reader := NewReader(text)
		got := reader.Value(similar(r, v))
		switch {
		case err != nil && reader.Done():
			t.Fatalf("%q is read as %s, and should be refused: %v", text, got, err)
		case err != nil:
			refused++
		case reader.Done() && !identical(got, want):
			t.Fatalf("%q is read as %s, and is %s", text, got, want)
		}
	}
	if refused < 5000 {
		t.Errorf("only %d texts were bad: this proves little", refused)
	}
}

func TestReaderPieces(t *testing.T) {
	t.Parallel()
	const text = `{"a":"x\"y","n":-12,"skip":[{"b":"]}"},1],"last":true}`
	r := NewReader([]byte(text))
	r.Expect(`{"a":`)
	if got := r.Text(); got != `x"y` {
		t.Errorf("Text is %q", got)
	}
	if r.Next(`,"m":`) {
		t.Error("Next passes over what is not there")
	}
	r.Expect(`,"n":`)
	if got := r.Int(-12); got != -12 {
		t.Errorf("Int is %d", got)
	}
	r.Expect(`,"skip":`)
	if got := r.Raw(); got != `[{"b":"]}"},1]` {
		t.Errorf("Raw is %s", got)
	}
	r.Expect(`,"last":`)
	if got := r.Raw(); got != "true" || r.Done() {
		t.Errorf("Raw is %s, and the text is over: %t", got, r.Done())
	}
	if r.Expect("}"); !r.Done() {
		t.Error("the text is not over")
	}
}

func TestReaderStaysBad(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*Reader){
		"Expect": func(r *Reader) { r.Expect("[2") },
		"Text":   func(r *Reader) { r.Text() },
		"Int":    func(r *Reader) { r.Expect("["); r.Int(2) },
		"Raw":    func(r *Reader) { r.Expect("[1]"); r.Raw() },
		"Value":  func(r *Reader) { r.Expect("[1"); r.Value(Value{}) },
	} {
		r := NewReader([]byte("[1]"))
		if read(&r); !r.Bad() || r.Next("[") || r.Done() {
			t.Errorf("%s: what is not as expected is forgotten", name)
		}
	}
}

func TestReaderSharesWithTheExample(t *testing.T) {
	t.Parallel()
	text := snapshotLike()
	example, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	reader := NewReader(text)
	got := reader.Value(example)
	if got.shape() != example.shape() || got.Get("context").shape() != example.Get("context").shape() {
		t.Error("the shape is not the example's")
	}
}
