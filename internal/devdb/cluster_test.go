package devdb

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A cluster outlives its process: data, password and port are the same at the next start.
func TestClusterPersists(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	c := start(t, dir)
	query(t, c.URL(), `CREATE TABLE note AS SELECT 'still here' AS text`)
	if got := query(t, c.URL(), `SHOW server_encoding`); got != "UTF8" {
		t.Errorf("encoding %q", got)
	}
	stop(t, c)
	wantDown(t, c)

	again := start(t, dir)
	if again.URL() != c.URL() {
		t.Errorf("URL was %s, is %s", c.URL(), again.URL())
	}
	if got := query(t, again.URL(), `SELECT text FROM note`); got != "still here" {
		t.Errorf("read %q", got)
	}
	stop(t, again)
}

// The URL's password is needed: other accounts of the host can open the port, too.
func TestClusterWantsItsPassword(t *testing.T) {
	t.Parallel()
	c := start(t, openDir(t))
	defer stop(t, c)
	u, err := url.Parse(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(roleName, "guess")
	if _, err := tryQuery(t.Context(), u.String(), `SELECT ''`); err == nil {
		t.Error("a wrong password was accepted")
	}
	info, err := os.Stat(filepath.Join(c.data(), passwordFile))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the password's file has mode %v", info.Mode())
	}
}

// A path that is too long for a unix socket is long enough for a cluster.
func TestClusterInALongPath(t *testing.T) {
	t.Parallel()
	c := start(t, filepath.Join(openDir(t), strings.Repeat("deep/", 20), strings.Repeat("x", 60)))
	defer stop(t, c)
	query(t, c.URL(), `SELECT ''`)
}

// Whoever leaves last stops Postgres, also when it was another one that started it.
func TestLastOneStops(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	first := startHolder(t, dir)
	second := start(t, dir)
	if second.URL() != first.url {
		t.Errorf("two clusters: %s and %s", first.url, second.URL())
	}
	first.leave(t)
	query(t, second.URL(), `SELECT ''`)
	stop(t, second)
	wantDown(t, second)
}

// Processes that start at the same moment agree on one cluster, also when it must be made first.
func TestStartAtTheSameTime(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	const n = 4
	type result struct {
		c   *Cluster
		err error
	}
	results := make(chan result, n)
	for range n {
		go func() {
			c, err := Start(t.Context(), Options{Dir: dir, Volatile: true})
			results <- result{c, err}
		}()
	}
	urls := map[string]bool{}
	var last *Cluster
	for range n {
		r := <-results
		if r.err != nil {
			t.Fatal(r.err)
		}
		urls[r.c.URL()] = true
		defer stop(t, r.c)
		last = r.c
	}
	if len(urls) != 1 {
		t.Errorf("clusters: %v", urls)
	}
	query(t, last.URL(), `SELECT ''`)
}

// What a killed process leaves running is taken over as it is, and stopped in the end.
func TestAdoptsAnOrphan(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	h := startHolder(t, dir)
	orphan, running := runningPostmaster(filepath.Join(dir, clusterName))
	if !running {
		t.Fatal("no postmaster")
	}
	h.kill(t)
	c := start(t, dir)
	if c.server.pid != orphan.pid {
		t.Errorf("process %d was not adopted, %d runs", orphan.pid, c.server.pid)
	}
	query(t, c.URL(), `SELECT ''`)
	stop(t, c)
	wantDown(t, c)
}

// After everything was killed at once, the postmaster.pid that stays behind is no obstacle, nor are
// Postgres's other processes, which take a moment to notice; what was committed is there.
func TestStartsAfterACrash(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	h := startHolder(t, dir)
	query(t, h.url, `CREATE TABLE note AS SELECT 'committed' AS text`)
	p, running := runningPostmaster(filepath.Join(dir, clusterName))
	if !running {
		t.Fatal("no postmaster")
	}
	h.kill(t)
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir)
	defer stop(t, c)
	if got := query(t, c.URL(), `SELECT text FROM note`); got != "committed" {
		t.Errorf("read %q", got)
	}
}

// A server that does not answer is replaced.
func TestReplacesAFrozenServer(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	h := startHolder(t, dir)
	p, running := runningPostmaster(filepath.Join(dir, clusterName))
	if !running {
		t.Fatal("no postmaster")
	}
	h.kill(t)
	if err := syscall.Kill(p.pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir)
	defer stop(t, c)
	if c.server.pid == p.pid {
		t.Error("the frozen server was adopted")
	}
	query(t, c.URL(), `SELECT ''`)
}

// The number in a stale postmaster.pid may be somebody else's by now, even of the account that Postgres
// runs as, which Postgres itself would take for a running server.
func TestStalePidOfAnotherProgram(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	c := start(t, dir)
	stop(t, c)
	other := c.who.command("/", "sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	text := strconv.Itoa(other.Process.Pid) + "\n" + c.data() + "\n1700000000\n5432\n\n" + loopback + "\n  0  0\nready   \n"
	path := filepath.Join(c.data(), pidFile)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.who.give(path); err != nil {
		t.Fatal(err)
	}
	again := start(t, dir)
	defer stop(t, again)
	query(t, again.URL(), `SELECT ''`)
}

// A port that somebody else has taken since is given up for a free one.
func TestTakenPort(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	c := start(t, dir)
	stop(t, c)
	l, err := listen(t.Context(), c.server.port)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	again := start(t, dir)
	defer stop(t, again)
	if again.server.port == c.server.port {
		t.Errorf("Postgres listens on %d, which is taken", c.server.port)
	}
	query(t, again.URL(), `SELECT ''`)
}

// An interrupted initdb leaves a draft, which is thrown away.
func TestUnfinishedCluster(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	draft := filepath.Join(dir, clusterName+".new")
	if err := os.MkdirAll(draft, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(draft, versionFile), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir)
	defer stop(t, c)
	query(t, c.URL(), `SELECT ''`)
	if _, err := os.Stat(draft); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the draft is still there: %v", err)
	}
}

// A start that is given up in the middle leaves nothing running, and nothing in the way of the next.
func TestStartGivenUp(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 200 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		c, err := Start(ctx, Options{Dir: dir, Volatile: true})
		cancel()
		if err == nil { // a fast machine
			stop(t, c)
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("given up after %v: %v", after, err)
		}
	}
	c := start(t, dir)
	query(t, c.URL(), `SELECT ''`)
	stop(t, c)
	wantDown(t, c)
}

// Ctrl-C reaches the whole process group of the terminal. Postgres must not be in it.
func TestOutOfReachOfTheTerminal(t *testing.T) {
	t.Parallel()
	c := start(t, openDir(t))
	defer stop(t, c)
	theirs, err := syscall.Getpgid(c.server.pid)
	if err != nil {
		t.Fatal(err)
	}
	if theirs == syscall.Getpgrp() {
		t.Error("Postgres is in our process group")
	}
}

// Stop does not wait for a clean shutdown longer than its context.
func TestStopInAHurry(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	c := start(t, dir)
	query(t, c.URL(), `CREATE TABLE note AS SELECT 'committed' AS text`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := syscall.Kill(c.server.pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	wantDown(t, c)
	again := start(t, dir)
	defer stop(t, again)
	if got := query(t, again.URL(), `SELECT text FROM note`); got != "committed" {
		t.Errorf("read %q", got)
	}
}

// A cluster with settings that Postgres refuses says what Postgres says.
func TestStartFailureSaysWhy(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	c := start(t, dir)
	stop(t, c)
	f, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\nno_such_setting = on\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), Options{Dir: dir, Volatile: true})
	if err == nil || !strings.Contains(err.Error(), "no_such_setting") || !strings.Contains(err.Error(), "postgres.log") {
		t.Errorf("error %v", err)
	}
}

// Root cannot run Postgres, and the account that does may not get at the directory: then the home is
// elsewhere, and the same the next time. For other accounts it is where it was asked for.
func TestDirectoryThatOthersCannotReach(t *testing.T) {
	t.Parallel()
	closed := t.TempDir()
	if err := os.Chmod(filepath.Dir(closed), 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(closed, "home")
	c := start(t, dir)
	want, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		want = fallbackHome(want)
		defer os.RemoveAll(want)
	}
	if c.Home() != want {
		t.Errorf("home is %s, want %s", c.Home(), want)
	}
	query(t, c.URL(), `CREATE TABLE note AS SELECT 'found again' AS text`)
	stop(t, c)
	again := start(t, dir)
	defer stop(t, again)
	if got := query(t, again.URL(), `SELECT text FROM note`); got != "found again" {
		t.Errorf("read %q", got)
	}
}

// A process that leaves in order leaves nothing running. Where psql is installed it takes the URL as it is.
func TestHolderLeavesInOrder(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	h := startHolder(t, dir)
	if path, err := exec.LookPath("psql"); err == nil {
		out, err := exec.Command(path, h.url, "-Atc", "SELECT current_user").CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != roleName {
			t.Errorf("psql says %q, %v", out, err)
		}
	}
	h.leave(t)
	if p, running := runningPostmaster(filepath.Join(dir, clusterName)); running {
		t.Errorf("process %d still runs", p.pid)
	}
}
