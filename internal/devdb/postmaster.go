package devdb

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	pidFile = "postmaster.pid"

	// statusPoll is how often a start or a stop looks at postmaster.pid, as pg_ctl does.
	statusPoll = 10 * time.Millisecond

	// answerTimeout is how long a running server may take to say a first byte before it is taken for dead.
	answerTimeout = 2 * time.Second

	// stopTimeout is how long a server that did not stop in time has for each harsher way.
	stopTimeout = 2 * time.Second
)

// postmaster is the server process as postmaster.pid describes it.
type postmaster struct {
	pid    int
	port   int
	status string // "starting", "ready", "stopping"
}

// readPostmaster reads postmaster.pid, and reports false when it is missing or not complete yet. Its
// lines are: pid, data directory, start time, port, socket directory, listen address, shared memory key, status.
func readPostmaster(cluster string) (postmaster, bool) {
	text, err := os.ReadFile(filepath.Join(cluster, pidFile))
	if err != nil {
		return postmaster{}, false
	}
	lines := strings.Split(string(text), "\n")
	var p postmaster
	if p.pid, err = strconv.Atoi(strings.TrimSpace(lines[0])); err != nil || p.pid <= 1 {
		return postmaster{}, false
	}
	if len(lines) > 3 {
		p.port, _ = strconv.Atoi(strings.TrimSpace(lines[3])) // zero while Postgres has not written it
	}
	if len(lines) > 7 {
		p.status = strings.TrimSpace(lines[7])
	}
	return p, true
}

// lives reports whether the process is there and is a Postgres on this cluster. The number alone does
// not tell: after a reboot it may be anybody's. A zombie has no arguments, and so does not count.
func (p postmaster) lives(cluster string) bool {
	if err := syscall.Kill(p.pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	return strings.Contains(arguments(p.pid), cluster)
}

// arguments returns the command line of a process, or "" when it cannot be learned.
func arguments(pid int) string {
	if _, err := os.Stat("/proc/self/cmdline"); err == nil {
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		return string(text)
	}
	text, _ := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return string(text)
}

// runningPostmaster returns the live postmaster of the cluster.
func runningPostmaster(cluster string) (postmaster, bool) {
	p, found := readPostmaster(cluster)
	return p, found && p.lives(cluster)
}

// answers reports whether the server's port speaks Postgres's protocol. An SSLRequest is the one
// message that every server answers, with a single byte, before it asks who is there.
func (p postmaster) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(loopback, strconv.Itoa(p.port)))
	if err != nil {
		return false
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return false
	}
	if _, err := conn.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}); err != nil { // length 8, code 80877103
		return false
	}
	answer := make([]byte, 1)
	_, err = io.ReadFull(conn, answer)
	return err == nil && (answer[0] == 'N' || answer[0] == 'S')
}

// How a postmaster is asked to end, from the kindest on: fast cuts connections and leaves the cluster
// clean; at once leaves recovery to the next start; by force leaves it to Postgres's processes to
// notice that their postmaster is gone.
const (
	stopFast    = syscall.SIGINT
	stopAtOnce  = syscall.SIGQUIT
	stopByForce = syscall.SIGKILL
)

// stop ends the postmaster. Each way but the first gets a moment, whatever becomes of ctx: a process
// that is left running would be in the way of the next start.
func (p postmaster) stop(ctx context.Context, cluster string, ways ...syscall.Signal) error {
	stillThere := func() bool {
		q, running := runningPostmaster(cluster)
		return running && q.pid == p.pid
	}
	for _, way := range ways {
		if err := syscall.Kill(p.pid, way); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		for stillThere() {
			if pause(ctx, statusPoll) != nil {
				break
			}
		}
		if !stillThere() {
			return nil
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
	}
	return errors.New("the server does not end")
}
