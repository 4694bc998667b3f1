package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/api/apitest"
	"github.com/detent-run/detent/internal/testdb"
)

func newDatabase(t *testing.T) string {
	t.Helper()
	return testdb.New(t, nil).URL
}

// occupied returns an address that somebody listens on.
func occupied(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// senders post events of known ids until they are stopped, and remember those that were acknowledged.
type senders struct {
	t        *testing.T
	api      atomic.Pointer[string]
	machines int
	stop     context.CancelFunc
	group    sync.WaitGroup
	mu       sync.Mutex
	acked    map[string][]string // event ids by machine
}

func startSenders(t *testing.T, api string, machines int) *senders {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &senders{t: t, machines: machines, stop: cancel, acked: map[string][]string{}}
	s.api.Store(&api)
	t.Cleanup(cancel)
	for n := range 4 {
		s.group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				s.send(ctx, fmt.Sprintf("e%d-%d", n, i))
			}
		})
	}
	return s
}

// send posts one event until it is acknowledged: the id makes that safe.
func (s *senders) send(ctx context.Context, eventID string) {
	id := fmt.Sprintf("m%d", rand.IntN(s.machines))
	for ctx.Err() == nil {
		if s.post(ctx, id, eventID) {
			s.mu.Lock()
			s.acked[id] = append(s.acked[id], "c:"+eventID)
			s.mu.Unlock()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (s *senders) post(ctx context.Context, id, eventID string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, *s.api.Load()+"/v1/machines/"+id+"/events", strings.NewReader(`{"type":"ADD"}`))
	if err != nil {
		s.t.Error(err)
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", eventID)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err == nil && res.StatusCode == http.StatusAccepted
}

// check stops sending, waits until everything is handled, and checks every promise about it: each
// acknowledged event is in history exactly once, in an order without gaps, and it was applied.
func (s *senders) check(c *apitest.Client) {
	s.t.Helper()
	s.stop()
	s.group.Wait()
	total := 0
	for i := range s.machines {
		id := fmt.Sprintf("m%d", i)
		acked := s.acked[id]
		total += len(acked)
		count := func() int {
			var context struct{ N int }
			if err := json.Unmarshal(machine(s.t, c, id)["context"], &context); err != nil {
				s.t.Fatal(err)
			}
			return context.N
		}
		eventually(s.t, "all acknowledged events of "+id+" are applied", func() bool { return count() >= len(acked) })
		seen := map[string]int{}
		for i, e := range history(s.t, c, id) {
			if e.Seq != int64(i)+1 {
				s.t.Fatalf("%s: entry %d has seq %d", id, i, e.Seq)
			}
			seen[e.EventID]++
		}
		for _, eventID := range acked {
			if seen[eventID] != 1 {
				s.t.Errorf("%s: event %s is in history %d times", id, eventID, seen[eventID])
			}
		}
	}
	if total == 0 {
		s.t.Error("no event was acknowledged at all")
	}
	s.t.Logf("%d events were acknowledged", total)
}

// The server is killed again and again under load, and started again on its own Postgres.
func TestServerKilledUnderLoad(t *testing.T) {
	t.Parallel()
	const machines, kills = 5, 4
	settings := []string{"DETENT_DATABASE_URL=" + newDatabase(t), "DETENT_WORKER=on", "DETENT_ADDR=127.0.0.1:0"}
	p := start(t, "server", settings...)
	c := client(t, p)
	register(t, c, "counter")
	for i := range machines {
		create(t, c, fmt.Sprintf("m%d", i), "counter")
	}
	load := startSenders(t, p.api, machines)
	for range kills {
		time.Sleep(time.Duration(200+rand.IntN(600)) * time.Millisecond)
		p.kill()
		p = start(t, "server", settings...)
		load.api.Store(&p.api)
	}
	load.check(client(t, p))
}

// A server without lanes and three workers: one is killed, one is frozen and thawed, one is stopped in
// order, and new ones join.
func TestWorkersComeAndGo(t *testing.T) {
	t.Parallel()
	const machines = 8
	database := "DETENT_DATABASE_URL=" + newDatabase(t)
	p := start(t, "server", database, "DETENT_ADDR=127.0.0.1:0")
	c := client(t, p)
	register(t, c, "counter")
	if res := c.Do("GET", "/readyz", nil); res.Status != http.StatusServiceUnavailable {
		t.Errorf("a server that no worker serves is %d", res.Status)
	}
	workers := []*process{start(t, "worker", database), start(t, "worker", database), start(t, "worker", database)}
	p.ready()
	for i := range machines {
		create(t, c, fmt.Sprintf("m%d", i), "counter")
	}
	owners := func() map[string]bool {
		seen := map[string]bool{}
		for i := range machines {
			seen[string(machine(t, c, fmt.Sprintf("m%d", i))["owner"])] = true
		}
		return seen
	}
	eventually(t, "the machines are shared out", func() bool { return len(owners()) > 1 && !owners()[""] })

	load := startSenders(t, p.api, machines)
	moves := func() {
		t.Helper()
		for i := range machines {
			id := fmt.Sprintf("m%d", i)
			before := string(machine(t, c, id)["seq"])
			eventually(t, id+" moves", func() bool { return string(machine(t, c, id)["seq"]) != before })
		}
	}
	moves()
	workers[0].kill()
	moves()
	workers[1].signal(syscall.SIGSTOP)
	moves()
	workers[1].signal(syscall.SIGCONT)
	eventually(t, "the thawed worker joins anew", func() bool { return strings.Count(workers[1].output(), "joined") == 2 })
	moves()
	if err := workers[2].stop(); err != nil {
		t.Errorf("a worker told to stop: %v", err)
	}
	moves()
	load.check(c)
}
