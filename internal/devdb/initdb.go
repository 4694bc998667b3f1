package devdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	clusterName  = "postgres"
	passwordFile = "detent.password"

	// roleName is both the superuser that owns the cluster and the database to work in.
	roleName = "detent"
)

// initCluster makes a cluster with a database in it, complete or not at all.
func (c *Cluster) initCluster(ctx context.Context) error {
	draft := filepath.Join(c.home, clusterName+".new")
	if err := os.RemoveAll(draft); err != nil {
		return fmt.Errorf("clear an unfinished cluster: %w", err)
	}
	if err := os.Mkdir(draft, 0o700); err != nil {
		return fmt.Errorf("make the cluster: %w", err)
	}
	if err := c.who.give(draft); err != nil {
		return fmt.Errorf("make the cluster: %w", err)
	}
	// initdb wants an empty directory, so the password comes from beside it.
	secret := draft + ".password"
	if err := c.writeSecret(secret, rand.Text()); err != nil {
		return err
	}
	defer os.Remove(secret)
	args := []string{
		"--pgdata=" + draft, "--username=" + roleName, "--pwfile=" + secret, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale=C", // machine ids and keys compare by bytes; nothing depends on the host's locales
	}
	if c.volatile {
		args = append(args, "--no-sync")
	}
	if err := c.runProgram(ctx, "", "initdb", args...); err != nil {
		return fmt.Errorf("initdb: %w", err)
	}
	// The single-user mode spares us a client and a first start.
	err := c.runProgram(ctx, "CREATE DATABASE "+roleName+"\n", "postgres", "--single", "-D", draft, "-c", "exit_on_error=on", "template1")
	if err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	if err := os.Rename(secret, filepath.Join(draft, passwordFile)); err != nil {
		return err
	}
	return os.Rename(draft, c.data())
}

// writeSecret writes a file that only the account (and root) can read.
func (c *Cluster) writeSecret(path, secret string) error {
	if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		return err
	}
	return c.who.give(path)
}

// password returns what initCluster generated.
func (c *Cluster) password() (string, error) {
	text, err := os.ReadFile(filepath.Join(c.data(), passwordFile))
	if err != nil {
		return "", fmt.Errorf("the cluster's password is gone: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// runProgram runs one of Postgres's programs to its end, or ends it together with ctx.
func (c *Cluster) runProgram(ctx context.Context, input, name string, args ...string) error {
	cmd := c.who.command(c.home, c.programs.program(name), args...)
	cmd.Stdin = strings.NewReader(input)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // its children too
	err := cmd.Wait()
	stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w%s", err, lastLines(out.String()))
	}
	return err
}

// lastLines returns the end of a program's output, in the form of an appendix to an error.
func lastLines(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) > 8 {
		lines = lines[len(lines)-8:]
	}
	if len(lines) == 1 && lines[0] == "" {
		return ""
	}
	return ":\n  " + strings.Join(lines, "\n  ")
}
