package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/api/apitest"
)

// client returns a client that holds every request and answer to the OpenAPI document.
func client(t *testing.T, p *process) *apitest.Client {
	t.Helper()
	return apitest.New(t, p.api)
}

// must does a request that has to succeed.
func must(t *testing.T, c *apitest.Client, method, path string, body any) map[string]json.RawMessage {
	t.Helper()
	res := c.Do(method, path, body)
	if res.Status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, res.Status, res.Body)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(res.Body, &fields); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, res.Body)
	}
	return fields
}

func register(t *testing.T, c *apitest.Client, name string) {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	must(t, c, "POST", "/v1/definitions/"+name+"/versions", document)
}

func create(t *testing.T, c *apitest.Client, id, definition string) map[string]json.RawMessage {
	t.Helper()
	return must(t, c, "POST", "/v1/machines", fmt.Sprintf(`{"id":%q,"definition":%q}`, id, definition))
}

func machine(t *testing.T, c *apitest.Client, id string) map[string]json.RawMessage {
	t.Helper()
	return must(t, c, "GET", "/v1/machines/"+id, nil)
}

// entry is what the tests look at in history.
type entry struct {
	Seq        int64
	Outcome    string
	EventID    string
	EventTime  time.Time
	LatenessMs *float64
	To         json.RawMessage
}

func history(t *testing.T, c *apitest.Client, id string) []entry {
	t.Helper()
	var all []entry
	for after := int64(0); ; {
		res := c.Do("GET", fmt.Sprintf("/v1/machines/%s/history?afterSeq=%d&limit=1000", id, after), nil)
		var page struct {
			Entries      []entry
			NextAfterSeq *int64
		}
		if err := json.Unmarshal(res.Body, &page); err != nil || res.Status != 200 {
			t.Fatalf("history of %s: %d %s", id, res.Status, res.Body)
		}
		all = append(all, page.Entries...)
		if page.NextAfterSeq == nil {
			return all
		}
		after = *page.NextAfterSeq
	}
}

// A server without any settings but where it lies: it makes a Postgres, works, is killed in the middle,
// and a deadline that passes while it is down counts as of when it was due.
func TestServerOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := []string{"DETENT_DATA_DIR=" + dir, "DETENT_ADDR=127.0.0.1:0"}
	p := start(t, "server", settings...)
	c := client(t, p)
	register(t, c, "deadlines")
	create(t, c, "m", "deadlines")
	eventually(t, "the first deadline fires", func() bool { return string(machine(t, c, "m")["value"]) == `"second"` })
	first := history(t, c, "m")[1]
	p.kill()

	p = start(t, "server", settings...)
	c = client(t, p)
	eventually(t, "the second deadline fires", func() bool { return string(machine(t, c, "m")["value"]) == `"over"` })
	all := history(t, c, "m")
	if len(all) != 3 {
		t.Fatalf("%d entries: %+v", len(all), all)
	}
	// Both deadlines are told by the definition: nothing that happened to the server moved them.
	if got := all[2].EventTime.Sub(first.EventTime); got != 2*time.Second {
		t.Errorf("the second deadline came %s after the first", got)
	}
	if err := p.stop(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
	if pid, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid")); err == nil {
		t.Errorf("Postgres still runs: %s", pid)
	}
}

func TestServerRefusesBadSettings(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"DETENT_LANES":           {"DETENT_LANES=many"},
		"DETENT_NONSENSE":        {"DETENT_NONSENSE=1"},
		"DETENT_LOG":             {"DETENT_LOG=loud", "DETENT_ADDR=127.0.0.1:0"},
		"address already in use": {"DETENT_DATABASE_URL=" + newDatabase(t), "DETENT_ADDR=" + occupied(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := launch(t, "server", settings...)
			<-p.done
			if p.err == nil || !strings.Contains(p.output(), name) {
				t.Errorf("ended with %v and said:\n%s", p.err, p.output())
			}
		})
	}
}
