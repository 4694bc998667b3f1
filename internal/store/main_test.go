package store_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/store/storetest"
	"github.com/detent-run/detent/internal/testdb"
)

// Tests that need processes to kill, or to race with, start this binary again with these variables.
const (
	migrateURL  = "STORE_TEST_MIGRATE"      // migrate this database and exit
	migrateSlow = "STORE_TEST_MIGRATE_SLOW" // by the migrations that stop in the middle
)

func TestMain(m *testing.M) {
	url := os.Getenv(migrateURL)
	if url == "" {
		testdb.Main(m)
	}
	migrate := store.Migrate
	if os.Getenv(migrateSlow) != "" {
		migrate = func(ctx context.Context, url string) error { return store.MigrateFrom(ctx, url, slowSteps) }
	}
	if err := migrate(context.Background(), url); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return open(t, testdb.New(t, store.Migrate).URL, store.Options{ApplicationName: "suite"})
	})
}

// open connects until the test is over.
func open(t testing.TB, url string, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}
