package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/detent-run/detent/internal/engine"
)

// request is a request that has been held to its row of the table: the query has known parameters
// only, each once and not empty, and the body is there and of a kind that the route takes.
type request struct {
	*http.Request
	route *route
	query url.Values
	body  []byte
	media string // the body's media type
}

// read holds the request to its route.
func (a *api) read(w *recorder, q *request) error {
	if path := q.URL.EscapedPath(); emptySegment(path) {
		return unknownRoute(path)
	}
	if err := q.readQuery(); err != nil {
		return err
	}
	return a.readBody(w, q)
}

func (q *request) readQuery() error {
	query, err := url.ParseQuery(q.URL.RawQuery)
	if err != nil {
		return invalidParameter("the query cannot be read: %v", err)
	}
	// Sorted, so that of several faults the same one is always told.
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch values := query[name]; {
		case !slices.Contains(q.route.query, name):
			return invalidParameter("query parameter %s is unknown: %s", shown(name), q.route.takes())
		case len(values) > 1:
			return invalidParameter("query parameter %q is given %d times", name, len(values))
		case values[0] == "":
			return invalidParameter("query parameter %q is empty", name)
		}
	}
	q.query = query
	return nil
}

func (rt *route) takes() string {
	if len(rt.query) == 0 {
		return rt.label() + " takes none"
	}
	return rt.label() + " takes " + strings.Join(rt.query, ", ")
}

// segment returns a parameter of the path as the caller meant it. What it may hold is the engine's to say.
func (q *request) segment(name string) string {
	raw := q.PathValue(name)
	text, err := url.PathUnescape(raw)
	if err != nil {
		return raw // net/http does not let such a path through
	}
	return text
}

// limit returns how many items the caller wants at most.
func (q *request) limit() (int, error) {
	text := q.query.Get("limit")
	if text == "" {
		return pageDefault, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || !digits(text) || n < 1 || n > pageMax {
		return 0, invalidParameter("limit %s: a limit is a whole number from 1 to %d", shown(text), pageMax)
	}
	return n, nil
}

// afterSeq returns the number of the entry after which history is read.
func (q *request) afterSeq() (int64, error) {
	text := q.query.Get("afterSeq")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !digits(text) {
		return 0, invalidParameter("afterSeq %s: a seq is a whole number from 0", shown(text))
	}
	return n, nil
}

// oneOf returns a parameter that has few values, or byDefault.
func (q *request) oneOf(name, byDefault string, values ...string) (string, error) {
	text := q.query.Get(name)
	if text == "" {
		return byDefault, nil
	}
	if !slices.Contains(values, text) {
		return "", invalidParameter("%s %s: it is one of %s", name, shown(text), strings.Join(values, ", "))
	}
	return text, nil
}

// timeout returns how long the caller wants to wait. One who does not wait has no use for it.
func (q *request) timeout(waits bool, byDefault time.Duration) (time.Duration, error) {
	text := q.query.Get("timeout")
	switch {
	case text == "" && waits:
		return byDefault, nil
	case text == "":
		return 0, nil
	case !waits:
		return 0, invalidParameter("timeout %s: this call does not wait for anything", shown(text))
	}
	d, err := time.ParseDuration(text)
	number := strings.TrimRight(text, "ms")
	if err != nil || !digits(number) || d <= 0 || d > maxWait {
		return 0, invalidParameter("timeout %s: a timeout is a whole number of ms, s or m, as in 500ms, and at most %d s", shown(text), maxWait/time.Second)
	}
	return d, nil
}

// idempotencyKey returns the key that makes the call repeatable, "" when there is none.
func (q *request) idempotencyKey() (string, error) {
	values := q.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 {
		return "", invalidKey("it is given %d times", len(values))
	}
	key := values[0]
	ok := len(key) >= 1 && len(key) <= maxKey
	for i := 0; ok && i < len(key); i++ {
		ok = key[i] > ' ' && key[i] < 0x7f
	}
	if !ok {
		return "", invalidKey("%s is not 1 to %d visible ASCII characters", shown(key), maxKey)
	}
	return key, nil
}

// waiting returns the context of a wait: it ends with the time, the caller, or the server, whichever is first.
func (q *request) waiting(timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(q.Context(), timeout)
	stopping, ok := ctx.Value(stoppingKey{}).(context.Context)
	if !ok {
		return ctx, cancel
	}
	detach := context.AfterFunc(stopping, cancel)
	return ctx, func() { detach(); cancel() }
}

func invalidParameter(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeInvalidParameter, Message: fmt.Sprintf(format, args...)}
}

func invalidKey(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeInvalidID, Message: "Idempotency-Key: " + fmt.Sprintf(format, args...)}
}

// digits reports whether the text is decimal digits only: no sign, no space, no other spelling.
func digits(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

// shown quotes a text of the caller's for a message, shortened.
func shown(text string) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%q... (%d bytes)", strings.ToValidUTF8(text[:most], "?"), len(text))
	}
	return fmt.Sprintf("%q", text)
}
