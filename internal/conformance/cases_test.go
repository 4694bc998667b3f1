package conformance_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
)

// strict makes every case a case about purity and durability too.
var strict = conformance.Options{Strict: true}

// handmade returns the cases that were made by hand.
func handmade(t *testing.T) []*conformance.Case {
	t.Helper()
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	var all []*conformance.Case
	for _, file := range files {
		all = append(all, load(t, file)...)
	}
	return all
}

func load(t *testing.T, file string) []*conformance.Case {
	t.Helper()
	cases, err := conformance.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// TestHandmade holds the engine to what XState does in the cases that were made by hand, one feature each.
func TestHandmade(t *testing.T) {
	t.Parallel()
	cases := handmade(t)
	if len(cases) != 498 {
		t.Errorf("%d cases, expected 498", len(cases))
	}
	names := map[string]bool{}
	for _, c := range cases {
		if names[c.Name] {
			t.Errorf("two cases are called %s", c.Name)
		}
		names[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if v := conformance.Check(c, strict); !v.Passed() {
				t.Errorf("%s\n%s", v, v.Stack)
			}
		})
	}
}

// chunk is how many random cases make one test.
const chunk = 100

// TestRandom holds the engine to what XState does in random cases, where features meet that nobody
// would bring together.
func TestRandom(t *testing.T) {
	t.Parallel()
	cases := load(t, "testdata/random.jsonl.gz")
	if len(cases) != 2000 {
		t.Errorf("%d cases, expected 2000", len(cases))
	}
	first := 0
	for part := range slices.Chunk(cases, chunk) {
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
			t.Parallel()
			for _, c := range part {
				if v := conformance.Check(c, strict); !v.Passed() {
					t.Errorf("%s:\n%s\n%s", v.Name, v, v.Stack)
				}
			}
		})
		first += len(part)
	}
}
