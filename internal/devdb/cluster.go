package devdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// logger is what a start has to say on its way.
type logger = *slog.Logger

// Options say where the cluster lies and which programs run it. Only Dir is needed.
type Options struct {
	Dir        string       // the data directory, made if it is missing (DETENT_DATA_DIR)
	BinDir     string       // directory with postgres and initdb; "" looks for one (DETENT_POSTGRES_BIN)
	Repository string       // Maven repository to download from; "" is DefaultRepository (DETENT_POSTGRES_REPOSITORY)
	Volatile   bool         // the data need not survive a crash of the host: for tests
	Log        *slog.Logger // nil discards

	downloads string // where downloads are kept; "" chooses
}

// Cluster is a running Postgres.
type Cluster struct {
	home     string
	who      account
	programs installation
	volatile bool
	log      logger
	users    lock
	server   postmaster
	url      string
}

// Start returns the cluster of a directory: made if there is none, started if it does not run, shared
// with the processes that use it already. The caller calls Stop.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	home, who, err := settle(o.Dir, o.Log)
	if err != nil {
		return nil, err
	}
	c := &Cluster{home: home, who: who, volatile: o.Volatile, log: o.Log}
	gate, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer gate.release()
	if c.users, err = openLock(filepath.Join(home, "users")); err != nil {
		return nil, err
	}
	if err := c.users.wait(ctx, syscall.LOCK_SH); err != nil {
		c.users.release()
		return nil, err
	}
	if err := c.ensure(ctx, o); err != nil {
		c.users.release()
		return nil, err
	}
	return c, nil
}

// URL is how one connects: as the superuser of the cluster, to a database of Detent's own.
func (c *Cluster) URL() string { return c.url }

// Home is the directory that everything lies in. It differs from Options.Dir when that could not be reached.
func (c *Cluster) Home() string { return c.home }

// Version is the version of Postgres, such as "17.5".
func (c *Cluster) Version() string { return c.programs.version }

// Stop leaves the cluster, and stops Postgres unless other processes use it. Connections that are
// still open are cut. When ctx ends first Postgres is stopped without a checkpoint, and recovers at its
// next start. The cluster must not be used any more.
func (c *Cluster) Stop(ctx context.Context) error {
	defer c.users.release()
	gate, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer gate.release()
	last, err := c.users.try(syscall.LOCK_EX)
	if err != nil {
		return err
	}
	if !last {
		c.log.Debug("Postgres is left running, other processes use it", "home", c.home)
		return nil
	}
	// Not necessarily the one of our start: it may have ended, and another process started it again.
	server, running := runningPostmaster(c.data())
	if !running {
		return nil
	}
	if err := server.stop(ctx, c.data(), stopFast, stopAtOnce, stopByForce); err != nil {
		return fmt.Errorf("stop Postgres: %w", err)
	}
	return nil
}

func (c *Cluster) data() string     { return filepath.Join(c.home, clusterName) }
func (c *Cluster) logPath() string  { return filepath.Join(c.home, "postgres.log") }
func (c *Cluster) portPath() string { return filepath.Join(c.home, "port") }

// enter takes the lock under which clusters are made, started and stopped.
func (c *Cluster) enter(ctx context.Context) (lock, error) {
	gate, err := openLock(filepath.Join(c.home, "lock"))
	if err != nil {
		return lock{}, err
	}
	if err := gate.wait(ctx, syscall.LOCK_EX); err != nil {
		gate.release()
		return lock{}, err
	}
	return gate, nil
}

// ensure sees to it that the server runs. The caller holds the lock.
func (c *Cluster) ensure(ctx context.Context, o Options) error {
	var err error
	if c.programs, err = find(ctx, o, c.who, c.home); err != nil {
		return err
	}
	if !hasCluster(c.home) {
		c.log.Info("making a Postgres cluster", "home", c.home, "version", c.programs.version)
		if err := c.initCluster(ctx); err != nil {
			return fmt.Errorf("make a cluster in %s: %w", c.home, err)
		}
	}
	secret, err := c.password()
	if err != nil {
		return err
	}
	adopted, err := c.adopt(ctx)
	if err != nil {
		return err
	}
	if !adopted {
		if err := c.launch(ctx); err != nil {
			return err
		}
	}
	c.url = (&url.URL{
		Scheme: "postgres", User: url.UserPassword(roleName, secret),
		Host: net.JoinHostPort(loopback, strconv.Itoa(c.server.port)), Path: "/" + roleName, RawQuery: "sslmode=disable",
	}).String()
	return nil
}

// adopt takes over a server that runs already, and reports false when one must be started. It clears
// away what would be in the way of that: a server that does not answer, a stale postmaster.pid.
func (c *Cluster) adopt(ctx context.Context) (bool, error) {
	for {
		p, running := runningPostmaster(c.data())
		switch {
		case !running:
			err := os.Remove(filepath.Join(c.data(), pidFile))
			if errors.Is(err, os.ErrNotExist) {
				err = nil
			}
			return false, err
		case p.status == "ready" && p.answers(ctx):
			c.server = p
			c.log.Debug("Postgres runs already", "home", c.home, "pid", p.pid)
			return true, nil
		case p.status == "ready":
			c.log.Warn("Postgres runs but does not answer, starting it anew", "home", c.home, "pid", p.pid)
			soon, cancel := context.WithTimeout(ctx, stopTimeout)
			defer cancel()
			return false, p.stop(soon, c.data(), stopAtOnce, stopByForce)
		}
		// It is starting (perhaps recovering) or stopping: both end by themselves.
		if err := pause(ctx, statusPoll); err != nil {
			return false, fmt.Errorf("wait for Postgres, which is %s: %w", p.status, err)
		}
	}
}
