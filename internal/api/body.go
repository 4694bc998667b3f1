package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/detent-run/detent/internal/engine"
)

// The media types of bodies. A body that names none is taken as the first.
var (
	jsonOnly  = []string{"application/json"}
	documents = []string{"application/json", "application/yaml", "application/x-yaml", "text/yaml"}
	batches   = []string{"application/json", "application/x-ndjson"}
)

// yaml reports whether the body is YAML.
func (q *request) yaml() bool { return q.media != jsonOnly[0] }

// lines reports whether the body is one JSON text on each line.
func (q *request) lines() bool { return q.media == "application/x-ndjson" }

// readBody reads the body that the route takes, and refuses one that it does not take.
func (a *api) readBody(w *recorder, q *request) error {
	if q.route.body == nil {
		if q.ContentLength != 0 {
			return invalidBody("%s takes no body", q.route.label())
		}
		return nil
	}
	media, err := mediaType(q.Header, q.route.body)
	if err != nil {
		return err
	}
	if q.ContentLength > a.maxBody {
		return a.tooLarge()
	}
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyWithin))
	// The connection's own writer: net/http closes a connection whose body it was told to give up.
	body, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, q.Body, a.maxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return a.tooLarge()
	case err != nil:
		return invalidBody("the body was cut off, or took longer than %d s", bodyWithin/time.Second)
	case len(body) == 0:
		return invalidBody("the body is empty: %s takes %s", q.route.label(), strings.Join(q.route.body, ", "))
	}
	// Only now: a deadline left over would end the handler's wait, and without one net/http would wait
	// for the rest of a body that was given up.
	_ = connection.SetReadDeadline(time.Time{})
	q.body, q.media = body, media
	return nil
}

// mediaType returns the body's media type. A missing one is the route's first; a wrong one is an
// error: what curl sends when nothing is said is a form, and guessing would hide a real mistake.
func mediaType(h http.Header, taken []string) (string, error) {
	if enc := h.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return "", unsupported("content encoding %s: send the body as it is", shown(enc))
	}
	given := h.Values("Content-Type")
	if len(given) == 0 {
		return taken[0], nil
	}
	list := strings.Join(taken, ", ")
	if len(given) > 1 {
		return "", unsupported("content type is given %d times: send one of %s", len(given), list)
	}
	media, params, err := mime.ParseMediaType(given[0])
	if err != nil || !slices.Contains(taken, media) {
		return "", unsupported("content type %s: send %s", shown(given[0]), list)
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return "", unsupported("content type %s: text is UTF-8", shown(given[0]))
	}
	return media, nil
}

func (a *api) tooLarge() error {
	return &engine.Error{Code: engine.CodeTooLarge, Message: fmt.Sprintf("the body is larger than the limit of %d bytes", a.maxBody)}
}

func invalidBody(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeInvalidBody, Message: fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &engine.Error{Code: codeUnsupportedMedia, Message: fmt.Sprintf(format, args...)}
}
