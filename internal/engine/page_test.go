package engine

import (
	"errors"
	"fmt"
	"strings"
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

// Pages of large things hold fewer of them, and lead to all.
func TestLargePages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("large", `{"machine": {"initial": "a", "context": {"s": ""}, "states": {"a": {"on": {
		"FILL": {"actions": {"assign": {"s": "event.s"}}}}}}}}`)
	const n = 12
	large := fmt.Sprintf(`{"type":"FILL","s":%q}`, strings.Repeat("x", 1_000_000))
	for i := range n {
		r.create(fmt.Sprint("m", i), "large")
		r.send(fmt.Sprint("m", i), "", large)
		r.send("m0", "", large)
	}
	l, _ := r.lane(nil)
	r.drain(l)

	token, pages, machines := "", 0, map[string]bool{}
	for more := true; more; more = token != "" {
		views, next, err := r.engine.Machines(t.Context(), MachineQuery{PageToken: token, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range views {
			machines[v.ID] = true
		}
		token, pages = next, pages+1
	}
	if pages != 2 || len(machines) != n {
		t.Errorf("%d machines in %d pages", len(machines), pages)
	}

	after, pages := int64(0), 0
	for more := true; more; pages++ {
		var entries []HistoryView
		var err error
		if entries, more, err = r.engine.History(t.Context(), "m0", after, 1000); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if after++; e.Seq != after {
				t.Fatalf("entry %d follows %d", e.Seq, after-1)
			}
		}
	}
	if after != n+2 || pages != 2 { // the start, and one event more than there are machines
		t.Errorf("%d entries in %d pages", after, pages)
	}
}
