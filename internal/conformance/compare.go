package conformance

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/detent-run/detent/internal/machine/value"
)

// Difference is the first place where an entry of the expectations and what was observed part.
type Difference struct {
	Entry     int // 0 after the start, n after step n
	Path      string
	Want, Got value.Value
}

// String returns the difference in one line.
func (d Difference) String() string {
	when := "after the start"
	if d.Entry > 0 {
		when = "after step " + strconv.Itoa(d.Entry)
	}
	return fmt.Sprintf("%s: %s: want %s, got %s", when, d.Path, shown(d.Want), shown(d.Got))
}

func shown(v value.Value) string {
	if v.IsAbsent() {
		return "nothing"
	}
	return v.String()
}

// Compare returns the first difference of every entry. It compares objects without regard to the order
// of their keys, numbers by what they are worth, a key that is absent like an empty list or object,
// an error's text only when it is data, and the actions of children actor by actor.
// Partial compares those keys only that an entry has, and no entry that is null.
func Compare(want, got []value.Value, partial bool) []Difference {
	var all []Difference
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			return append(all, Difference{Entry: i, Path: "entry", Got: got[i]})
		case partial && want[i].IsNull():
			continue
		case i >= len(got):
			return append(all, Difference{Entry: i, Path: "entry", Want: want[i]})
		case want[i].Kind() != value.Object:
			all = append(all, Difference{Entry: i, Path: "entry", Want: want[i], Got: got[i]})
			continue
		}
		if d := compareEntries(want[i], got[i], partial); d != nil {
			all = append(all, Difference{Entry: i, Path: d.path, Want: d.want, Got: d.got})
		}
	}
	return all
}

// difference is where two values part; nil when they do not.
type difference struct {
	path      string
	want, got value.Value
}

func (d *difference) below(key string) *difference {
	if d == nil {
		return nil
	}
	if d.path != "" {
		key += "." + d.path
	}
	return &difference{key, d.want, d.got}
}

// compareEntries compares two entries, or two children.
func compareEntries(want, got value.Value, partial bool) *difference {
	for _, key := range keysOf(want, got) {
		if partial && !want.Has(key) {
			continue
		}
		if d := compareKey(key, want, got); d != nil {
			return d.below(key)
		}
	}
	return nil
}

// compareKey compares what two entries have under one key.
func compareKey(key string, want, got value.Value) *difference {
	w, g := want.Get(key), got.Get(key)
	switch {
	case w.IsAbsent() && isEmpty(g), g.IsAbsent() && isEmpty(w):
		return nil
	case key == "error" && !isData(want, got):
		return nil // the text is XState's, or ours
	case key == "childActions":
		return compareByActor(w, g)
	case key == "children":
		return compareChildren(w, g)
	default:
		return compareValues(w, g)
	}
}

// isData reports whether the error of an entry came in from outside. An entry that does not say what
// kind its error is is judged by what was observed.
func isData(want, got value.Value) bool {
	kind := want.Get("errorKind")
	if kind.IsAbsent() {
		kind = got.Get("errorKind")
	}
	return kind.Text() == "data"
}

func compareChildren(want, got value.Value) *difference {
	if want.Kind() == value.Array || got.Kind() == value.Array {
		return compareValues(want, got)
	}
	for _, id := range keysOf(want, got) {
		w, g := want.Get(id), got.Get(id)
		if w.Kind() != value.Object || g.Kind() != value.Object {
			return (&difference{want: w, got: g}).below(id)
		}
		if d := compareEntries(w, g, false); d != nil {
			return d.below(id)
		}
	}
	return nil
}

// compareByActor compares the actions of children: how those of two actors mix means nothing.
func compareByActor(want, got value.Value) *difference {
	if want.Kind() != value.Array || got.Kind() != value.Array {
		return compareValues(want, got)
	}
	return compareValues(byActor(want), byActor(got))
}

func byActor(actions value.Value) value.Value {
	all := value.OfObject()
	for _, a := range actions.Elems() {
		actor := a.Get("actor").Text()
		own := append([]value.Value(nil), all.Get(actor).Elems()...)
		all = all.With(actor, value.OfArray(append(own, a)))
	}
	return all
}

// compareValues compares two values exactly.
func compareValues(want, got value.Value) *difference {
	switch {
	case want.IsAbsent() != got.IsAbsent():
		return &difference{want: want, got: got}
	case value.Equal(want, got):
		return nil
	case want.Kind() == value.Object && got.Kind() == value.Object:
		for _, key := range keysOf(want, got) {
			if d := compareValues(want.Get(key), got.Get(key)); d != nil {
				return d.below(key)
			}
		}
	case want.Kind() == value.Array && got.Kind() == value.Array:
		for i := range max(want.Len(), got.Len()) {
			if d := compareValues(elem(want, i), elem(got, i)); d != nil {
				return d.below(strconv.Itoa(i))
			}
		}
	}
	return &difference{want: want, got: got}
}

func elem(v value.Value, i int) value.Value {
	if i < v.Len() {
		return v.Elems()[i]
	}
	return value.Value{}
}

// keysOf returns the keys of two objects, each once.
func keysOf(a, b value.Value) []string {
	var keys []string
	for _, v := range []value.Value{a, b} {
		if v.Kind() != value.Object {
			continue
		}
		for i := range v.Len() {
			if key, _ := v.Member(i); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func isEmpty(v value.Value) bool {
	return v.IsNull() || (v.Len() == 0 && (v.Kind() == value.Array || v.Kind() == value.Object))
}
