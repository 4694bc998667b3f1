package expr

import (
	"errors"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/machine/value"
)

// parse reads the JSON of a test.
func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// sample is what the expressions of the tests see.
func sample(t testing.TB) *Scope {
	t.Helper()
	return &Scope{
		Context: parse(t, `{"n": 2, "f": 1.5, "s": "héllo", "xs": [3, 1, 2], "status": "paid", "max": 9223372036854775807, "big": 1e18,
			"items": [{"sku": "b", "qty": 2}, {"sku": "a", "qty": 1}, {"sku": "b", "qty": 5}], "o": {"z": 1, "a": {"b": null}}, "yes": true, "nothing": null}`),
		Event:  parse(t, `{"type": "PAY", "kind": "x", "amount": 250}`),
		Params: parse(t, `{"limit": 3}`),
		Input:  parse(t, `{"who": "ann"}`),
		Self:   parse(t, `{"id": "order-1"}`),
		Now:    1_700_000_000_000,
		InState: func(id string) (bool, error) {
			if id == "#nope" {
				return false, errors.New("there is no state #nope")
			}
			return id == "#open", nil
		},
		HasTag: func(tag string) bool { return tag == "busy" },
	}
}

// every is all names.
const every = Everywhere | Params | Input

func evaluate(t testing.TB, source string) (value.Value, error) {
	t.Helper()
	p, err := Compile(source, every)
	if err != nil {
		t.Fatalf("compile %s: %v", source, err)
	}
	return p.Eval(sample(t))
}

func TestEval(t *testing.T) {
	t.Parallel()
	for _, group := range evalTests {
		t.Run(group.about, func(t *testing.T) {
			t.Parallel()
			for _, tt := range group.tests {
				got, err := evaluate(t, tt[0])
				if err != nil {
					t.Errorf("%s: %v", tt[0], err)
				} else if got.String() != tt[1] {
					t.Errorf("%s = %s, want %s", tt[0], got, tt[1])
				}
			}
		})
	}
}

// evalTests are expressions with the JSON of what they give in sample.
var evalTests = []struct {
	about string
	tests [][2]string
}{
	{"names", [][2]string{
		{"context.n", "2"},
		{"event.type", `"PAY"`},
		{"params.limit + 1", "4"},
		{"input.who", `"ann"`},
		{"now", "1700000000000"},
		{"now()", "1700000000000"},
		{"self.id", `"order-1"`},
		{`inState("#open")`, "true"},
		{`inState("#" + "shut")`, "false"},
		{`hasTag("busy") && !hasTag("idle")`, "true"},
	}},
	{"arithmetic", [][2]string{
		{"1 + 2 * 3", "7"},
		{"6 / 2", "3"},
		{"7 / 2", "3.5"},
		{"7 % 3", "1"},
		{"-7 % 3", "-1"},
		{"6 / 2 % 2", "1"},
		{"2 ** 10", "1024"},
		{"2 ^ 62", "4611686018427387904"},
		{"3 ** 39", "4052555153018976267"},
		{"(-2) ** 63", "-9223372036854775808"},
		{"2 ** -1", "0.5"},
		{"2 ** 0.5", "1.4142135623730951"},
		{"0.1 + 0.2", "0.30000000000000004"},
		{"1.5 + 1.5", "3"},
		{"-context.f", "-1.5"},
		{"+context.n", "2"},
		{"context.max - 1", "9223372036854775806"},
		{"-(-context.max)", "9223372036854775807"},
		{"0x10 + 0b11 + 0o7 + 1_000", "1026"},
		{"'a' + 'b'", `"ab"`},
	}},
	{"comparison", [][2]string{
		{"1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 2", "true"},
		{"1 < 2 < 3", "true"},
		{"'a' < 'b'", "true"},
		{"1 == 1.0", "true"},
		{"context.big == 1000000000000000000", "true"},
		{"context.big < 1000000000000000001", "true"},
		{"context.max < 9223372036854775808.0", "true"},
		{"9007199254740993 > 9007199254740992.0", "true"},
		{"1 == '1'", "false"},
		{"context.missing == nil", "true"},
		{"context.nothing == context.missing", "true"},
		{"[1, {a: 2}] == [1.0, {'a': 2}]", "true"},
		{"{a: 1, b: 2} == {b: 2, a: 1}", "true"},
		{"{a: 1} == {b: 1}", "false"},
		{"context.n != 2", "false"},
	}},
	{"logic", [][2]string{
		{"true and not false or false", "true"},
		{"false && context.nothing.here", "false"},
		{"true || context.nothing.here", "true"},
		{"context.yes ? 1 : 2", "1"},
		{"if context.n > 5 { 'many' } else if context.n > 1 { 'some' } else { 'one' }", `"some"`},
		{"context.missing ?? 5", "5"},
		{"context.n ?? 5", "2"},
		{"let x = context.n * 2; let y = x + 1; x * y", "20"},
		{"(1; 2; 3)", "3"},
	}},
	{"access", [][2]string{
		{"context.missing", "null"},
		{"context['n']", "2"},
		{"context.xs[0]", "3"},
		{"context.xs[-1]", "2"},
		{"context.xs[1:]", "[1,2]"},
		{"context.xs[:-1]", "[3,1]"},
		{"context.xs[5:9]", "[]"},
		{"context.xs[2:1]", "[]"},
		{"context.nothing?.here", "null"},
		{"context.nothing?.here.and.there", "null"},
		{"context.nothing?.[0]", "null"},
		{"(context.nothing?.here) ?? 'none'", `"none"`},
		{"context.o.a.b", "null"},
		{"context.s[1]", `"é"`},
		{"context.s[1:3]", `"él"`},
		{"context.s[-2:]", `"lo"`},
		{"get(context.xs, 7)", "null"},
		{"get(context.nothing, 'x')", "null"},
		{"get(context, 'n')", "2"},
	}},
	{"membership", [][2]string{
		{"context.status in ['paid', 'shipped']", "true"},
		{"context.status not in ['paid', 'shipped']", "false"},
		{"2.0 in context.xs", "true"},
		{"'n' in context", "true"},
		{"'m' in context.nothing", "false"},
		{"context.n in 1..3", "true"},
		{"context.f in 1..3", "false"},
		{"context.s contains 'll'", "true"},
		{"context.s startsWith 'hé'", "true"},
		{"context.s endsWith 'x'", "false"},
		{"context.nothing contains 'x'", "false"},
		{"context.s matches '^h.l+o$'", "true"},
		{"context.s matches '^h' + '.+'", "true"},
		{"context.nothing matches 'x'", "false"},
	}},
	{"literals", [][2]string{
		{"[1, 'a', nil, true]", `[1,"a",null,true]`},
		{"{a: 1, 'b c': 2, (context.status): 3, 4: 5}", `{"a":1,"b c":2,"paid":3,"4":5}`},
		{"{z: 1, a: 2}", `{"z":1,"a":2}`},
		{"1..4", "[1,2,3,4]"},
		{"4..1", "[]"},
		{"'it\\'s\\n'", `"it's\n"`},
		{"`raw \\n`", `"raw \\n"`},
	}},
	{"predicates", [][2]string{
		{"all(context.xs, # > 0)", "true"},
		{"none(context.xs, # > 2)", "false"},
		{"any(context.items, .qty > 4)", "true"},
		{"one(context.items, .sku == 'a')", "true"},
		{"filter(context.items, .qty > 1) | map(.sku)", `["b","b"]`},
		{"map(context.xs, # * #index)", "[0,1,4]"},
		{"count(context.items, .sku == 'b')", "2"},
		{"count([true, false, true])", "2"},
		{"find(context.xs, # < 3)", "1"},
		{"find(context.xs, # > 3)", "null"},
		{"findIndex(context.xs, # < 3)", "1"},
		{"findLast(context.xs, # < 3)", "2"},
		{"findLastIndex(context.xs, # < 3)", "2"},
		{"findIndex(context.xs, # > 3)", "null"},
		{"sum(context.xs)", "6"},
		{"sum(context.items, .qty * 2)", "16"},
		{"sum([])", "0"},
		{"sum([0.5, 0.5])", "1"},
		{"reduce(context.xs, #acc + #)", "6"},
		{"reduce(context.xs, #acc + # * #index, 100)", "105"},
		{"reduce([], #acc + #, 7)", "7"},
		{"groupBy(context.items, .sku)", `{"b":[{"sku":"b","qty":2},{"sku":"b","qty":5}],"a":[{"sku":"a","qty":1}]}`},
		{"groupBy(context.xs, # > 1)", `{"true":[3,2],"false":[1]}`},
		{"sortBy(context.items, .qty) | map(.qty)", "[1,2,5]"},
		{"sortBy(context.items, .sku, 'desc') | map(.qty)", "[2,5,1]"},
		{"map(1..2, let x = #; map(1..2, x * 10 + #))", "[[11,12],[21,22]]"},
		{"map([1, 2], {let y = # + 1; y * y})", "[4,9]"},
		{"map(context.xs, any(context.items, .qty == 2) ? # : 0)", "[3,1,2]"},
	}},
	{"functions of numbers", [][2]string{
		{"abs(-3) + abs(3) + abs(-0.5)", "6.5"},
		{"[ceil(1.2), floor(-1.2), round(2.5), round(-2.5), round(7)]", "[2,-2,3,-3,7]"},
		{"[max(1, 3, 2), min([4, 2], 3), max([]), max([[1], [2.5]])]", "[3,2,null,2.5]"},
		{"[mean(1, 2, 3, 4), median(3, 1, 2), median(4, 1, 2, 3), mean([])]", "[2.5,2,2.5,0]"},
		{"[int(1.9), int(-1.9), int('42'), float('1.5'), float('2')]", "[1,-1,42,1.5,2]"},
		{"[bitand(6, 3), bitor(6, 3), bitxor(6, 3), bitnand(6, 3), bitnot(0)]", "[2,7,5,4,-1]"},
		{"[bitshl(1, 3), bitshr(-8, 1), bitushr(-1, 60), bitshl(1, 64)]", "[8,-4,15,0]"},
	}},
	{"functions of texts", [][2]string{
		{"[trim('  a '), trim('xax', 'x'), trimPrefix('abc', 'a'), trimSuffix('abc', 'c'), trimPrefix(' a')]", `["a","a","bc","ab","a"]`},
		{"[upper('é'), lower('ÀB')]", `["É","àb"]`},
		{"[split('a,b,c', ','), split('a,b,c', ',', 2), splitAfter('a,b', ','), split('héy', '')]", `[["a","b","c"],["a","b,c"],["a,","b"],["h","é","y"]]`},
		{"[replace('aaa', 'a', 'b'), replace('aaa', 'a', 'b', 2), replace('ab', '', '-')]", `["bbb","bba","-a-b-"]`},
		{"[repeat('ab', 2), repeat('', 9), repeat('x', 0)]", `["abab","",""]`},
		{"[join(['a', 'b']), join(['a', 'b'], ', ')]", `["ab","a, b"]`},
		{"[indexOf(context.s, 'l'), lastIndexOf(context.s, 'l'), indexOf('a', 'b')]", "[2,3,-1]"},
		{"[hasPrefix('ab', 'a'), hasSuffix('ab', 'a')]", "[true,false]"},
		{"[len(context.s), len(context.xs), len({a: 1})]", "[5,3,1]"},
		{"[string('a'), string(1), string(nil), string([1, 'a'])]", `["a","1","null","[1,\"a\"]"]`},
		{"toJSON({a: [1, nil]})", `"{\"a\":[1,null]}"`},
		{`fromJSON('{"a": [1.0, 2]}')`, `{"a":[1,2]}`},
		{"toBase64('héy') | fromBase64()", `"héy"`},
		{"[type(nil), type(true), type(1), type(1.5), type(''), type([]), type({})]", `["nil","bool","int","float","string","array","map"]`},
		{"date('2024-02-29T12:00:00.5+01:00') - date('2024-02-29')", "39600500"},
		{"date('9999-12-31T23:59:59.999Z') % 1000", "999"},
		{"'naïve' matches '^[\\\\pL\\\\pN]{1,64}$'", "true"},
		{"duration('1h30m') + duration('0.5ms')", "5400000.5"},
	}},
	{"functions of collections", [][2]string{
		{"[first(context.xs), last(context.xs), first([])]", "[3,2,null]"},
		{"[take(context.xs, 2), take(context.xs, 9), reverse(context.xs)]", "[[3,1],[3,1,2],[2,1,3]]"},
		{"concat([1], [2, 3], [])", "[1,2,3]"},
		{"flatten([1, [2, [3, []]], 4])", "[1,2,3,4]"},
		{"uniq([1, 1.0, 'a', 'a', nil, nil, [1], [1], {a: 1}, {a: 1}, true, 1000000000000000000, 1e18])", `[1,"a",null,[1],{"a":1},true,1000000000000000000]`},
		{"[sort(context.xs), sort(['b', 'a'], 'desc'), sort([2, 1.5, 9007199254740993, 9007199254740992.0])]", `[[1,2,3],["b","a"],[1.5,2,9007199254740992,9007199254740993]]`},
		{"[keys(context.o), values({z: 1, a: 2}), toPairs({z: 1})]", `[["z","a"],[1,2],[["z",1]]]`},
		{"fromPairs([['a', 1], ['b', 2], ['a', 3]])", `{"a":3,"b":2}`},
	}},
}

func TestEvalError(t *testing.T) {
	t.Parallel()
	tests := [][2]string{
		{"context.nothing.here", "context.nothing.here: `context.nothing` is null, it has no member `here`"},
		{"context.n + context.missing.here > 3", "context.n + context.missing.here > 3: context.missing.here: `context.missing` is null, it has no member `here`"},
		{"context.n.x", "context.n.x: `context.n` is the number 2, it has no member `x`"},
		{"1 + (context.missing)[0]", "1 + (context.missing)[0]: (context.missing)[0]: `context.missing` is null, it has no elements"},
		{"context.xs[3]", "context.xs[3]: the index 3 is out of range"},
		{"context.xs[0.5]", "context.xs[0.5]: an integer is needed here, not the number 0.5"},
		{"context[1]", "context[1]: a text for a key is needed here, not the number 1"},
		{"context.nothing?.a[0]", "context.nothing?.a[0]: `context.nothing?.a` is null, it has no elements"},
		{"context.nothing[1:]", "context.nothing[1:]: an array or a text is needed here, not null"},
		{"context.max + 1", "context.max + 1: 9223372036854775807 + 1 does not fit 64 bits"},
		{"0 - context.max - 2", "0 - context.max - 2: -9223372036854775807 - 2 does not fit 64 bits"},
		{"context.max * 2", "context.max * 2: 9223372036854775807 * 2 does not fit 64 bits"},
		{"2 ** 63", "2 ** 63: 2 ** 63 does not fit 64 bits"},
		{"-(0 - context.max - 1)", "-(0 - context.max - 1): -(-9223372036854775808) does not fit 64 bits"},
		{"1 / 0", "1 / 0: division by zero"},
		{"1 % 0", "1 % 0: division by zero"},
		{"0 ** -1", "0 ** -1: division by zero"},
		{"1e308 * 10", "1e308 * 10: the result is beyond the range of numbers"},
		{"(0 - 1) ** 0.5", "(0 - 1) ** 0.5: the result is beyond the range of numbers"},
		{"1.5 % 2", "1.5 % 2: an integer is needed here, not the number 1.5"},
		{"'a' + 1", "'a' + 1: + takes two numbers or two texts, not the text \"a\" and the number 1 (string(x) makes a text)"},
		{"context.nothing < 1", "context.nothing < 1: null and the number 1 cannot be compared: only two numbers or two texts can"},
		{"true < false", "true < false: the boolean true and the boolean false cannot be compared: only two numbers or two texts can"},
		{"context.n && true", "context.n && true: context.n: a boolean is needed here, not the number 2"},
		{"true && context.n", "true && context.n: context.n: a boolean is needed here, not the number 2"},
		{"!context.n", "!context.n: a boolean is needed here, not the number 2"},
		{"context.n ? 1 : 2", "context.n ? 1 : 2: context.n: a boolean is needed here, not the number 2"},
		{"-'a'", "-'a': a number for - is needed here, not the text \"a\""},
		{"1 in 'abc'", "1 in 'abc': an array or an object to look into is needed here, not the text \"abc\""},
		{"all(context.n, true)", "all(context.n, true): an array is needed here, not the number 2"},
		{"any(context.xs, #)", "any(context.xs, #): #: a boolean is needed here, not the number 3"},
		{"any(context.items, len(.qty) > 1)", "any(context.items, len(.qty) > 1): len(.qty): a text, an array or an object is needed here, not the number 2"},
		{"reduce([], #acc)", "reduce([], #acc): reduce of an empty array needs an initial value"},
		{"sort([1, 'a'])", "sort([1, 'a']): the text \"a\" and the number 1 cannot be compared: only two numbers or two texts can"},
		{"groupBy([[1]], #)", "groupBy([[1]], #): #: a text, a number or a boolean to group by is needed here, not an array"},
		{"{(context.status): 1, paid: 2}", "{(context.status): 1, paid: 2}: one key is there twice"},
		{"{(context.n): 1}", "{(context.n): 1}: context.n: a text for a key is needed here, not the number 2"},
		{"context.s matches context.status + '('", "context.s matches context.status + '(': not a regular expression: missing closing ): `paid(`"},
		{"int('x')", "int('x'): the text \"x\" is no integer of 64 bits"},
		{"float('NaN')", "float('NaN'): the result is beyond the range of numbers"},
		{"fromJSON('{')", "fromJSON('{'): not JSON: the text ends where JSON has a key in double quotes (at byte 1)"},
		{"fromBase64('//8=')", "fromBase64('//8='): the base64 holds bytes that are no text"},
		{"date('tomorrow')", "date('tomorrow'): the text \"tomorrow\" is neither an RFC 3339 time with an offset nor a day (2006-01-02)"},
		{"inState('#nope')", "inState('#nope'): there is no state #nope"},
		{"take(context.xs, -1)", "take(context.xs, -1): -1 elements cannot be taken"},
		{"fromPairs([1])", "fromPairs([1]): fromPairs takes pairs [text, value], not the number 1"},
	}
	for _, tt := range tests {
		got, err := evaluate(t, tt[0])
		if err == nil {
			t.Errorf("%s = %s, want an error", tt[0], got)
		} else if err.Error() != tt[1] {
			t.Errorf("%s\n got %s\nwant %s", tt[0], err, tt[1])
		}
	}
}

func TestEvalBool(t *testing.T) {
	t.Parallel()
	p, err := Compile("context.n", Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.EvalBool(sample(t))
	want := "context.n: the result is the number 2, a guard must give a boolean"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCompileError(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000)
	tests := []struct {
		source string
		names  Names
		offset int
		want   string
	}{
		{"paid", every, 0, "`paid` names nothing here; for a text write 'paid'"},
		{"contxt.n", every, 0, "`contxt` names nothing here: did you mean `context`? (for a text write 'contxt')"},
		{"1 + évent", every, 4, "`évent` names nothing here: did you mean `event`? (for a text write 'évent')"},
		{"context.x == null", every, 13, "`null` names nothing here: write nil"},
		{"params.n", Everywhere, 0, "`params` is not known here: it is known in the guards and actions of setup, which are given params"},
		{"input.n", Everywhere, 0, "`input` is not known here: it is known in setup.context and in the initial transition"},
		{"event.n", Context | Input, 0, "`event` is not known here: it is known where a machine handles an event"},
		{"inState('x')", Context, 0, "inState(...) is not known here: there is no configuration yet"},
		{"lenn(context.xs)", every, 0, "there is no function `lenn`: did you mean `len`?"},
		{"frobnicate(1)", every, 0, "there is no function `frobnicate`"},
		{"raw('x')", every, 0, "raw(...) is for templates in URLs, there is nothing to encode here"},
		{"countBy(context.items, .sku)", every, 23, "there is no function `countBy`: map over toPairs(groupBy(...)) instead"},
		{"len", every, 0, "`len` is a function: call it, as in len(...)"},
		{"context(1)", every, 0, "`context` is a value, not a function"},
		{"context.xs.size()", every, 0, "values have no methods: functions are called as f(x) or x | f()"},
		{"timezone('UTC')", every, 0, "timezone is not supported: times are numbers of milliseconds, which have none"},
		{"now(1)", every, 0, "now takes no time zone: it is a number of milliseconds"},
		{"len(1, 2)", every, 0, "len does not take 2 arguments"},
		{"b'x'", every, 0, "JSON has no bytes: write a text without the b"},
		{"$env.context", every, 0, "`$env` names nothing here; for a text write '$env'"},
		{"context.n = 1", every, 10, "unexpected `=`: == compares, and expressions assign nothing"},
		{"context.n === 1", every, 12, "unexpected `=`: == compares, and expressions assign nothing"},
		{"order shipped", every, 6, "unexpected `shipped` after a complete expression: a text needs quotes"},
		{"1 +", every, 2, "the expression ends where more is expected"},
		{"", every, 0, "there is no expression"},
		{"map(context.xs, {a: 1})", every, 18, "unexpected `:` (a predicate that is an object needs parentheses: ({a: 1}))"},
		{"'a\\x00'", every, 0, "a text cannot hold NUL or invalid UTF-8"},
		{"{a: 1, a: 2}", every, 7, "the key `a` is there twice"},
		{"'x' matches '('", every, 12, "not a regular expression: missing closing ): `(`"},
		{"'x' matches '((a{100}){10})b{999}{2}'", every, 12, "not a regular expression: invalid nested repetition operator: `{999}{2}`"},
		{"'x' matches '(abc){900}'", every, 12, "the regular expression is too large"},
		{"let context = 1; 2", every, 4, "`context` means something already, a variable needs another name"},
		{"let x = 1; let x = 2; x", every, 15, "the variable `x` is there already"},
		{"map([1], #foo)", every, 9, "there is no #foo: # is the element and #index its index"},
		{"map([1], #acc)", every, 9, "#acc is there in reduce only"},
		{strings.Repeat("x", MaxSource+1), every, 0, "the expression is longer than 10000 bytes"},
		{strings.Repeat("!", 2000) + "true", every, 0, "the expression has more than 10000 parts or nests deeper than 500"},
		{strings.Repeat("1<(", 300) + "1" + strings.Repeat("<2)", 300), every, 0, "the expression has more than 10000 parts or nests deeper than 500"},
		{deep + "+", every, 4001, "the expression ends where more is expected"},
	}
	for _, tt := range tests {
		_, err := Compile(tt.source, tt.names)
		var compile *CompileError
		if !errors.As(err, &compile) {
			t.Errorf("%.60s: got %v", tt.source, err)
		} else if compile.Message != tt.want || compile.Offset != tt.offset {
			t.Errorf("%.60s\n got %d %s\nwant %d %s", tt.source, compile.Offset, compile.Message, tt.offset, tt.want)
		}
	}
}

func TestStateIDs(t *testing.T) {
	t.Parallel()
	p, err := Compile(`inState("#a") || any(context.xs, inState('#b') && inState(#))`, Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.StateIDs(), " "); got != "#a #b" {
		t.Errorf("got %s", got)
	}
}
