package store_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/testdb"
)

func key(machine string) store.Key { return store.Key{Namespace: store.Namespace, Machine: machine} }

func ref(machine, eventID string) store.EventRef {
	return store.EventRef{Key: key(machine), EventID: eventID}
}

// prepare makes a machine whose first event waits, and an owner that holds all buckets. It returns what
// handles that event.
func prepare(t *testing.T, db *store.DB, machine string) *store.Commit {
	t.Helper()
	return takeFirst(join(t, db), create(t, db, machine))
}

func create(t *testing.T, db *store.DB, machine string) string {
	t.Helper()
	if _, err := db.CreateMachine(t.Context(), store.NewMachine{
		Key: key(machine), Definition: "d", Version: 1, Labels: []byte(`{}`), Fingerprint: []byte("f"),
		EventID: "i:1", Event: []byte(`{"type":"xstate.init"}`),
	}); err != nil {
		t.Fatal(err)
	}
	return machine
}

func join(t *testing.T, db *store.DB) int64 {
	t.Helper()
	owner, err := db.Join(t.Context(), store.OwnerInfo{Host: "h", PID: 1, Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Lease(t.Context(), owner, store.Buckets); err != nil {
		t.Fatal(err)
	}
	return owner
}

func takeFirst(owner int64, machine string) *store.Commit {
	return &store.Commit{
		Owner:     owner,
		Consumed:  []store.EventRef{ref(machine, "i:1")},
		Snapshots: []store.SnapshotRow{{Key: key(machine), Seq: 1, Status: "active", Snapshot: []byte(`{}`)}},
		History:   []store.HistoryEntry{{Key: key(machine), Seq: 1, EventID: "i:1", Outcome: "applied", Owner: owner}},
	}
}

// TestUnknownOutcome: the connection is lost in the middle of a commit. Whether it took place cannot be
// known from here, and history tells.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode    int32
		applied int
	}{
		"request lost": {deaf, 0},
		"answer lost":  {mute, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := testdb.New(t, store.Migrate).URL
			net := newProxy(t, url)
			near, far := open(t, url, store.Options{}), open(t, net.url, store.Options{MaxConns: 1})
			commit := prepare(t, far, "m")
			// The statements are known to the session then, so that nothing else is sent before the commit.
			apply(t, far, takeFirst(commit.Owner, create(t, far, "warm")))
			net.mode.Store(c.mode)
			if _, err := far.Apply(t.Context(), commit); !errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrRetry) {
				t.Fatalf("apply: %v", err)
			}
			eventually(t, "history knows what became of it", func() bool {
				found, err := near.Outcomes(t.Context(), commit.Consumed)
				if err != nil {
					t.Fatal(err)
				}
				return len(found) == c.applied
			})
			net.mode.Store(passing)
			_, err := far.Apply(t.Context(), commit)
			if c.applied == 1 && !errors.Is(err, store.ErrDuplicate) || c.applied == 0 && err != nil {
				t.Errorf("apply again: %v", err)
			}
		})
	}
}

func apply(t *testing.T, db *store.DB, c *store.Commit) {
	t.Helper()
	if _, err := db.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

// TestSessionEnded: the server ends the session of a commit that waits for a lock.
func TestSessionEnded(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{ApplicationName: "doomed"})
	commit := prepare(t, db, "m")
	tx := hold(t, url, `SELECT FROM detent.inbox FOR UPDATE`)
	failed := make(chan error, 1)
	go func() {
		_, err := db.Apply(t.Context(), commit)
		failed <- err
	}()
	waitsForLock(t, url, "doomed")
	exec1(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed' AND wait_event_type = 'Lock'`)
	if err := <-failed; !errors.Is(err, store.ErrUnknown) {
		t.Errorf("apply: %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	apply(t, db, commit)
}

// hold runs a statement in a transaction that stays open.
func hold(t *testing.T, url, statement string, args ...any) pgx.Tx {
	t.Helper()
	tx, err := session(t, url).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
	return tx
}

func waitsForLock(t *testing.T, url, application string) {
	t.Helper()
	conn := session(t, url)
	eventually(t, application+" waits for a lock", func() bool {
		return query1On[int](t, conn, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'`, application) > 0
	})
}

// TestLockTimeout: whoever holds a lock for too long does not hold a lane up for ever.
func TestLockTimeout(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{})
	commit := prepare(t, db, "m")
	tx := hold(t, url, `SELECT FROM detent.inbox FOR UPDATE`)
	if _, err := db.Apply(t.Context(), commit); !errors.Is(err, store.ErrRetry) || !strings.Contains(err.Error(), "55P03") {
		t.Errorf("apply: %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	apply(t, db, commit)
}

// TestDeadlock: a commit that Postgres chooses as the victim of a deadlock changed nothing, and says so.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{ApplicationName: "victim"})
	commit := prepare(t, db, "m")
	// The other one locks the snapshot's key and then wants the inbox row, and never looks for deadlocks.
	tx := hold(t, url, `SELECT set_config('deadlock_timeout', '1h', true)`)
	if _, err := tx.Exec(t.Context(), `INSERT INTO detent.snapshot (bucket, namespace, machine_id, seq, status)
		VALUES (detent.bucket_of('default', 'm'), 'default', 'm', 1, 'active')`); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := db.Apply(t.Context(), commit)
		failed <- err
	}()
	waitsForLock(t, url, "victim")
	if _, err := tx.Exec(t.Context(), `SELECT FROM detent.inbox FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, store.ErrRetry) || !strings.Contains(err.Error(), "40P01") {
		t.Errorf("apply: %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	apply(t, db, commit)
}

// every runs every method of the store that talks to the database and returns their errors.
func every(ctx context.Context, db *store.DB) (reads, writes map[string]error) {
	k, event := key("m"), store.Incoming{EventRef: ref("m", "c:1"), Event: []byte(`{}`)}
	reads, writes = map[string]error{}, map[string]error{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	run := func(into map[string]error, name string, f func() error) {
		wg.Go(func() {
			err := f()
			mu.Lock()
			defer mu.Unlock()
			into[name] = err
		})
	}
	run(reads, "Ping", func() error { return db.Ping(ctx) })
	run(reads, "Definition", func() error { _, err := db.Definition(ctx, "n", "d", 0); return err })
	run(reads, "Definitions", func() error { _, err := db.Definitions(ctx, "n", "", 1); return err })
	run(reads, "DefinitionVersions", func() error { _, err := db.DefinitionVersions(ctx, "n", "d", 0, 1); return err })
	run(reads, "FindMachine", func() error { _, err := db.FindMachine(ctx, k); return err })
	run(reads, "ListMachines", func() error { _, err := db.ListMachines(ctx, store.MachineFilter{Limit: 1}); return err })
	run(reads, "LoadMachines", func() error { _, err := db.LoadMachines(ctx, []store.Key{k}); return err })
	run(reads, "History", func() error { _, err := db.History(ctx, k, 0, 1); return err })
	run(reads, "Outcomes", func() error { _, err := db.Outcomes(ctx, []store.EventRef{event.EventRef}); return err })
	run(reads, "Claim", func() error { _, err := db.Claim(ctx, []int16{1}, 1); return err })
	run(reads, "ClaimMachines", func() error { _, err := db.ClaimMachines(ctx, []store.Key{k}, 1); return err })
	run(reads, "DueTimers", func() error { _, _, _, err := db.DueTimers(ctx, []int16{1}, time.Now(), 1); return err })
	run(reads, "Overdue", func() error { _, _, err := db.Overdue(ctx, time.Second); return err })
	run(reads, "TakeOver", func() error { _, err := db.TakeOver(ctx, store.Peer{ID: 1}); return err }) // looks first
	run(writes, "RegisterDefinition", func() error { _, _, err := db.RegisterDefinition(ctx, store.Definition{Name: "d"}); return err })
	run(writes, "CreateMachine", func() error { _, err := db.CreateMachine(ctx, store.NewMachine{Key: k}); return err })
	run(writes, "Accept", func() error { _, err := db.Accept(ctx, []store.Incoming{event}); return err })
	run(writes, "Apply", func() error { _, err := db.Apply(ctx, &store.Commit{}); return err })
	run(writes, "Join", func() error { _, err := db.Join(ctx, store.OwnerInfo{Lanes: 1}); return err })
	run(writes, "Beat", func() error { _, err := db.Beat(ctx, 1); return err })
	run(writes, "Lease", func() error { _, err := db.Lease(ctx, 1, 1); return err })
	run(writes, "Release", func() error { return db.Release(ctx, 1, []int16{1}) })
	run(writes, "Leave", func() error { return db.Leave(ctx, 1) })
	wg.Wait()
	return reads, writes
}

// TestBlackHole: a network that swallows everything holds nobody up for longer than patience, and leaves
// nothing behind.
func TestBlackHole(t *testing.T) {
	t.Parallel()
	net := newProxy(t, testdb.New(t, store.Migrate).URL)
	db, err := store.Open(t.Context(), net.url, store.Options{MaxConns: 30})
	if err != nil {
		t.Fatal(err)
	}
	every(t.Context(), db) // opens connections and makes the statements known
	net.mode.Store(blackHole)
	reads, writes := every(context.Background(), db)
	for name, err := range reads {
		if !errors.Is(err, store.ErrRetry) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range writes {
		if !errors.Is(err, store.ErrRetry) && !errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	db.Close() // waits for connections that are in use: there are none
	eventually(t, "all connections are closed", func() bool { return net.open.Load() == 0 })
}

// TestUnreachable: without a server nothing was sent, so that everything can be tried again.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	proxy := newProxy(t, url)
	db := open(t, proxy.url, store.Options{})
	every(t.Context(), db)
	proxy.close()
	eventually(t, "all connections are known to be lost", func() bool {
		reads, writes := every(t.Context(), db)
		for name, err := range reads {
			if !errors.Is(err, store.ErrRetry) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, err := range writes {
			if !errors.Is(err, store.ErrRetry) && !errors.Is(err, store.ErrUnknown) {
				t.Errorf("%s: %v", name, err)
			}
			if !errors.Is(err, store.ErrRetry) || !store.Unreachable(err) {
				return false
			}
		}
		return true
	})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	if _, err := store.Open(t.Context(), "postgres://u:secret@"+free.Addr().String()+"/d", store.Options{}); !errors.Is(err, store.ErrRetry) || !store.Unreachable(err) || strings.Contains(err.Error(), "secret") {
		t.Errorf("open: %v", err)
	}
	if _, err := store.Open(t.Context(), "postgres://u:secret@host:port/d", store.Options{}); err == nil || errors.Is(err, store.ErrRetry) || strings.Contains(err.Error(), "secret") {
		t.Errorf("open with a wrong URL: %v", err)
	}
}
