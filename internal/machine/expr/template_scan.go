package expr

import (
	"fmt"
	"strings"
)

// splitTemplate splits a text at its {{ expressions }}: there is one text more than there are
// sources, and they alternate. A fault is returned as its message.
func splitTemplate(text string) (texts, sources []string, fault string) {
	rest := text
	for {
		before, after, found := strings.Cut(rest, "{{")
		texts = append(texts, before)
		if !found {
			return texts, sources, ""
		}
		at := len(text) - len(after) - len("{{")
		end, open := closingBraces(after)
		if end < 0 {
			fault = fmt.Sprintf("the {{ at byte %d is not closed (a literal {{ is written {{ '{{' }})", at)
			if open != "" {
				fault = fmt.Sprintf("the {{ at byte %d is not closed: %s", at, open)
			}
			return nil, nil, fault
		}
		source := strings.TrimSpace(after[:end])
		if source == "" {
			return nil, nil, fmt.Sprintf("there is no expression in the {{ }} at byte %d", at)
		}
		sources = append(sources, source)
		rest = after[end+len("}}"):]
	}
}

// closingBraces returns where the }} of an expression stands, -1 when there is none. Braces of
// object literals, quotes and comments are passed over, so that {{ '}}' }} and {{ {a: {b: 1}} }} mean
// what they look like. open says what is open at the end, if that explains why there is no }}.
func closingBraces(text string) (end int, open string) {
	depth, braces := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			length := quoted(text[i:])
			if length < 0 {
				return -1, "the quote " + string(c) + " in it is open"
			}
			i += length - 1
		case strings.HasPrefix(text[i:], "/*"):
			length := strings.Index(text[i+2:], "*/")
			if length < 0 {
				return -1, "the comment /* in it is open"
			}
			i += length + 3
		case strings.HasPrefix(text[i:], "//"):
			length := strings.IndexByte(text[i:], '\n')
			if length < 0 {
				return -1, "a comment // goes on to the end of the line"
			}
			i += length
		case c == '{':
			depth, braces = depth+1, true
		case c == '}' && depth > 0:
			depth--
		case strings.HasPrefix(text[i:], "}}"):
			return i, ""
		}
	}
	if braces { // the first } of the }} has closed it
		return -1, "a brace { in it is open"
	}
	return -1, ""
}

// quoted returns the length of the quoted text at the beginning, -1 when it does not end.
func quoted(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote != '`':
			i++
		case text[i] == quote && quote == '`' && strings.HasPrefix(text[i+1:], "`"):
			i++ // a doubled backtick stands for itself
		case text[i] == quote:
			return i + 1
		}
	}
	return -1
}
