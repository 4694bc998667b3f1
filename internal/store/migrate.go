package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/source"
	"github.com/golang-migrate/migrate/v4/source/iofs"

	"github.com/detent-run/detent/migrations"
)

// Migrate brings the database to the version that this program knows. Concurrent calls migrate once.
// It returns ErrTooNew for a database that a newer program migrated.
//
// It needs a direct connection: a session advisory lock keeps concurrent calls apart, and a pooler that
// hands connections round by the transaction would lose it.
func Migrate(ctx context.Context, url string) error {
	return migrateFrom(ctx, url, migrations.Files)
}

// migrateFrom runs the migrations of files. Tests bring files of their own.
func migrateFrom(ctx context.Context, url string, files fs.FS) error {
	steps, err := iofs.New(files, ".")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	known, err := newest(steps)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	driver, err := openMigrator(ctx, url)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	m, err := migrate.NewWithInstance("migrations", steps, "postgres", driver)
	if err != nil {
		return errors.Join(fmt.Errorf("migrate: %w", err), driver.Close())
	}
	defer m.Close()
	// The library gives up waiting for the lock after this time; ours ends with ctx.
	m.LockTimeout = lockPatience
	err = m.Up()
	if errors.Is(err, migrate.ErrNoChange) {
		err = nil
	}
	if driver.seen > known {
		// The library complains that it has no file of that number. This says what it means.
		return fmt.Errorf("migrate: %w", tooNew(driver.seen, known))
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func tooNew(at, known int) error {
	return fmt.Errorf("%w: it is at migration %d, this program knows up to %d; start a newer program",
		ErrTooNew, at, known)
}

// newestMigration returns the number of the last migration that this program knows.
func newestMigration() (int, error) {
	steps, err := iofs.New(migrations.Files, ".")
	if err != nil {
		return 0, err
	}
	return newest(steps)
}

func newest(steps source.Driver) (int, error) {
	at, err := steps.First()
	if err != nil {
		return 0, err
	}
	for {
		next, err := steps.Next(at)
		if errors.Is(err, fs.ErrNotExist) {
			return int(at), nil
		}
		if err != nil {
			return 0, err
		}
		at = next
	}
}
