package syntax

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs the scripts in testdata. Each decodes documents and shows what they are read as, or
// their faults:
//
//	json, yaml   a whole document
//	states       the states of a machine whose initial one is "a", in YAML
//	duration     a duration literal per line
//	nearest      known names on the first line, unknown ones on the others
func TestScripts(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, c *datadriven.TestData) string {
			switch c.Cmd {
			case "json":
				return show(DecodeJSON([]byte(c.Input)))
			case "yaml":
				return show(DecodeYAML([]byte(c.Input)))
			case "states":
				indented := strings.ReplaceAll(c.Input, "\n", "\n  ")
				return show(DecodeYAML([]byte("initial: a\nstates:\n  " + indented)))
			case "duration":
				return eachLine(c.Input, showDuration)
			case "nearest":
				first, rest, _ := strings.Cut(c.Input, "\n")
				known := strings.Fields(first)
				return eachLine(rest, func(name string) string { return fmt.Sprintf("%s -> %q", name, Nearest(name, known)) })
			default:
				c.Fatalf(t, "there is no command %q", c.Cmd)
				return ""
			}
		})
	})
}

func show(doc *Document, err error) string {
	if err == nil {
		return dump(doc)
	}
	var faults Faults
	if !errors.As(err, &faults) || doc != nil {
		return "not faults: " + err.Error()
	}
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "%s at %q\n  %s\n", f.Code, f.Pointer, f.Message)
	}
	return b.String()
}

func eachLine(input string, do func(string) string) string {
	var b strings.Builder
	for line := range strings.Lines(input) {
		b.WriteString(do(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}

func showDuration(text string) string {
	micros, err := ParseDuration(text)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s = %d µs", text, micros)
}
