package store_test

import (
	"testing"

	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/store/storetest"
	"github.com/detent-run/detent/internal/testdb"
)

func TestMain(m *testing.M) { testdb.Main(m) }

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
