package conformance_test

import (
	"os"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/conformance"
	"github.com/detent-run/detent/internal/machine/value"
)

// divergence is a case in which the engine knowingly does something else than XState.
type divergence struct {
	name    string
	why     string
	instead string // the expectations that hold for the engine, as JSON
}

// divergences is all of them. docs/divergences.md explains each.
var divergences = []divergence{}

// diverged returns the case with the expectations that hold for the engine.
func diverged(c *conformance.Case) *conformance.Case {
	for _, d := range divergences {
		if d.name != c.Name {
			continue
		}
		entries, err := value.Parse([]byte(d.instead))
		if err != nil {
			panic(d.name + ": " + err.Error())
		}
		own := *c
		own.Expect = entries.Elems()
		return &own
	}
	return c
}

// TestDivergencesAreReal holds the table to the engine: where it does what XState does after all, the
// entry must go.
func TestDivergencesAreReal(t *testing.T) {
	t.Parallel()
	for _, c := range handmade(t) {
		if own := diverged(c); own != c && conformance.Check(c, strict).Passed() {
			t.Errorf("%s passes as it is", c.Name)
		}
	}
}

// TestDivergencesAreDocumented holds docs/divergences.md to the table: the section about cases lists
// these and no others.
func TestDivergencesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/divergences.md")
	if err != nil {
		t.Fatal(err)
	}
	const heading = "\n## Cases\n"
	_, section, found := strings.Cut(string(text), heading)
	if !found {
		t.Fatalf("docs/divergences.md has no section %q", strings.TrimSpace(heading))
	}
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]string{} // case -> reason
	for line := range strings.Lines(section) {
		if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) == 4 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			documented[strings.Trim(cells[1], " `")] = strings.TrimSpace(cells[2])
		}
	}
	for _, d := range divergences {
		if documented[d.name] != d.why {
			t.Errorf("%s: docs/divergences.md says %q, the table says %q", d.name, documented[d.name], d.why)
		}
		delete(documented, d.name)
	}
	for name := range documented {
		t.Errorf("%s: documented, but not in the table", name)
	}
}
