package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorded is a server that keeps the ids of the events that it gets, and sends every third request away.
type recorded struct {
	mu   sync.Mutex
	seen map[string]int // by machine and id
	n    int
}

func (s *recorded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n++; s.n%3 == 0 {
		w.WriteHeader(503)
		return
	}
	if machine, ok := strings.CutPrefix(r.URL.Path, "/v1/machines/"); ok {
		s.seen[strings.TrimSuffix(machine, "/events")+" "+r.Header.Get("Idempotency-Key")]++
		w.WriteHeader(202)
		return
	}
	var items []struct{ Machine, ID string }
	if err := json.Unmarshal(body, &items); err != nil {
		panic(err)
	}
	for _, it := range items {
		s.seen[it.Machine+" "+it.ID]++
	}
	_, _ = io.WriteString(w, `{"refused":0,"results":[]}`)
}

// What a load takes for acknowledged is just what the server acknowledged, each event under an id of its own.
func TestAcknowledged(t *testing.T) {
	t.Parallel()
	for _, batch := range []int{1, 7} {
		s := &recorded{seen: map[string]int{}}
		server := httptest.NewServer(s)
		defer server.Close()
		l := &load{tag: "t", connections: 3, batch: batch, first: 5, many: 2, duration: 50 * time.Millisecond}
		got, err := send(t.Context(), strings.TrimPrefix(server.URL, "http://"), l)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.acks) == 0 || len(got.acks) != len(s.seen) || len(got.took)*batch != len(got.acks) || got.busy != s.n/3 {
			t.Errorf("batches of %d: %d acknowledged in %d requests, %d arrived; %d of %d sent away", batch, len(got.acks), len(got.took), len(s.seen), got.busy, s.n)
		}
		for _, a := range got.acks {
			if id := machineID(a.machine) + " " + l.eventID(a.connection, a.no); s.seen[id] != 1 {
				t.Errorf("%s arrived %d times", id, s.seen[id])
			}
		}
	}
}

// An answer that is not the one expected ends the run.
func TestUnexpectedAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"refused":1,"results":[]}`)
	}))
	defer server.Close()
	l := &load{tag: "t", connections: 1, batch: 2, many: 1, duration: time.Minute}
	if _, err := send(t.Context(), strings.TrimPrefix(server.URL, "http://"), l); err == nil || !strings.Contains(err.Error(), `"refused":1`) {
		t.Errorf("got %v", err)
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	r := &report{rows: []*row{{Name: "a"}}, checks: []checked{{What: "b"}}}
	if err := r.verdict(); err != nil {
		t.Error(err)
	}
	r.rows[0].Lost, r.checks[0].Count = 1, 2
	if err := r.verdict(); err == nil || !strings.Contains(err.Error(), "a: 1 events lost or doubled; b: 2") {
		t.Errorf("got %v", err)
	}
}
