// Command worker adds lanes to a Detent database: it leases its fair share of the machines and moves
// them on, together with the other workers.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/detent-run/detent/cmd/internal/parts"
	"github.com/detent-run/detent/internal/engine"
	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/telemetry"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Environ(), os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "detent:", err)
		os.Exit(1)
	}
}

const usage = `worker moves the machines of a Detent database on. It needs DETENT_DATABASE_URL.`

// joinConns is how many connections a worker uses besides those of its lanes.
const joinConns = 2

// run works until ctx ends.
func run(ctx context.Context, args, environ []string, stderr io.Writer) error {
	s, ok, err := parts.Settings(args, environ, stderr, usage)
	if err != nil || !ok {
		return err
	}
	if s.DatabaseURL == "" {
		return errors.New("DETENT_DATABASE_URL is not set: a worker joins a database that exists; `go run ./cmd/server` brings one of its own")
	}
	log := telemetry.NewLogger(stderr, s)
	if err := parts.Migrate(ctx, s.MigrateURL(), log); err != nil {
		return err
	}
	db, err := store.Open(ctx, s.DatabaseURL, store.Options{ApplicationName: "detent worker", MaxConns: joinConns})
	if err != nil {
		return err
	}
	defer db.Close()
	return parts.Worker(db, s.DatabaseURL, s.Lanes, engine.NewDefinitions(db), telemetry.NewMetrics(), log, nil).Run(ctx)
}
