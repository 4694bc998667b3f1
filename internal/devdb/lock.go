package devdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockPoll is how often a waiting process asks for the lock again.
const lockPoll = 20 * time.Millisecond

// lock is a lock on a whole file. The kernel gives it up when the process ends, however it ends, and
// children do not inherit it.
type lock struct{ file *os.File }

// openLock opens the file without locking it.
func openLock(path string) (lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return lock{}, fmt.Errorf("open lock file: %w", err)
	}
	return lock{f}, nil
}

// try asks for the lock, shared (syscall.LOCK_SH) or exclusive (syscall.LOCK_EX), and reports whether
// it was granted. A shared lock that is held becomes the exclusive one.
func (l lock) try(how int) (bool, error) {
	for {
		err := syscall.Flock(int(l.file.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, fmt.Errorf("lock %s: %w", l.file.Name(), err)
		}
	}
}

// wait asks until the lock is granted. It polls, since a blocking flock cannot be given up when ctx ends.
func (l lock) wait(ctx context.Context, how int) error {
	for {
		granted, err := l.try(how)
		if granted || err != nil {
			return err
		}
		if err := pause(ctx, lockPoll); err != nil {
			return fmt.Errorf("wait for %s, which another process holds: %w", l.file.Name(), err)
		}
	}
}

// release gives the lock up.
func (l lock) release() { _ = l.file.Close() }

// pause waits, or returns ctx's error when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
