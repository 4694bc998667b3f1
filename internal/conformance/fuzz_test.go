package conformance_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
	"github.com/detent-run/detent/internal/machine/value"
)

// maxGrafts is how many places of a case are replaced at most.
const maxGrafts = 4

// FuzzCheck plays cases in which a few places hold what belongs elsewhere: parts of the same case, of
// another one, or odd scalars. The engine may refuse such a definition and a machine may fail, but nothing
// may panic, and no macrostep may break the engine's own contract.
func FuzzCheck(f *testing.F) {
	all := texts(f)
	for seed := range 500 {
		f.Add(uint16(seed), uint64(seed))
	}
	f.Fuzz(func(t *testing.T, which uint16, seed uint64) {
		r := rand.New(rand.NewPCG(seed, uint64(which)))
		v := all[int(which)%len(all)]
		for range 1 + r.IntN(maxGrafts) {
			donor := v
			if r.IntN(2) == 0 {
				donor = all[r.IntN(len(all))]
			}
			v = graft(v, r.IntN(count(v)), scion(r, donor))
		}
		cases, err := conformance.Read("input", strings.NewReader(v.String()))
		if err != nil {
			return // no longer a case
		}
		for _, c := range cases {
			if verdict := conformance.Check(c, strict); verdict.Stack != "" || conformance.BreaksContract(verdict.Fault) {
				t.Errorf("%v\n%s\n%s", verdict.Fault, verdict.Stack, v)
			}
		}
	})
}

// texts returns the hand-made cases as values.
func texts(f *testing.F) []value.Value {
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no case files: %v", err)
	}
	var all []value.Value
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		cases, err := value.Parse(text)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, cases.Elems()...)
	}
	return all
}

// odd is what people and programs put where it does not belong.
var odd = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `9223372036854775807`, `1e308`, `""`, `"."`, `"#"`, `"*"`, `"{{"`, `"{{ event.v }}"`, `[]`, `{}`, `[[]]`,
	`{"type": "final"}`, `{"type": "history"}`, `{"type": "parallel"}`, `"context.n"`, `"0"`, `{"target": ".", "reenter": true}`,
}

// scion returns what is put in: a part of the donor, or something odd.
func scion(r *rand.Rand, donor value.Value) value.Value {
	if r.IntN(3) > 0 {
		return at(donor, r.IntN(count(donor)))
	}
	v, err := value.Parse([]byte(odd[r.IntN(len(odd))]))
	if err != nil {
		panic(err)
	}
	return v
}

// parts returns the values directly inside v.
func parts(v value.Value) []value.Value {
	if v.Kind() == value.Array {
		return v.Elems()
	}
	var all []value.Value
	if v.Kind() == value.Object {
		for i := range v.Len() {
			_, x := v.Member(i)
			all = append(all, x)
		}
	}
	return all
}

// count returns how many values v consists of, itself included.
func count(v value.Value) int {
	n := 1
	for _, x := range parts(v) {
		n += count(x)
	}
	return n
}

// at returns the n-th value of v, in the order of the text.
func at(v value.Value, n int) value.Value {
	if n == 0 {
		return v
	}
	n--
	for _, x := range parts(v) {
		size := count(x)
		if n < size {
			return at(x, n)
		}
		n -= size
	}
	return v
}

// graft returns v with its n-th value replaced.
func graft(v value.Value, n int, by value.Value) value.Value {
	if n == 0 {
		return by
	}
	n--
	for i, x := range parts(v) {
		size := count(x)
		if n >= size {
			n -= size
			continue
		}
		x = graft(x, n, by)
		if v.Kind() == value.Object {
			key, _ := v.Member(i)
			return v.With(key, x)
		}
		elems := append([]value.Value(nil), v.Elems()...)
		elems[i] = x
		return value.OfArray(elems)
	}
	return v
}
