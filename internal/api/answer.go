package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// write sends an answer in JSON. It is encoded before anything is sent, so that an answer that cannot
// be encoded is still a problem and not half a body.
func write(w http.ResponseWriter, status int, answer any) error {
	body, err := encode(answer)
	if err != nil {
		return fmt.Errorf("encode %T: %w", answer, err)
	}
	send(w, status, "application/json", body)
	return nil
}

// encode leaves embedded JSON as it is: numbers keep their digits, and text is not escaped for HTML.
func encode(answer any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(answer)
	return b.Bytes(), err
}

// send writes a whole answer. What it says is true now and for one caller, so nobody keeps it; and
// nobody takes it for something that it is not.
func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller who left needs no answer
}

// list makes a list that is written as [] when it is empty, never as null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
