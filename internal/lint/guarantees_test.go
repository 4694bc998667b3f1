package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest    = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	declaredTest = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
)

// A promise that names a test which is gone is not proven any more.
func TestGuaranteesNameTestsThatExist(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declaredTest.FindAllSubmatch(text, -1) {
			declared[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	named := namedTest.FindAllSubmatch(doc, -1)
	if len(named) == 0 {
		t.Fatal("docs/guarantees.md names no tests")
	}
	for _, m := range named {
		if !declared[string(m[1])] {
			t.Errorf("docs/guarantees.md names %s, which does not exist: the promise beside it is not proven", m[1])
		}
	}
}
