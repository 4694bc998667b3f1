package expr

import "github.com/detent-run/detent/internal/machine/value"

// builtin is a function without a predicate. One of unary, binary and many is there for each number
// of arguments that it takes: those of one and two arguments are called without a slice of them.
type builtin struct {
	name     string
	unary    func(s *Scope, x value.Value) (value.Value, error)
	binary   func(s *Scope, x, y value.Value) (value.Value, error)
	many     func(s *Scope, args []value.Value) (value.Value, error)
	min, max int // of many; max 0 is no maximum
}

// accepts reports whether the function takes n arguments.
func (b *builtin) accepts(n int) bool {
	return (n == 1 && b.unary != nil) || (n == 2 && b.binary != nil) ||
		(b.many != nil && n >= b.min && (b.max == 0 || n <= b.max))
}

var builtins = []builtin{
	{name: "len", unary: length},
	{name: "type", unary: typeName},
	{name: "string", unary: toText},
	{name: "int", unary: toInteger},
	{name: "float", unary: toNumber},
	{name: "abs", unary: absolute},
	{name: "ceil", unary: ceil},
	{name: "floor", unary: floor},
	{name: "round", unary: round},
	{name: "max", many: maximum, min: 1},
	{name: "min", many: minimum, min: 1},
	{name: "mean", many: mean, min: 1},
	{name: "median", many: median, min: 1},
	{name: "bitand", binary: bitwise(func(x, y int64) int64 { return x & y })},
	{name: "bitor", binary: bitwise(func(x, y int64) int64 { return x | y })},
	{name: "bitxor", binary: bitwise(func(x, y int64) int64 { return x ^ y })},
	{name: "bitnand", binary: bitwise(func(x, y int64) int64 { return x &^ y })},
	{name: "bitshl", binary: shift(func(x int64, y uint64) int64 { return x << y })},
	{name: "bitshr", binary: shift(func(x int64, y uint64) int64 { return x >> y })},
	{name: "bitushr", binary: shift(func(x int64, y uint64) int64 { return int64(uint64(x) >> y) })},
	{name: "bitnot", unary: bitnot},

	{name: "trim", unary: trimSpace, binary: trim},
	{name: "trimPrefix", unary: trimPrefixSpace, binary: trimPrefix},
	{name: "trimSuffix", unary: trimSuffixSpace, binary: trimSuffix},
	{name: "upper", unary: upper},
	{name: "lower", unary: lower},
	{name: "split", many: split, min: 2, max: 3},
	{name: "splitAfter", many: splitAfter, min: 2, max: 3},
	{name: "replace", many: replace, min: 3, max: 4},
	{name: "repeat", binary: repeat},
	{name: "join", many: join, min: 1, max: 2},
	{name: "indexOf", binary: indexOf},
	{name: "lastIndexOf", binary: lastIndexOf},
	{name: "hasPrefix", binary: hasPrefix},
	{name: "hasSuffix", binary: hasSuffix},
	{name: "toJSON", unary: toJSON},
	{name: "fromJSON", unary: fromJSON},
	{name: "toBase64", unary: toBase64},
	{name: "fromBase64", unary: fromBase64},
	{name: "date", unary: date},
	{name: "duration", unary: duration},

	{name: "first", unary: first},
	{name: "last", unary: last},
	{name: "get", binary: get},
	{name: "take", binary: take},
	{name: "reverse", unary: reverse},
	{name: "concat", many: concat, min: 1},
	{name: "flatten", unary: flatten},
	{name: "uniq", unary: uniq},
	{name: "sort", many: sorted, min: 1, max: 2},
	{name: "keys", unary: keys},
	{name: "values", unary: values},
	{name: "toPairs", unary: toPairs},
	{name: "fromPairs", unary: fromPairs},
}

func lookupBuiltin(name string) *builtin {
	for i := range builtins {
		if builtins[i].name == name {
			return &builtins[i]
		}
	}
	return nil
}

// call1 is a call with one argument.
type call1 struct {
	at    span
	apply func(s *Scope, x value.Value) (value.Value, error)
	x     node
}

func (c *call1) eval(s *Scope) (value.Value, error) {
	x, err := c.x.eval(s)
	if err != nil {
		return x, err
	}
	v, err := c.apply(s, x)
	return v, locate(err, c.at)
}

// callN is a call with any number of arguments.
type callN struct {
	at    span
	apply func(s *Scope, args []value.Value) (value.Value, error)
	args  []node
}

func (c *callN) eval(s *Scope) (value.Value, error) {
	args := make([]value.Value, 0, len(c.args))
	for _, n := range c.args {
		v, err := n.eval(s)
		if err != nil {
			return v, err
		}
		args = append(args, v)
	}
	v, err := c.apply(s, args)
	return v, locate(err, c.at)
}

// inState asks the scope whether a state is active.
func inState(s *Scope, id value.Value) (value.Value, error) {
	if id.Kind() != value.Text {
		return id, need("the id of a state as a text", id)
	}
	if s.InState == nil {
		return id, failf("there is no configuration here to ask")
	}
	active, err := s.InState(id.Text())
	if err != nil {
		return id, failf("%s", err)
	}
	return value.OfBool(active), nil
}

// hasTag asks the scope whether an active state has a tag.
func hasTag(s *Scope, tag value.Value) (value.Value, error) {
	if tag.Kind() != value.Text {
		return tag, need("a tag as a text", tag)
	}
	if s.HasTag == nil {
		return tag, failf("there is no configuration here to ask")
	}
	return value.OfBool(s.HasTag(tag.Text())), nil
}
