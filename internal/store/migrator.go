package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/golang-migrate/migrate/v4/database"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// migrator runs migrations for golang-migrate on one connection.
//
// The driver that comes with the library notes "version N, dirty" in a transaction of its own, runs N,
// and notes "version N" in a third one. A process that is killed in between leaves a database that no
// program starts on until somebody mends the flag by hand. On Postgres there is no need for that: here
// the note and the migration are one transaction, so either both are there or neither.
//
// The library calls SetVersion(n, true), Run, SetVersion(n, false): the first begins the transaction and
// the last commits it. Its interface knows no context; ctx is that of the one call to Migrate that the
// value lives for.
type migrator struct {
	ctx  context.Context
	conn *pgx.Conn
	tx   pgx.Tx // under way, nil between migrations
	seen int    // version that the database had when it was first asked
}

var _ database.Driver = (*migrator)(nil)

// migratorLock is the key of the session advisory lock that keeps concurrent calls apart: "detent" in
// ASCII.
const migratorLock = 0x646574656e74

// lockPatience is how long one call to Migrate waits for another one to finish.
const lockPatience = 10 * time.Minute

// ddlPatience is how long a migration waits for a lock on a table. Everybody else queues up behind such
// a wait, so it gives up soon; the program can be started again.
const ddlPatience = "5s"

func openMigrator(ctx context.Context, url string) (*migrator, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	prepareConfig(config, "detent migrate")
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	// Not every platform of the server can look. There, only the end of the statement ends the session.
	_, _ = conn.Exec(ctx, noticeDeathSQL)
	return &migrator{ctx: ctx, conn: conn}, nil
}

// noticeDeathSQL makes the server look, while a statement runs, whether this process is still there: a
// migration can run long, and holds the lock that the next start of the program waits for.
const noticeDeathSQL = `SELECT set_config('client_connection_check_interval', '1s', false)`

// Open is what the library calls for URLs of registered drivers; this one is not registered.
func (m *migrator) Open(string) (database.Driver, error) {
	return nil, errors.New("open the migrator by openMigrator")
}

// Close ends the connection, and with it a transaction under way and the lock.
func (m *migrator) Close() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.ctx), connectPatience)
	defer cancel()
	return m.conn.Close(ctx)
}

const lockMigratorSQL = `SELECT pg_advisory_lock(@key)`

// Lock waits until no other call migrates, and makes the table of versions when it is not there.
func (m *migrator) Lock() error {
	ctx, cancel := context.WithTimeout(m.ctx, lockPatience)
	defer cancel()
	if _, err := m.conn.Exec(ctx, lockMigratorSQL, pgx.StrictNamedArgs{"key": int64(migratorLock)}); err != nil {
		return fmt.Errorf("wait for another migration: %w", err)
	}
	return m.ensureVersionTable()
}

const unlockMigratorSQL = `SELECT pg_advisory_unlock(@key)`

// Unlock lets the next call migrate. What a failed migration did is rolled back first.
func (m *migrator) Unlock() error {
	if err := m.rollback(); err != nil {
		return err
	}
	_, err := m.conn.Exec(m.ctx, unlockMigratorSQL, pgx.StrictNamedArgs{"key": int64(migratorLock)})
	return err
}

const schemaExistsSQL = `
SELECT
    EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'detent'),
    to_regclass('detent.schema_version') IS NOT NULL`

const createSchemaSQL = `
CREATE SCHEMA detent;
COMMENT ON SCHEMA detent IS 'Detent: durable statecharts. People read the views; the tables behind them may change.'`

const createVersionTableSQL = `
CREATE TABLE detent.schema_version (
    version     bigint      NOT NULL PRIMARY KEY,
    migrated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE detent.schema_version IS 'A row is a migration that ran. It is written by the transaction that ran it.';
COMMENT ON COLUMN detent.schema_version.version IS 'Number of the migration.';
COMMENT ON COLUMN detent.schema_version.migrated_at IS 'When it ran.'`

// ensureVersionTable looks first: CREATE ... IF NOT EXISTS asks for privileges that a role may lack
// where everything is there already.
func (m *migrator) ensureVersionTable() error {
	var schema, table bool
	if err := m.conn.QueryRow(m.ctx, schemaExistsSQL).Scan(&schema, &table); err != nil {
		return err
	}
	if table {
		return nil
	}
	script := createVersionTableSQL
	if !schema {
		script = createSchemaSQL + ";" + script
	}
	// A script without arguments is one transaction.
	if err := m.conn.PgConn().Exec(m.ctx, script).Close(); err != nil {
		return fmt.Errorf("make the schema: %w", err)
	}
	return nil
}

// Version returns the number of the last migration that ran. It is never dirty.
func (m *migrator) Version() (int, bool, error) {
	var at int
	if err := m.conn.QueryRow(m.ctx, versionSQL).Scan(&at); err != nil {
		return 0, false, err
	}
	m.seen = max(m.seen, at)
	if at == 0 {
		at = database.NilVersion
	}
	return at, false, nil
}

const setVersionSQL = `
WITH undone AS (DELETE FROM detent.schema_version WHERE version > @version)
INSERT INTO detent.schema_version (version)
SELECT @version WHERE @version > 0
ON CONFLICT DO NOTHING`

// SetVersion begins a migration (under way) or commits it.
func (m *migrator) SetVersion(version int, underWay bool) error {
	if underWay {
		return m.begin()
	}
	if m.tx == nil {
		return errors.New("no migration is under way")
	}
	if _, err := m.tx.Exec(m.ctx, setVersionSQL, pgx.StrictNamedArgs{"version": int64(version)}); err != nil {
		return errors.Join(err, m.rollback())
	}
	tx := m.tx
	m.tx = nil
	return tx.Commit(m.ctx)
}

const ddlTimeoutSQL = `SELECT set_config('lock_timeout', @patience, true)`

func (m *migrator) begin() error {
	tx, err := m.conn.Begin(m.ctx)
	if err != nil {
		return err
	}
	m.tx = tx
	if _, err := tx.Exec(m.ctx, ddlTimeoutSQL, pgx.StrictNamedArgs{"patience": ddlPatience}); err != nil {
		return errors.Join(err, m.rollback())
	}
	return nil
}

// Run runs the text of a migration, all of its statements, in the transaction under way.
func (m *migrator) Run(text io.Reader) error {
	script, err := io.ReadAll(text)
	if err != nil {
		return err
	}
	if m.tx == nil {
		return errors.New("no migration is under way")
	}
	if err := m.conn.PgConn().Exec(m.ctx, string(script)).Close(); err != nil {
		return placed(err, string(script))
	}
	return nil
}

// placed adds to an error of Postgres the line of the script that it is about.
func placed(err error, script string) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Position < 1 {
		return err
	}
	line, at := 1, int32(0)
	for _, r := range script {
		if at++; at >= pg.Position {
			break
		}
		if r == '\n' {
			line++
		}
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// Drop is the library's command to delete everything. Nobody here should be able to call it.
func (m *migrator) Drop() error { return errors.New("drop the database by hand") }

func (m *migrator) rollback() error {
	if m.tx == nil {
		return nil
	}
	tx := m.tx
	m.tx = nil
	if err := tx.Rollback(context.WithoutCancel(m.ctx)); err != nil && !m.conn.IsClosed() {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}
