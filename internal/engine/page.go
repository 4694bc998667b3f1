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

// readToken reads a token, which must hold what check accepts: whoever forges one is told so, and what
// it holds never reaches the database. "" is the first page.
func readToken(token string, check func(after string) bool) (string, error) {
	after, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || token != "" && !check(string(after)) {
		return "", &Error{Code: CodeInvalidParameter, Message: "pageToken: give the nextPageToken of the page before, unchanged"}
	}
	return string(after), nil
}

func readVersionToken(token string) (version int, err error) {
	_, err = readToken(token, func(after string) bool {
		n, err := strconv.ParseInt(after, 10, 32)
		version = int(n)
		return err == nil && n > 0
	})
	return version, err
}
