package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/detent-run/detent/internal/machine/value"
	"go.yaml.in/yaml/v3"
)

// DecodeYAML reads a definition document in YAML 1.2's JSON-like part: one document of mappings with
// text keys, sequences and scalars. What would have no JSON, or would mean something else to another
// reader of YAML, is refused: anchors and aliases, merge keys, tags, numbers that JSON writes
// differently. on, yes and no are texts, and so is a date. The error is Faults, whose messages name
// the line.
func DecodeYAML(text []byte) (*Document, error) {
	y := yamlReader{lines: map[string]int{}}
	root := y.parse(text)
	if len(y.faults) > 0 {
		return nil, y.faults
	}
	v := y.value(root, "", 0)
	var doc *Document
	if len(y.faults) == 0 {
		doc = y.document(v)
	}
	if len(y.faults) == 0 {
		return doc, nil
	}
	for i, f := range y.faults {
		y.faults[i].Message += y.line(f.Pointer)
	}
	return nil, y.faults
}

// yamlReader turns nodes into values. lines has the line of each pointer.
type yamlReader struct {
	decoder
	lines map[string]int
}

// line tells the line of a pointer, or of the nearest value around it: a fault may be about a key that is not there.
func (y *yamlReader) line(pointer string) string {
	for {
		if n, ok := y.lines[pointer]; ok {
			return fmt.Sprintf(" (line %d)", n)
		}
		end := strings.LastIndexByte(pointer, '/')
		if end < 0 {
			return ""
		}
		pointer = pointer[:end]
	}
}

// parse returns the node of the only document in text, or leaves a fault.
func (y *yamlReader) parse(text []byte) *yaml.Node {
	if !utf8.Valid(text) {
		y.fault("", value.CodeInvalidUTF8, "the document is not valid UTF-8")
		return nil
	}
	// The library panics on events that it does not expect, and the text is anybody's.
	defer func() {
		if reason := recover(); reason != nil {
			y.fault("", CodeInvalidYAML, "not YAML: %v", reason)
		}
	}()
	var doc, next yaml.Node
	docs := yaml.NewDecoder(bytes.NewReader(text))
	switch err := docs.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		y.fault("", CodeInvalidYAML, "not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return nil
	}
	switch err := docs.Decode(&next); {
	case err == nil:
		y.fault("", CodeInvalidYAML, "a definition is one document, and another begins in line %d", next.Line)
	case !errors.Is(err, io.EOF):
		y.fault("", CodeInvalidYAML, "not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return doc.Content[0]
}

func (y *yamlReader) value(n *yaml.Node, at string, depth int) value.Value {
	if n == nil { // an empty text
		return value.NullValue
	}
	if _, isMember := y.lines[at]; !isMember { // of a member the line of the key counts
		y.lines[at] = n.Line
	}
	switch {
	case depth > value.MaxDepth:
		y.fault(at, value.CodeTooDeep, "mappings and sequences nest deeper than %d", value.MaxDepth)
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		y.fault(at, CodeInvalidYAML, "anchors and aliases are not allowed")
	case n.Style&yaml.TaggedStyle != 0:
		y.fault(at, CodeInvalidYAML, "the tag %s is not allowed; a text that looks like something else stands in quotes", clip(n.Tag))
	case n.Kind == yaml.MappingNode:
		return y.mapping(n, at, depth)
	case n.Kind == yaml.SequenceNode:
		elems := make([]value.Value, len(n.Content))
		for i, e := range n.Content {
			elems[i] = y.value(e, item(at, i), depth+1)
		}
		return value.OfArray(elems)
	case n.Style != 0:
		return y.yamlText(n.Value, at)
	default:
		return y.plain(n.Value, at)
	}
	return value.NullValue
}

func (y *yamlReader) mapping(n *yaml.Node, at string, depth int) value.Value {
	members := make([]value.Member, 0, len(n.Content)/2)
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		node := n.Content[i]
		key, ok := y.key(node, at)
		if !ok {
			continue
		}
		where := child(at, key)
		if seen[key] {
			y.fault(where, value.CodeDuplicateKey, "the key %q is there again in line %d", clip(key), node.Line)
			continue
		}
		seen[key] = true
		members = append(members, value.Member{Key: key, Value: y.value(n.Content[i+1], where, depth+1)})
	}
	return value.OfObject(members...)
}

// key reads a key, which is a text. A whole number is taken as the text that it is written as, since
// that is how everybody writes milliseconds under after.
func (y *yamlReader) key(n *yaml.Node, at string) (string, bool) {
	at, ok := y.descend(at, n.Value)
	if !ok {
		return "", false
	}
	if _, again := y.lines[at]; !again {
		y.lines[at] = n.Line
	}
	refuse := func(format string, args ...any) (string, bool) {
		y.fault(at, CodeInvalidYAML, format, args...)
		return "", false
	}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return refuse("anchors and aliases are not allowed")
	case n.Kind != yaml.ScalarNode:
		return refuse("a key is a text, not a mapping or sequence")
	case n.Style&yaml.TaggedStyle != 0:
		return refuse("the tag %s is not allowed", clip(n.Tag))
	case n.Style != 0:
		return n.Value, y.yamlText(n.Value, at).Kind() == value.Text
	case n.Value == "<<":
		return refuse("merge keys are not allowed")
	}
	switch x := y.plain(n.Value, at); {
	case x.Kind() == value.Text || (x.Kind() == value.Int && x.String() == n.Value):
		return n.Value, true
	default:
		return refuse("a key is a text; put %q into quotes", clip(n.Value))
	}
}

func (y *yamlReader) yamlText(s, at string) value.Value {
	if strings.IndexByte(s, 0) >= 0 {
		y.fault(at, value.CodeNUL, "a NUL character is not allowed")
		return value.NullValue
	}
	return value.OfText(s)
}

// plain reads a scalar without quotes, by YAML 1.2's core schema as far as JSON agrees with it.
func (y *yamlReader) plain(s, at string) value.Value {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return value.NullValue
	case "true", "True", "TRUE":
		return value.OfBool(true)
	case "false", "False", "FALSE":
		return value.OfBool(false)
	}
	if !looksNumeric(s) {
		return y.yamlText(s, at)
	}
	v, err := value.Parse([]byte(s))
	if err == nil {
		return v
	}
	var syntax *value.SyntaxError
	if errors.As(err, &syntax) && syntax.Code == value.CodeNumberRange {
		y.fault(at, syntax.Code, "%s", syntax.Message)
	} else {
		y.fault(at, CodeInvalidYAML, "%q is a number to some readers and a text to others; write the number as JSON does, or the text in quotes", clip(s))
	}
	return value.NullValue
}

// looksNumeric reports whether YAML 1.1 or 1.2 may take a plain scalar for a number (but for
// sexagesimals, which are times of day to everybody today).
func looksNumeric(s string) bool {
	s = strings.ToLower(strings.ReplaceAll(s, "_", ""))
	unsigned := strings.TrimLeft(s, "+-")
	if unsigned == ".inf" || unsigned == ".nan" {
		return true
	}
	if strings.Trim(s, "0123456789+-.e") == "" {
		_, err := strconv.ParseFloat(s, 64)
		return err == nil || errors.Is(err, strconv.ErrRange)
	}
	if len(unsigned) > 2 && unsigned[0] == '0' && radix(unsigned[1]) != 0 {
		_, err := strconv.ParseUint(unsigned[2:], radix(unsigned[1]), 64)
		return err == nil || errors.Is(err, strconv.ErrRange)
	}
	return false
}
