package devdb

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// holdVariable makes the test binary a process that uses the cluster of the directory that it names
// until its standard input ends. The tests kill such processes.
const holdVariable = "DETENT_TEST_DEVDB_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdVariable); dir != "" {
		if err := hold(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	m.Run()
}

func hold(dir string) error {
	c, err := Start(context.Background(), Options{Dir: dir, Volatile: true})
	if err != nil {
		return err
	}
	fmt.Println(c.URL())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return c.Stop(context.Background())
}

// holder is a process that runs hold.
type holder struct {
	cmd   *exec.Cmd
	stdin io.Closer
	url   string
}

func startHolder(t *testing.T, dir string) *holder {
	t.Helper()
	h := &holder{cmd: exec.Command(os.Args[0])}
	h.cmd.Env = append(os.Environ(), holdVariable+"="+dir)
	h.cmd.Stderr = os.Stderr
	stdin, err := h.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.stdin = stdin
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the holder says nothing: %v", err)
	}
	h.url = strings.TrimSpace(line)
	return h
}

// kill ends the process as kill -9 does, and waits until it is gone.
func (h *holder) kill(t *testing.T) {
	t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.cmd.Wait() // says that it was killed
}

// leave lets the process stop in order.
func (h *holder) leave(t *testing.T) {
	t.Helper()
	if err := h.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Wait(); err != nil {
		t.Fatalf("the holder did not stop in order: %v", err)
	}
}

// openDir is like t.TempDir, but other accounts may enter, so that the tests run as root, too. What
// a failed test leaves running there is ended.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "detent-devdb-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p, running := runningPostmaster(filepath.Join(dir, "home", clusterName)); running {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		_ = os.RemoveAll(dir)
	})
	return filepath.Join(dir, "home")
}

func start(t *testing.T, dir string) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), Options{Dir: dir, Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func stop(t *testing.T, c *Cluster) {
	t.Helper()
	if err := c.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// query connects, runs one statement and returns the text of its first value, "" if it has none.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	got, err := tryQuery(t.Context(), url, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func tryQuery(ctx context.Context, url, sql string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return "", err
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(values) == 0 {
		return "", err
	}
	return values[0], nil
}

// wantDown fails the test if the cluster still runs.
func wantDown(t *testing.T, c *Cluster) {
	t.Helper()
	if p, running := runningPostmaster(c.data()); running {
		t.Errorf("Postgres still runs, as process %d", p.pid)
	}
}
