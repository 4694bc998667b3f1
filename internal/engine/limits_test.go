package engine

import (
	"fmt"
	"strings"
	"testing"
)

// What comes in as deep as the API allows can be kept in the context, and is read back.
func TestDeepestEventIsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("keeper", `{"machine": {"initial": "a", "context": {"x": null, "start": null}, "states": {"a": {"on": {
		"KEEP": {"actions": {"assign": {"x": "event.x"}}}, "PING": {"actions": {"assign": {"n": 1}}}}}}},
		"setup": {"context": {"start": "input"}}}`)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	body := fmt.Sprintf(`{"id":"a","definition":"keeper","input":%s}`, deep(999))
	if _, _, err := r.engine.Create(t.Context(), CreateRequest{Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
	l, _ := r.lane(nil)
	r.drain(l)
	r.send("a", "", fmt.Sprintf(`{"type":"KEEP","x":%s}`, deep(999)))
	r.drain(l)
	l, _ = r.replace(l) // which knows only what is stored
	r.send("a", "", `{"type":"PING"}`)
	r.drain(l)
	r.expect("a", statusActive, `"a"`)
	if want := fmt.Sprintf(`{"x":%s,"start":%s,"n":1}`, deep(999), deep(999)); string(r.view("a").Context) != want {
		t.Errorf("the context is %.80s...", r.view("a").Context)
	}
	r.checkFold("a")
}

// A machine that grows without end is stopped at the limit; its other events and its deadlines go on.
func TestMachineThatGrowsTooLarge(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.define("grower", `{"machine": {"initial": "a", "context": {"s": "0123456789", "n": 0}, "states": {"a": {"on": {
		"GROW": {"actions": {"assign": {"s": "context.s + context.s"}}}, "ADD": {"actions": {"assign": {"n": "context.n + 1"}}}}}}}}`)
	r.create("a", "grower")
	l, _ := r.lane(nil)
	for i := range 30 {
		r.send("a", fmt.Sprint("g", i), `{"type":"GROW"}`)
		r.send("a", fmt.Sprint("a", i), `{"type":"ADD"}`)
	}
	r.drain(l)
	v := r.view("a")
	if v.Status != statusActive || !strings.Contains(string(v.Context), `"n":30`) {
		t.Fatalf("%s with %d bytes of context", v.Status, len(v.Context))
	}
	outcomes := map[string]int{}
	for _, e := range r.history("a") {
		outcomes[e.Outcome]++
	}
	// 10 bytes doubled 18 times are 2.6 MB; the next doubling is too much, and so are all after it.
	if outcomes[outcomeApplied] != 1+18+30 || outcomes[outcomeDead] != 12 {
		t.Errorf("outcomes %v", outcomes)
	}
}
