package engine

import (
	"encoding/base64"
	"fmt"
	"strconv"
)

// Limits of pages.
const (
	defaultPage = 100
	maxPage     = 1000
)

func pageLimit(limit int) (int, error) {
	switch {
	case limit == 0:
		return defaultPage, nil
	case limit < 0 || limit > maxPage:
		return 0, &Error{Code: CodeInvalidParameter, Message: fmt.Sprintf("limit %d: from 1 to %d", limit, maxPage)}
	default:
		return limit, nil
	}
}

// cut shortens a list that was read one longer than asked for, and reports whether there is more.
func cut[T any](rows []T, limit int) ([]T, bool) {
	if len(rows) > limit {
		return rows[:limit], true
	}
	return rows, false
}

// A page token is the key of the last row of the page before, made unreadable so that nobody builds on it.
func makeToken(after string) string { return base64.RawURLEncoding.EncodeToString([]byte(after)) }

func readToken(token string) (string, error) {
	after, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(after) > 2*maxID {
		return "", badToken()
	}
	return string(after), nil
}

func readNumberToken(token string) (int, error) {
	text, err := readToken(token)
	if err != nil || text == "" {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, badToken()
	}
	return n, nil
}

func badToken() error {
	return &Error{Code: CodeInvalidParameter, Message: "pageToken: give the nextPageToken of the page before, unchanged"}
}
