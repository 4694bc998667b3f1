package store_test

import (
	"errors"
	"testing"

	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/testdb"
)

// peer returns what an owner sees of another.
func peer(t *testing.T, db *store.DB, self, other int64) store.Peer {
	t.Helper()
	leases, err := db.Beat(t.Context(), self)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range leases.Peers {
		if p.ID == other {
			return p
		}
	}
	t.Fatalf("owner %d sees no owner %d", self, other)
	return store.Peer{}
}

type takeOver struct {
	ended bool
	err   error
}

// TestTakeOverWaitsForACommit: a commit that has passed the fence ends before the takeover does; all
// later ones find the fence gone.
func TestTakeOverWaitsForACommit(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{ApplicationName: "taker"})
	commit := prepare(t, db, "m")
	dead := peer(t, db, commit.Owner, commit.Owner)
	// A commit of another application: the takeover does not end its session.
	tx := hold(t, url, `SELECT detent.fence($1, 0)`, commit.Owner)
	done := make(chan takeOver, 1)
	go func() {
		ended, err := db.TakeOver(t.Context(), dead)
		done <- takeOver{ended, err}
	}()
	waitsForLock(t, url, "taker")
	select {
	case r := <-done:
		t.Fatalf("taken over under a commit: %+v", r)
	default:
	}
	if _, err := tx.Exec(t.Context(), `UPDATE detent.machine SET labels = '{"by":"the commit"}'`); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := <-done; !r.ended || r.err != nil {
		t.Fatalf("taken over: %+v", r)
	}
	if m, err := db.FindMachine(t.Context(), key("m")); err != nil || string(m.Labels) != `{"by":"the commit"}` || m.Owner != "" {
		t.Errorf("machine %+v, %v", m, err)
	}
	if _, err := db.Apply(t.Context(), commit); !errors.Is(err, store.ErrFenced) {
		t.Errorf("apply after the takeover: %v", err)
	}
}

// TestCommitWaitsForATakeOver: a commit that begins while a takeover is under way goes the way of the
// takeover.
func TestCommitWaitsForATakeOver(t *testing.T) {
	t.Parallel()
	for name, commits := range map[string]bool{"that succeeds": true, "that fails": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := testdb.New(t, store.Migrate).URL
			db := open(t, url, store.Options{ApplicationName: "lane"})
			commit := prepare(t, db, "m")
			tx := hold(t, url, `DELETE FROM detent.owner_fence WHERE owner_id = $1`, commit.Owner)
			done := make(chan error, 1)
			go func() {
				_, err := db.Apply(t.Context(), commit)
				done <- err
			}()
			waitsForLock(t, url, "lane")
			end := tx.Rollback
			if commits {
				end = tx.Commit
			}
			if err := end(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-done; errors.Is(err, store.ErrFenced) != commits || !commits && err != nil {
				t.Errorf("apply: %v", err)
			}
		})
	}
}

// TestTakeOverEndsSessions: a process that was stopped in the middle of a commit holds its lock on the
// fence past every timeout of its own. Its sessions are ended.
func TestTakeOverEndsSessions(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{})
	commit := prepare(t, db, "m")
	theirs := open(t, url, store.Options{ApplicationName: store.OwnerName(commit.Owner)})
	presence, err := theirs.HoldPresence(t.Context(), commit.Owner)
	if err != nil {
		t.Fatal(err)
	}
	// This session stands for the lane that was stopped: it never goes on.
	stopped := hold(t, url, `SELECT set_config('application_name', $2, false), detent.fence($1, 0)`,
		commit.Owner, store.OwnerName(commit.Owner))

	self := join(t, db)
	dead := peer(t, db, self, commit.Owner)
	if ended, err := db.TakeOver(t.Context(), dead); !ended || err != nil {
		t.Fatalf("taken over: %t, %v", ended, err)
	}
	if _, err := stopped.Exec(t.Context(), `SELECT 1`); err == nil {
		t.Error("the stopped session goes on")
	}
	if err := presence.Check(t.Context()); err == nil {
		t.Error("the presence goes on")
	}
	_ = presence.Close(t.Context()) // its connection is gone
	if _, err := theirs.Apply(t.Context(), commit); !errors.Is(err, store.ErrFenced) && !errors.Is(err, store.ErrUnknown) {
		t.Errorf("apply after the takeover: %v", err)
	}
}

// TestTakeOverSparesTheLiving: whoever has beaten since is not touched, nor are his sessions.
func TestTakeOverSparesTheLiving(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{})
	owner := join(t, db)
	theirs := open(t, url, store.Options{ApplicationName: store.OwnerName(owner)})
	presence, err := theirs.HoldPresence(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	self := join(t, db)
	seen := peer(t, db, self, owner)
	if _, err := theirs.Beat(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	if ended, err := db.TakeOver(t.Context(), seen); ended || err != nil {
		t.Errorf("taken over: %t, %v", ended, err)
	}
	if err := presence.Check(t.Context()); err != nil {
		t.Errorf("presence: %v", err)
	}
	if err := presence.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestTakeOverSparesWhoBeatsMeanwhile: a heartbeat that comes after the takeover has looked, and before
// it has deleted, still counts.
func TestTakeOverSparesWhoBeatsMeanwhile(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{ApplicationName: "taker"})
	commit := prepare(t, db, "m")
	seen := peer(t, db, commit.Owner, commit.Owner)
	beat := hold(t, url, `UPDATE detent.owner SET heartbeat = heartbeat + 1 WHERE owner_id = $1`, commit.Owner)
	done := make(chan takeOver, 1)
	go func() {
		ended, err := db.TakeOver(t.Context(), seen)
		done <- takeOver{ended, err}
	}()
	waitsForLock(t, url, "taker")
	if err := beat.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.ended || r.err != nil {
		t.Errorf("taken over: %+v", r)
	}
	apply(t, db, commit)
}

// TestPresence: the lock is seen by others while it is held, and its absence when it is not.
func TestPresence(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{})
	self, other := join(t, db), join(t, db)
	theirs := open(t, url, store.Options{ApplicationName: store.OwnerName(other)})
	look := func() [2]bool {
		p := peer(t, db, self, other)
		return [2]bool{p.Present, p.HadLock}
	}
	if got := look(); got != [2]bool{false, false} {
		t.Errorf("before: present, had the lock: %v", got)
	}
	presence, err := theirs.HoldPresence(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	if got := look(); got != [2]bool{true, true} {
		t.Errorf("while it is held: %v", got)
	}
	if p := peer(t, db, self, self); p.Present || p.HadLock {
		t.Errorf("the other's lock counts for oneself: %+v", p)
	}
	if err := presence.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := presence.Close(t.Context()); err != nil {
		t.Error(err)
	}
	eventually(t, "the lock is seen to be gone", func() bool { return look() == [2]bool{false, true} })

	if presence, err = theirs.HoldPresence(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	exec1(t, url, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	eventually(t, "a lock that was lost with its session is seen to be gone", func() bool { return look() == [2]bool{false, true} })
	if err := presence.Check(t.Context()); err == nil {
		t.Error("check of a presence whose session was ended")
	}
	_ = presence.Close(t.Context()) // its connection is gone
}

// TestPresenceOfNobody: an owner that is no more cannot be present.
func TestPresenceOfNobody(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	db := open(t, url, store.Options{MaxConns: 1})
	if _, err := db.HoldPresence(t.Context(), 77); !errors.Is(err, store.ErrFenced) {
		t.Errorf("presence of an owner that never was: %v", err)
	}
	owner := join(t, db) // the connection is given back
	if presence, err := db.HoldPresence(t.Context(), owner); err != nil {
		t.Error(err)
	} else if err := presence.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
