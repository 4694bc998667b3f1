package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/testdb"
)

// programs is where the programs under test are built: a folder that git ignores.
const programs = "../bin/e2e"

func TestMain(m *testing.M) {
	build := exec.Command("go", "build", "-o", programs+"/", "../cmd/server", "../cmd/worker")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	testdb.Main(m)
}

// patience is how long a process may take for something before its test fails.
const patience = 60 * time.Second

// process is a running program with its log.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	mu     sync.Mutex
	log    bytes.Buffer
	served chan string
	done   chan struct{}
	err    error  // how it ended, once done is closed
	api    string // base URL, once it serves
}

var serving = regexp.MustCompile(`serving on (http://\S+)`)

// start runs a program as launch does; a server has said its address when it returns.
func start(t *testing.T, name string, settings ...string) *process {
	t.Helper()
	p := launch(t, name, settings...)
	if name != "server" {
		return p
	}
	select {
	case p.api = <-p.served:
	case <-p.done:
		t.Fatalf("the server ended: %v\n%s", p.err, p.output())
	case <-time.After(patience):
		t.Fatal("the server does not serve")
	}
	return p
}

// launch runs a program with the given settings. Of the test's own DETENT_ variables it inherits only
// where Postgres's programs are.
func launch(t *testing.T, name string, settings ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(filepath.Join(programs, name)), served: make(chan string, 1), done: make(chan struct{})}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "DETENT_") || strings.HasPrefix(pair, "DETENT_POSTGRES_") {
			p.cmd.Env = append(p.cmd.Env, pair)
		}
	}
	p.cmd.Env = append(p.cmd.Env, settings...)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.follow(bufio.NewScanner(stderr))
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			p.mu.Lock()
			defer p.mu.Unlock()
			t.Logf("log of %s:\n%s", name, p.log.String())
		}
	})
	return p
}

func (p *process) follow(lines *bufio.Scanner) {
	for lines.Scan() {
		p.mu.Lock()
		fmt.Fprintln(&p.log, lines.Text())
		p.mu.Unlock()
		if m := serving.FindStringSubmatch(lines.Text()); m != nil {
			p.served <- m[1]
		}
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// kill ends the process as kill -9 does and waits until it is gone.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// stop ends the process as Ctrl-C does and returns how it ended.
func (p *process) stop() error {
	p.signal(syscall.SIGINT)
	select {
	case <-p.done:
		return p.err
	case <-time.After(patience):
		p.t.Error("the process does not stop")
		p.kill()
		return p.err
	}
}

func (p *process) signal(s syscall.Signal) {
	select {
	case <-p.done:
	default:
		if err := p.cmd.Process.Signal(s); err != nil {
			p.t.Logf("signal %s: %v", s, err)
		}
	}
}

// output returns the log so far.
func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// eventually waits until check holds.
func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !check() {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// ready waits until the API says that it is.
func (p *process) ready() {
	p.t.Helper()
	eventually(p.t, "ready", func() bool {
		ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.api+"/readyz", nil)
		if err != nil {
			p.t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}
