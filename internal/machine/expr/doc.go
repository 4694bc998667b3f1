// Package expr evaluates the expressions and templates of definitions.
//
// The language is expr-lang's (expr-lang.org): its parser reads the text, so that what its manual
// says about syntax and precedence holds. Its virtual machine is not used. It wraps integers
// silently, goes through reflection and boxes every value, bounds memory but not
// time, and some of its builtins read the clock, read the host's zone files, or answer in random
// order; each of these would break what the core promises: the same input gives the same bytes, on
// every host, in bounded time. So [Compile] turns the syntax tree into a tree of small nodes that
// evaluate themselves over [value.Value], and a usual guard costs some tens of nanoseconds and no
// allocation. The virtual machine serves the tests, as the dumb twin of this evaluator.
//
// # Where it differs from expr-lang
//
// Numbers. Integers have 64 bits and are exact; all other numbers are doubles; both mix freely and
// compare exactly. A double that is whole (up to 2^53) is an integer, so 6/2 is the integer 3, and
// type(1.0) is "int". + - * % and unary - are checked; / is that of doubles; ** of integers is
// exact where the result is an integer. Overflow, division by zero, NaN, infinities, and a
// fraction where an integer is needed are errors. bitand and its kin work on the 64-bit pattern.
//
// Texts. Indexes, slices, indexOf and lastIndexOf count characters, as len does, not bytes, and
// an index gives a text of one character. string(x), toJSON(x) and templates print
// compact JSON where expr-lang prints Go's notation or indents. A text never holds NUL or invalid UTF-8.
//
// Null. A field that is not there is null. A member, an index or a slice of null is an error unless
// it is asked for by ?. or get; < and its kin on null or on mixed kinds are errors.
//
// Objects. Keys are texts everywhere: groupBy turns numbers and booleans into text. keys, values,
// toPairs and groupBy keep the order of the object or of first appearance. One key twice in
// a literal is an error. == of arrays and objects compares values.
//
// Sorting is stable. Unary + takes numbers only. max, min, mean and median take numbers and
// arrays of them; first, last and get refuse what has no elements instead of giving null.
//
// Time. now and now() are the event time in epoch milliseconds. date(text) gives epoch
// milliseconds of an RFC 3339 time or of a day (midnight UTC), duration(text) gives milliseconds; both take
// nothing else. timezone is refused.
//
// Left out, and refused by Compile: byte literals, $env, methods.
//
// # Limits
//
// The length and the nesting of an expression are limited, so that a hostile one cannot exhaust the
// stack. Work is bounded by a [Budget] that all evaluations of a macrostep share: it counts
// every run of a predicate, every element and text that is looked through, and every byte that is made.
//
// # Determinism
//
// An evaluation reads its [Scope] and nothing else. No map is ranged over. Two things are left to the
// platform: ** with a fraction in it, and the last bit of a sum of doubles where a
// processor fuses operations; the code below contains none that a compiler may fuse.
//
// The package imports its sibling value and, alone in this program, expr-lang.
package expr
