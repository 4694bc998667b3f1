package devdb

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	loopback = "127.0.0.1"

	// launchAttempts bounds how often a server that ends before it is ready is started again: its port
	// may have been taken meanwhile, or processes of a killed predecessor still hold its shared memory.
	launchAttempts = 6

	// launchPause is the pause before the second attempt; it doubles, to some 3 s in all.
	launchPause = 100 * time.Millisecond

	// maxLogBytes is when postgres.log is put aside for a new one.
	maxLogBytes = 10 << 20
)

// serverSettings are the settings of the server that Detent cares about, each with its reason. They
// are given on the command line, so that `ps` shows them and nothing in the cluster goes out of date.
func serverSettings(port int, volatile bool) map[string]string {
	s := map[string]string{
		"listen_addresses":        loopback,
		"port":                    strconv.Itoa(port),
		"unix_socket_directories": "", // see the package comment
		"cluster_name":            "detent",

		// Events, timers and snapshots are rows that live for moments. Looked at once a minute, as is
		// the default, their tables grow to many times their size under load.
		"autovacuum_naptime": "5s",

		// A server and a few workers with their lanes' connections, and people with psql beside them.
		"max_connections": "200",

		// Enough for the hot tables of a demonstration, little enough for a laptop.
		"shared_buffers": "256MB",

		// A transaction that somebody forgot in psql keeps every dead row of the database alive. Long
		// enough to read up on the next command to type.
		"idle_in_transaction_session_timeout": "10min",
	}
	if volatile {
		maps.Copy(s, map[string]string{
			// What is written survives a crash of Postgres, not one of the host.
			"fsync": "off", "full_page_writes": "off",
			// Several test processes at once.
			"max_connections": "400",
			// A round visits every database, and tests make many that do not live as long as one round.
			"autovacuum_naptime": "1min",
		})
	}
	return s
}

// launch starts the server and waits until it is ready.
func (c *Cluster) launch(ctx context.Context) error {
	wait := launchPause
	for attempt := 1; ; attempt++ {
		port, err := c.choosePort(ctx)
		if err != nil {
			return err
		}
		said, err := c.launchOnce(ctx, port)
		if err == nil {
			return os.WriteFile(c.portPath(), []byte(strconv.Itoa(port)+"\n"), 0o600)
		}
		if ctx.Err() != nil || attempt == launchAttempts {
			return fmt.Errorf("start Postgres (see %s): %w%s", c.logPath(), err, lastLines(said))
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
		wait *= 2
	}
}

// launchOnce starts the server, and returns what it wrote to its log if it ends before it is ready.
func (c *Cluster) launchOnce(ctx context.Context, port int) (string, error) {
	log, err := c.openLog()
	if err != nil {
		return "", err
	}
	defer log.Close()
	begin, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	args := []string{"-D", c.data()}
	settings := serverSettings(port, c.volatile)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	cmd := c.who.command(c.home, c.programs.program("postgres"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan struct{})
	go func() {
		// Reaps it, whenever that is: a zombie would look like a server that does not stop.
		_ = cmd.Wait()
		close(ended)
	}()
	started := time.Now()
	for ctx.Err() == nil {
		if p, found := readPostmaster(c.data()); found && p.pid == cmd.Process.Pid && p.status == "ready" {
			c.server = p
			c.log.Debug("Postgres is ready", "after", time.Since(started).Round(time.Millisecond), "pid", p.pid)
			return "", nil
		}
		select {
		case <-ended:
			said := make([]byte, 4096)
			n, _ := log.ReadAt(said, begin)
			return string(said[:n]), fmt.Errorf("%s: %v", filepath.Base(cmd.Path), cmd.ProcessState)
		default:
			_ = pause(ctx, statusPoll)
		}
	}
	// Not by postmaster.pid: it may not have written that yet.
	if err := cmd.Process.Signal(stopAtOnce); err == nil {
		<-ended
	}
	return "", context.Cause(ctx)
}

// choosePort returns the port of last time if nobody has it now, else a free one. Another process can
// still snatch it before Postgres binds it; then the launch is tried again.
func (c *Cluster) choosePort(ctx context.Context) (int, error) {
	if text, err := os.ReadFile(c.portPath()); err == nil {
		port, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err == nil && port > 0 {
			if l, err := listen(ctx, port); err == nil {
				return port, l.Close()
			}
		}
	}
	return freePort(ctx)
}

// freePort returns a port of the loopback interface that nobody listens on.
func freePort(ctx context.Context) (int, error) {
	l, err := listen(ctx, 0)
	if err != nil {
		return 0, fmt.Errorf("look for a free port: %w", err)
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

func listen(ctx context.Context, port int) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
}

// openLog opens postgres.log at its end; a large one is put aside first, replacing the one put aside before.
func (c *Cluster) openLog() (*os.File, error) {
	if info, err := os.Stat(c.logPath()); err == nil && info.Size() > maxLogBytes {
		if err := os.Rename(c.logPath(), c.logPath()+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(c.logPath(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
}
