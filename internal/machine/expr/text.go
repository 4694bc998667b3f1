package expr

import (
	"math/bits"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// search evaluates an operator of two texts. Null on either side is an answer, false, and no error:
// so it is in expr-lang.
func (s *Scope) search(op string, a, b value.Value, found func(a, b string) bool) (value.Value, error) {
	if a.IsNull() || b.IsNull() {
		return value.OfBool(false), nil
	}
	for _, v := range [...]value.Value{a, b} {
		if v.Kind() != value.Text {
			return v, need("a text for "+op, v)
		}
		if err := s.scan(v.Text()); err != nil {
			return v, err
		}
	}
	return value.OfBool(found(a.Text(), b.Text())), nil
}

func (s *Scope) contains(a, b value.Value) (value.Value, error) {
	return s.search("contains", a, b, strings.Contains)
}

func (s *Scope) startsWith(a, b value.Value) (value.Value, error) {
	return s.search("startsWith", a, b, strings.HasPrefix)
}

func (s *Scope) endsWith(a, b value.Value) (value.Value, error) {
	return s.search("endsWith", a, b, strings.HasSuffix)
}

// matches compiles its pattern each time; a constant pattern is a *pattern node instead.
func (s *Scope) matches(a, b value.Value) (value.Value, error) {
	if a.IsNull() || b.IsNull() {
		return value.OfBool(false), nil
	}
	if b.Kind() != value.Text {
		return b, need("a text for matches", b)
	}
	if err := s.work(100 + 10*b.Len()); err != nil { // compiling costs far more than looking
		return b, err
	}
	re, err := compilePattern(b.Text())
	if err != nil {
		return b, err
	}
	return re.match(s, a)
}

// pattern is a compiled regular expression (RE2, as in Go) with the size that its use is charged by.
type pattern struct {
	re   *regexp.Regexp
	size int
}

func compilePattern(text string) (*pattern, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, failf("not a regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	size := patternSize(tree)
	if size > maxRegexp {
		return nil, failf("the regular expression is too large")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, failf("not a regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return &pattern{re: re, size: size}, nil
}

// patternSize estimates the instructions of a matcher without making it: a{1000} is four bytes of
// pattern and a thousand instructions. A class of characters is one, in which a range is searched for.
func patternSize(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)
	if tree.Op == syntax.OpCharClass {
		size = 1 + bits.Len(uint(len(tree.Rune)))
	}
	for _, sub := range tree.Sub {
		size += patternSize(sub)
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(tree.Max, tree.Min, 1)
	}
	return min(size, maxRegexp+1) // capped, so that nothing overflows above
}

func (p *pattern) match(s *Scope, v value.Value) (value.Value, error) {
	if v.IsNull() {
		return value.OfBool(false), nil
	}
	if v.Kind() != value.Text {
		return v, need("a text for matches", v)
	}
	// The matcher is linear in the text and in the pattern, at worst in their product.
	if err := s.work(1 + v.Len()*p.size/16); err != nil {
		return v, err
	}
	return value.OfBool(p.re.MatchString(v.Text())), nil
}

// matchConstant is `text matches 'pattern'`.
type matchConstant struct {
	at      span
	node    node
	pattern *pattern
}

func (m *matchConstant) eval(s *Scope) (value.Value, error) {
	v, err := m.node.eval(s)
	if err != nil {
		return v, err
	}
	v, err = m.pattern.match(s, v)
	return v, locate(err, m.at)
}
