package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is processor time.
type usage struct{ server, worker, postgres, load time.Duration }

func (u usage) minus(earlier usage) usage {
	return usage{u.server - earlier.server, u.worker - earlier.worker, u.postgres - earlier.postgres, u.load - earlier.load}
}

// used reads how much processor time everything has used so far.
func (h *host) used() (usage, error) {
	var u usage
	var err error
	if u.server, err = processTime(h.server.cmd.Process.Pid, false); err != nil {
		return u, err
	}
	if h.worker != nil {
		if u.worker, err = processTime(h.worker.cmd.Process.Pid, false); err != nil {
			return u, err
		}
	}
	if u.postgres, err = h.postgresTime(); err != nil {
		return u, err
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return u, err
	}
	u.load = time.Duration(own.Utime.Nano() + own.Stime.Nano())
	return u, nil
}

// postgresTime adds up all of Postgres's processes: backends, vacuum, checkpoints and the like, those that
// have ended by what their parent has inherited.
func (h *host) postgresTime() (time.Duration, error) {
	file, err := os.ReadFile(filepath.Join(h.cluster.Home(), "postgres", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := bytes.Cut(file, []byte("\n"))
	postmaster, err := strconv.Atoi(string(line))
	if err != nil {
		return 0, fmt.Errorf("postmaster.pid: %w", err)
	}
	sum, err := processTime(postmaster, true)
	if err != nil {
		return 0, err
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", postmaster, postmaster))
	if err != nil {
		return 0, err
	}
	for _, child := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(child)
		if err != nil {
			return 0, err
		}
		if t, err := processTime(pid, false); err == nil { // else it has ended just now
			sum += t
		}
	}
	return sum, nil
}

// tick is the unit of /proc, on every architecture that Go runs on.
const tick = 10 * time.Millisecond

// processTime is what a process has used, and, if asked for, what its ended children had.
func processTime(pid int, children bool) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may hold anything; what follows begins with the third field.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	last := 13 // user and system time are the fields 14 and 15
	if children {
		last = 15 // ... and 16 and 17 those of children
	}
	var ticks int64
	for _, f := range fields[11:last] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}
