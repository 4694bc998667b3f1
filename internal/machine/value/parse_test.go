package value

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want string // as AppendJSON writes it
		kind Kind
	}{
		{`null`, `null`, Null},
		{` true `, `true`, Bool},
		{"\t\r\nfalse", `false`, Bool},
		{`0`, `0`, Int},
		{`-0`, `0`, Int},
		{`-0.0`, `0`, Int},
		{`1.0`, `1`, Int},
		{`1e3`, `1000`, Int},
		{`12345e-2`, `123.45`, Float},
		{`9223372036854775807`, `9223372036854775807`, Int},
		{`-9223372036854775808`, `-9223372036854775808`, Int},
		{`9007199254740993`, `9007199254740993`, Int},          // beyond 2^53, exact all the same
		{`9007199254740992.0`, `9007199254740992`, Int},        // 2^53
		{`9007199254740994.0`, `9.007199254740994e+15`, Float}, // a double that is whole keeps its exponent
		{`1e18`, `1e+18`, Float},
		{`0.1`, `0.1`, Float},
		{`1e-7`, `1e-7`, Float},
		{`1e-10`, `1e-10`, Float},
		{`0.000001`, `0.000001`, Float},
		{`5e-324`, `5e-324`, Float},
		{`1e-400`, `0`, Int}, // rounds to zero, as everywhere
		{`1.7976931348623157e308`, `1.7976931348623157e+308`, Float},
		{`""`, `""`, Text},
		{`"a\u0041\n\/\"\\"`, `"aA\n/\"\\"`, Text},
		{`"\u001f\u007f\u2028<>&"`, "\"\\u001f\u007f\u2028<>&\"", Text},
		{`"\ud83d\ude00 😀"`, `"😀 😀"`, Text},
		{`"\uD83D\uDE00"`, `"😀"`, Text},
		{`[]`, `[]`, Array},
		{` [ 1 , [ 2 ] , { } ] `, `[1,[2],{}]`, Array},
		{`{}`, `{}`, Object},
		{`{"b":1,"a":{"\u0062":null}}`, `{"b":1,"a":{"b":null}}`, Object},
		{`{"":""}`, `{"":""}`, Object},
	} {
		v, err := Parse([]byte(c.in))
		if err != nil || v.Kind() != c.kind || v.String() != c.want {
			t.Errorf("%s is %s %s, %v; want %s %s", c.in, v.Kind(), v, err, c.kind, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in      string
		code    string
		pointer string
		offset  int
		message string
	}{
		{``, CodeInvalidJSON, "", 0, `the text ends where JSON has a value`},
		{` `, CodeInvalidJSON, "", 1, `the text ends where JSON has a value`},
		{`{"a":1} x`, CodeInvalidJSON, "", 8, `unexpected 'x' where JSON has nothing after the value`},
		{`[1,]`, CodeInvalidJSON, "/1", 3, `unexpected ']' where JSON has a value`},
		{`[1 2]`, CodeInvalidJSON, "", 3, `unexpected '2' where JSON has ',' or ']' after an element of an array`},
		{`{"a":1,}`, CodeInvalidJSON, "", 7, `unexpected '}' where JSON has a key in double quotes`},
		{`{a:1}`, CodeInvalidJSON, "", 1, `unexpected 'a' where JSON has a key in double quotes`},
		{`{"a" 1}`, CodeInvalidJSON, "", 5, `unexpected '1' where JSON has ':' after a key`},
		{`{"a":{"b":[true,flase]}}`, CodeInvalidJSON, "/a/b/1", 16, `unexpected 'f' where JSON has a value`},
		{`nul`, CodeInvalidJSON, "", 0, `unexpected 'n' where JSON has a value`},
		{`nulll`, CodeInvalidJSON, "", 4, `unexpected 'l' where JSON has nothing after the value`},
		{`'a'`, CodeInvalidJSON, "", 0, `unexpected '\'' where JSON has a value`},
		{"\ufeff1", CodeInvalidJSON, "", 0, `unexpected '\ufeff' where JSON has a value`},
		{`01`, CodeInvalidJSON, "", 0, `a number has no leading zeros`},
		{`-`, CodeInvalidJSON, "", 1, `the text ends where JSON has a digit`},
		{`+1`, CodeInvalidJSON, "", 0, `unexpected '+' where JSON has a value`},
		{`1.`, CodeInvalidJSON, "", 2, `the text ends where JSON has a digit`},
		{`.5`, CodeInvalidJSON, "", 0, `unexpected '.' where JSON has a value`},
		{`1e+`, CodeInvalidJSON, "", 3, `the text ends where JSON has a digit`},
		{`NaN`, CodeInvalidJSON, "", 0, `unexpected 'N' where JSON has a value`},
		{`"a`, CodeInvalidJSON, "", 2, `the text ends inside the quotes that open at byte 0`},
		{`["a\n`, CodeInvalidJSON, "/0", 5, `the text ends inside the quotes that open at byte 1`},
		{`"\`, CodeInvalidJSON, "", 2, `the text ends inside an escape`},
		{`"\x41"`, CodeInvalidJSON, "", 1, `there is no escape \x`},
		{`"\u12g4"`, CodeInvalidJSON, "", 1, `\u is not followed by four hexadecimal digits`},
		{`"\u12"`, CodeInvalidJSON, "", 1, `\u is not followed by four hexadecimal digits`},
		{"\"a\nb\"", CodeInvalidJSON, "", 2, `the control character 0x0a must be escaped inside quotes`},
		{"\"\\t\tb\"", CodeInvalidJSON, "", 3, `the control character 0x09 must be escaped inside quotes`},
		{`{"x":1,"y":2,"x":3}`, CodeDuplicateKey, "/x", 13, `the key "x" is there twice`},
		{`{"x":1,"\u0078":3}`, CodeDuplicateKey, "/x", 7, `the key "x" is there twice`},
		{`[{"a/b":{"~":1,"~":2}}]`, CodeDuplicateKey, "/0/a~1b/~0", 15, `the key "~" is there twice`},
		{"[\"a\xff\"]", CodeInvalidUTF8, "", 3, `invalid UTF-8: byte 0xff`},
		{"\"\xed\xa0\x80\"", CodeInvalidUTF8, "", 1, `invalid UTF-8: byte 0xed`},
		{`{"k":"a\u0000"}`, CodeNUL, "/k", 7, `a NUL character (\u0000) is not allowed`},
		{"[\"a\x00\"]", CodeNUL, "/0", 3, `a NUL character is not allowed`},
		{"[\x00]", CodeNUL, "/0", 1, `a NUL character is not allowed`},
		{`"\ud800"`, CodeLoneSurrogate, "", 1, `the surrogate \ud800 has no partner`},
		{`"\ude00\ud83d"`, CodeLoneSurrogate, "", 1, `the surrogate \ude00 has no partner`},
		{`"\ud83d\u0041"`, CodeLoneSurrogate, "", 1, `the surrogate \ud83d has no partner`},
		{`{"n":[9223372036854775808]}`, CodeNumberRange, "/n/0", 6, `the integer 9223372036854775808 does not fit 64 bits`},
		{`-9223372036854775809`, CodeNumberRange, "", 0, `the integer -9223372036854775809 does not fit 64 bits`},
		{`1e400`, CodeNumberRange, "", 0, `the number 1e400 is beyond the range of a double`},
		{`-1.8e308`, CodeNumberRange, "", 0, `the number -1.8e308 is beyond the range of a double`},
	} {
		v, err := Parse([]byte(c.in))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q is accepted as %s", c.in, v)
			continue
		}
		if want := (SyntaxError{c.pointer, c.offset, c.code, c.message}); *syntax != want {
			t.Errorf("%q:\n got %+v\nwant %+v", c.in, *syntax, want)
		}
	}
}

func TestParseDepth(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := Parse(nested(MaxDepth)); err != nil {
		t.Errorf("%d deep: %v", MaxDepth, err)
	}
	_, err := Parse(nested(MaxDepth + 1))
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Code != CodeTooDeep || syntax.Offset != MaxDepth {
		t.Errorf("%d deep: %v", MaxDepth+1, err)
	}
	wide := []byte("[" + strings.Repeat("[[]],", 2*MaxDepth) + "[]]")
	if _, err := Parse(wide); err != nil {
		t.Errorf("depth is not given back: %v", err)
	}
}

// A duplicate is found on either side of the size from which keys have an index.
func TestParseDuplicatesInLargeObjects(t *testing.T) {
	t.Parallel()
	for n := range 3 * indexFrom {
		var b strings.Builder
		b.WriteByte('{')
		for i := range n {
			b.WriteString(`"` + strings.Repeat("k", i+1) + `":0,`)
		}
		last := strings.Repeat("k", n+1)
		if v, err := Parse([]byte(b.String() + `"` + last + `":1}`)); err != nil || v.Len() != n+1 || v.Get(last).Int() != 1 {
			t.Fatalf("%d keys: %v", n+1, err)
		}
		for i := range n {
			again := strings.Repeat("k", i+1)
			if _, err := Parse([]byte(b.String() + `"` + again + `":1}`)); err == nil {
				t.Fatalf("of %d keys, key %d is accepted twice", n, i)
			}
		}
	}
}

// The caller may use the bytes again once Parse has returned.
func TestParseKeepsNothingOfItsInput(t *testing.T) {
	t.Parallel()
	text := []byte(`{"key":["text",{"deep":"er"}]}`)
	v, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := v.String()
	for i := range text {
		text[i] = 'X'
	}
	if got := v.String(); got != want {
		t.Errorf("%s became %s", want, got)
	}
}

// An array of records has one shape.
func TestParseSharesShapes(t *testing.T) {
	t.Parallel()
	v, err := Parse([]byte(`[{"a":1,"b":2},{"a":3,"b":4},{"b":5,"a":6}]`))
	if err != nil {
		t.Fatal(err)
	}
	e := v.Elems()
	if e[0].shape() != e[1].shape() || e[1].shape() == e[2].shape() {
		t.Error("the first two objects, and only these, have one shape")
	}
}

func TestSyntaxErrorText(t *testing.T) {
	t.Parallel()
	_, err := Parse([]byte(`{"a":tru}`))
	if want := "unexpected 't' where JSON has a value (at byte 5, in /a)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = Parse([]byte(`tru`))
	if want := "unexpected 't' where JSON has a value (at byte 0)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
