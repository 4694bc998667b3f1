package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// patience is how long a call waits for the database in all, when the caller sets no earlier limit. It
// is above every limit of the server's (sessionSQL), so that normally the server says why it gave up.
const patience = 15 * time.Second

// connectPatience is how long a new connection may take.
const connectPatience = 5 * time.Second

// DB is a pool of connections to one database.
type DB struct{ pool *pgxpool.Pool }

// Options of Open.
type Options struct {
	ApplicationName string // shown in pg_stat_activity; an owner's is OwnerName(id)
	MaxConns        int32
}

// Open connects. The caller closes.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if o.MaxConns > 0 {
		config.MaxConns = o.MaxConns
	}
	prepareConfig(config.ConnConfig, o.ApplicationName)
	config.AfterConnect = prepareSession
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open: %w: %w", ErrRetry, err)
	}
	return &DB{pool: pool}, nil
}

// Close waits for running statements and closes all connections.
func (db *DB) Close() { db.pool.Close() }

// versionSQL reads which migration ran last.
const versionSQL = `SELECT coalesce(max(version), 0) FROM detent.schema_version`

// Ping reports whether the database answers, and is migrated to this program's version.
func (db *DB) Ping(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	known, err := newestMigration()
	if err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	var at int
	if err := db.pool.QueryRow(ctx, versionSQL).Scan(&at); err != nil {
		return readFault("ping", err)
	}
	switch {
	case at > known:
		return fmt.Errorf("ping: %w", tooNew(at, known))
	case at < known:
		return fmt.Errorf("ping: database is at migration %d, this program needs %d", at, known)
	}
	return nil
}

// prepareConfig gives a connection its name and notices a peer that vanished: a host that is cut off
// sends nothing, so both sides have to ask.
func prepareConfig(config *pgx.ConnConfig, applicationName string) {
	if applicationName != "" {
		config.RuntimeParams["application_name"] = applicationName
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectPatience
	}
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3,
	}}
	config.DialFunc = dialer.DialContext
}

// sessionSQL sets what every connection needs. It is a statement and not a list of start-up parameters
// because poolers refuse those that they do not know.
//
// Limits in time: nothing that the store runs takes long. A client that stops in the middle of a
// transaction would hold its locks for ever. A session that does nothing is no mistake, though: that is
// how a Presence looks. The keepalives are the server's side of prepareConfig's.
//
// The planner: statements run by index over tables that are empty one minute and large the next, and a
// plan that was cached for the empty one must not scan the large one. Arrays are unnested on the left
// of every join, so a nested loop over the index on the right is always the right plan; and by an index
// means in its order, row by row, which a bitmap has not. TestPlans holds the statements to that. So the
// plan for any arguments is as good as one for these, and it is made once: left to itself the planner
// takes short arrays for a reason to plan anew each time, which costs more than running the statement.
//
// Read committed is what the order of statements in a lane's transaction counts on: each sees what was
// committed before it began.
const sessionSQL = `
SELECT
    set_config('statement_timeout', '10s', false),
    set_config('lock_timeout', '5s', false),
    set_config('idle_in_transaction_session_timeout', '10s', false),
    set_config('idle_session_timeout', '0', false),
    set_config('tcp_keepalives_idle', '5', false),
    set_config('tcp_keepalives_interval', '2', false),
    set_config('tcp_keepalives_count', '3', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('default_transaction_read_only', 'off', false),
    set_config('enable_seqscan', 'off', false),
    set_config('enable_bitmapscan', 'off', false),
    set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false),
    set_config('plan_cache_mode', 'force_generic_plan', false),
    set_config('jit', 'off', false)`

// prepareSession makes a new connection ready. Times come back in UTC, for the host's zone is nobody's
// business.
func prepareSession(ctx context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name:  "timestamptz",
		OID:   pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	if _, err := conn.Exec(ctx, sessionSQL); err != nil {
		return fmt.Errorf("set up the session: %w", err)
	}
	return nil
}

// found makes ErrNotFound of an answer without rows.
func found(op string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%s: %w", op, ErrNotFound)
	}
	return readFault(op, err)
}
