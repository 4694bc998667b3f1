package engine

import (
	"errors"
	"testing"
)

// A token that nobody was given is refused with a reason, whatever is in it.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("order", orderDefinition)
	r.create("m", "order")
	lists := map[string]func(token string) error{
		"machines": func(token string) error {
			_, _, err := r.engine.Machines(t.Context(), MachineQuery{PageToken: token})
			return err
		},
		"definitions": func(token string) error {
			_, _, err := r.engine.Definitions(t.Context(), token, 0)
			return err
		},
		"versions": func(token string) error {
			_, _, err := r.engine.Versions(t.Context(), "order", token, 0)
			return err
		},
	}
	forged := map[string]string{
		"no base64": "=", "NUL": makeToken("\x00"), "no UTF-8": makeToken("\xff"), "no name": makeToken("../etc"),
	}
	for list, read := range lists {
		for name, token := range forged {
			var told *Error
			if err := read(token); !errors.As(err, &told) || told.Code != CodeInvalidParameter {
				t.Errorf("%s, %s: %v", list, name, err)
			}
		}
		if err := read(""); err != nil {
			t.Errorf("%s: the first page: %v", list, err)
		}
	}
	for _, version := range []string{"0", "-1", "2147483648", "99999999999999999", "x"} {
		var told *Error
		if err := lists["versions"](makeToken(version)); !errors.As(err, &told) || told.Code != CodeInvalidParameter {
			t.Errorf("below version %s: %v", version, err)
		}
	}
	if err := lists["versions"](makeToken("1")); err != nil {
		t.Errorf("below version 1: %v", err)
	}
}
