package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/devdb"
)

// How long parts may take for what surrounds the measuring.
const (
	startWithin = 60 * time.Second
	stopWithin  = 30 * time.Second
)

// host is everything that runs: a Postgres, and the processes under test.
type host struct {
	settings settings
	dir      string
	programs string
	cluster  *devdb.Cluster
	sql      *pgx.Conn // for questions between the loads
	server   *process
	worker   *process // nil when the server runs the lanes
	progress io.Writer
}

// start makes a cluster in a temporary directory and builds the programs.
func (h *host) start(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "detent-bench-")
	if err != nil {
		return err
	}
	h.dir = dir
	// Postgres runs as another account when we are root: it has to get in.
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	h.programs = h.settings.programs
	if h.programs == "" {
		h.programs = dir
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", dir+"/", "./cmd/server", "./cmd/worker")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	return h.startPostgres(ctx)
}

// startPostgres starts the cluster twice: commit timestamps have to be asked for before the second start.
func (h *host) startPostgres(ctx context.Context) error {
	for _, again := range []bool{true, false} {
		cluster, err := devdb.Start(ctx, devdb.Options{Dir: filepath.Join(h.dir, "data"), Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		h.cluster = cluster
		if h.sql, err = pgx.Connect(ctx, cluster.URL()); err != nil {
			return err
		}
		if !again {
			break
		}
		if _, err := h.sql.Exec(ctx, `ALTER SYSTEM SET track_commit_timestamp = on`); err != nil {
			return err
		}
		h.stopPostgres()
	}
	// The questions are asked about millions of rows.
	_, err := h.sql.Exec(ctx, `SET work_mem = '256MB'`)
	return err
}

func (h *host) stopPostgres() {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	if h.sql != nil {
		_ = h.sql.Close(ctx) // what it was asked has been answered
		h.sql = nil
	}
	if h.cluster != nil {
		if err := h.cluster.Stop(ctx); err != nil {
			fmt.Fprintln(h.progress, "Postgres did not stop in order:", err)
		}
		h.cluster = nil
	}
}

// close stops everything and removes it.
func (h *host) close() {
	h.stopPrograms()
	home := h.dir
	if h.cluster != nil {
		home = h.cluster.Home()
	}
	h.stopPostgres()
	for _, dir := range []string{home, h.dir} {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(h.progress, "left behind:", err)
		}
	}
}

// startPrograms starts a server that runs the lanes, or one that leaves them to a worker beside it.
func (h *host) startPrograms(ctx context.Context, split bool) error {
	h.stopPrograms()
	lanes := "on"
	if split {
		lanes = "off"
	}
	var err error
	if h.server, err = startProcess(filepath.Join(h.programs, "server"), h.cluster.URL(), "DETENT_ADDR=127.0.0.1:0", "DETENT_WORKER="+lanes); err != nil {
		return err
	}
	if split {
		if h.worker, err = startProcess(filepath.Join(h.programs, "worker"), h.cluster.URL()); err != nil {
			return err
		}
	}
	return h.awaitReady(ctx)
}

func (h *host) stopPrograms() {
	for _, p := range []*process{h.worker, h.server} {
		if p != nil {
			p.stop()
		}
	}
	h.worker, h.server = nil, nil
}

// awaitReady waits until every bucket is held.
func (h *host) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if err := h.server.awaitAddress(ctx); err != nil {
		return err
	}
	for {
		c, err := dial(h.server.addr)
		if err == nil {
			status, _, err := c.do("GET", "/readyz", "", "", nil)
			c.close()
			if err == nil && status == 200 {
				return nil
			}
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("the server does not become ready: %w", err)
		}
	}
}

// lastWords is the end of what the programs have logged.
func (h *host) lastWords() string {
	var said string
	for _, p := range []*process{h.server, h.worker} {
		if p != nil {
			said += p.tail()
		}
	}
	return said
}

// process is a program under test.
type process struct {
	cmd    *exec.Cmd
	addr   string // host:port that a server listens on, once served is closed
	served chan struct{}
	read   chan struct{} // closed when its log has ended

	mu  sync.Mutex
	log bytes.Buffer
}

func startProcess(program, url string, environ ...string) (*process, error) {
	p := &process{cmd: exec.Command(program), served: make(chan struct{}), read: make(chan struct{})}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "DETENT_") {
			p.cmd.Env = append(p.cmd.Env, pair)
		}
	}
	p.cmd.Env = append(append(p.cmd.Env, "DETENT_DATABASE_URL="+url, "DETENT_LOG=warn"), environ...)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.listen(stderr)
	return p, nil
}

// listen keeps the log, and finds the address in it.
func (p *process) listen(stderr io.Reader) {
	defer close(p.read)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		line := lines.Text()
		if _, addr, ok := strings.Cut(line, "serving on http://"); ok && p.addr == "" {
			p.addr = addr
			close(p.served)
		}
		p.mu.Lock()
		if p.log.Len() < 1<<20 {
			p.log.WriteString(line + "\n")
		}
		p.mu.Unlock()
	}
}

func (p *process) awaitAddress(ctx context.Context) error {
	select {
	case <-p.served:
		return nil
	case <-p.read:
		return fmt.Errorf("the server ended\n%s", p.tail())
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *process) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.log.String()
	return text[max(0, len(text)-2000):]
}

// stop ends the process in order, or by force when that takes too long.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	kill := time.AfterFunc(stopWithin, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	<-p.read
	_ = p.cmd.Wait()
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
