// Command server runs Detent's HTTP API. Without a database URL it is all of Detent in one process, on
// a Postgres of its own in a data directory: API, lanes and scheduler. With one it uses that database,
// and leaves lanes to cmd/worker unless it is told to run some itself.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/detent-run/detent/cmd/internal/parts"
	"github.com/detent-run/detent/internal/api"
	"github.com/detent-run/detent/internal/devdb"
	"github.com/detent-run/detent/internal/engine"
	"github.com/detent-run/detent/internal/scheduler"
	"github.com/detent-run/detent/internal/settings"
	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/telemetry"
	"github.com/detent-run/detent/internal/worker"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Environ(), os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "detent:", err)
		os.Exit(1)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(os.Stderr, "detent: stopped")
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args, environ []string, stderr io.Writer) error {
	s, ok, err := parts.Settings(args, environ, stderr, usage)
	if err != nil || !ok {
		return err
	}
	log := telemetry.NewLogger(stderr, s)
	if s.DatabaseURL != "" {
		return serve(ctx, s, log, stderr)
	}
	return serveEmbedded(ctx, s, log, stderr)
}

const usage = `server runs Detent's HTTP API; without DETENT_DATABASE_URL on a Postgres of its own.`

// stopTimeout is how long an embedded Postgres has for its shutdown checkpoint.
const stopTimeout = 30 * time.Second

// serveEmbedded serves on a Postgres of the process's own.
func serveEmbedded(ctx context.Context, s settings.Settings, log *slog.Logger, stderr io.Writer) error {
	cluster, err := devdb.Start(ctx, devdb.Options{
		Dir: s.DataDir, BinDir: s.PostgresBin, Repository: s.PostgresRepository, Log: log,
	})
	if err != nil {
		return fmt.Errorf("embedded Postgres: %w", err)
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		if err := cluster.Stop(stop); err != nil {
			log.Error("embedded Postgres did not stop in order", "error", err)
		}
	}()
	s.DatabaseURL = cluster.URL()
	if err := leaveWord(s.DataDir, s.DatabaseURL); err != nil {
		return err
	}
	// Only this one is shown with its password: it is made up, and good for nothing but this Postgres.
	fmt.Fprintf(stderr, "detent: psql %q\n", s.DatabaseURL)
	if s.Worker == settings.WorkerAuto {
		s.Worker = settings.WorkerOn
	}
	return serve(ctx, s, log, stderr)
}

// leaveWord writes the database's URL and the number of this process into the data directory, for psql
// and scripts. The URL holds a password.
func leaveWord(dir, url string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "url"), []byte(url+"\n"), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "pid"), fmt.Appendln(nil, os.Getpid()), 0o600)
}

// serve migrates and serves on the database of the settings.
func serve(ctx context.Context, s settings.Settings, log *slog.Logger, stderr io.Writer) error {
	if err := parts.Migrate(ctx, s.MigrateURL(), log); err != nil {
		return err
	}
	db, err := store.Open(ctx, s.DatabaseURL, store.Options{ApplicationName: "detent server", MaxConns: apiConns})
	if err != nil {
		return err
	}
	defer db.Close()
	listener, err := net.Listen("tcp", s.Addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "detent: serving on http://%s\n", listener.Addr())
	return runParts(ctx, s, db, listener, log)
}

// apiConns is how many connections the API may use. Requests beyond that wait for one.
const apiConns = 16

// runParts runs everything until ctx ends or a part fails.
func runParts(ctx context.Context, s settings.Settings, db *store.DB, listener net.Listener, log *slog.Logger) error {
	metrics := telemetry.NewMetrics()
	defs := engine.NewDefinitions(db)
	var w *worker.Worker
	eng := engine.New(db, defs, engine.Options{Log: log, Hint: func(k store.Key) {
		if w != nil {
			w.Hint(k)
		}
	}})
	group, ctx := errgroup.WithContext(ctx)
	if s.Worker == settings.WorkerOn {
		w = parts.Worker(db, s.DatabaseURL, s.Lanes, defs, metrics, log, eng.Applied)
		group.Go(func() error { return w.Run(ctx) })
	} else {
		log.Info("this process runs no lanes; cmd/worker does (or set DETENT_WORKER=on)")
	}
	group.Go(func() error { return eng.Run(ctx) })
	group.Go(func() error { return scheduler.NewWatch(db, log, metrics.Overdue).Run(ctx) })
	handler := api.New(eng, api.Options{Log: log, Metrics: metrics.Handler(), Observe: metrics.Request})
	group.Go(func() error { return api.Serve(ctx, listener, handler, log) })
	return group.Wait()
}
