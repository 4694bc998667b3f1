package testdb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"

	"github.com/jackc/pgx/v5"
)

const (
	// lockClass keeps our advisory locks apart from others'; the second number is a token, or 0 for
	// the lock that migrations run under.
	lockClass = 1_684_369_524

	prefix = "detenttest_" // of the names of databases, then come token and number
)

// server is the Postgres of this test process.
type server struct {
	source
	token int32

	// conn is the session that holds the token's lock, and makes and drops databases.
	connMu sync.Mutex
	conn   *pgx.Conn
	made   int

	templatesMu sync.Mutex
	templates   map[uintptr]string
}

// open finds the server, takes a token and clears away what killed processes have left.
func open(ctx context.Context) (*server, error) {
	src, err := findSource(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{source: src, templates: map[uintptr]string{}}
	if s.conn, err = pgx.Connect(ctx, src.url); err != nil {
		return nil, errors.Join(err, src.stop(ctx))
	}
	if err := s.takeToken(ctx); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	if err := s.sweep(ctx); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// takeToken takes a number that no other process has now.
func (s *server) takeToken(ctx context.Context) error {
	for {
		token := 1 + rand.Int32N(1<<30)
		var granted bool
		if err := s.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, $2)`, lockClass, token).Scan(&granted); err != nil {
			return fmt.Errorf("take a token: %w", err)
		}
		if granted {
			s.token = token
			return nil
		}
	}
}

const orphansSQL = `
SELECT datname FROM pg_catalog.pg_database
WHERE datname LIKE 'detenttest\_%'
AND NOT EXISTS (
	SELECT FROM pg_catalog.pg_locks
	WHERE locktype = 'advisory' AND classid = $1::int8::oid AND objid::int8 = split_part(datname, '_', 2)::int8
)`

// sweep drops the databases of processes that are gone.
func (s *server) sweep(ctx context.Context) error {
	names, err := s.orphans(ctx)
	if err != nil {
		return fmt.Errorf("look for databases left behind: %w", err)
	}
	for _, name := range names {
		if err := s.drop(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) orphans(ctx context.Context) ([]string, error) {
	s.connMu.Lock()
	defer s.connMu.Unlock()
	rows, err := s.conn.Query(ctx, orphansSQL, int64(lockClass))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// create makes a database of this process out of another one that nobody is connected to.
func (s *server) create(ctx context.Context, template string) (string, error) {
	s.connMu.Lock()
	defer s.connMu.Unlock()
	s.made++
	name := fmt.Sprintf("%s%d_%d", prefix, s.token, s.made)
	statement := "CREATE DATABASE " + quoted(name) + " TEMPLATE " + quoted(template)
	if template == emptyTemplate {
		statement += " ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'" // whatever the server was made with
	}
	if _, err := s.conn.Exec(ctx, statement); err != nil {
		return "", err
	}
	return name, nil
}

// drop removes a database, whoever is connected to it. Another process may be sweeping it, too.
func (s *server) drop(ctx context.Context, name string) error {
	s.connMu.Lock()
	defer s.connMu.Unlock()
	_, err := s.conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quoted(name)+" WITH (FORCE)")
	return err
}

// alone runs f while no other test process does.
func (s *server) alone(ctx context.Context, f func() error) error {
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) // gives the lock up
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1, 0)`, lockClass); err != nil {
		return err
	}
	return f()
}

// urlOf returns the URL of another database of the server.
func (s *server) urlOf(name string) string {
	u, err := url.Parse(s.url)
	if err != nil {
		panic(err) // findSource parsed it
	}
	u.Path = "/" + name
	return u.String()
}

// close drops what this process has made, and gives the server up.
func (s *server) close(ctx context.Context) error {
	s.templatesMu.Lock()
	defer s.templatesMu.Unlock()
	var errs []error
	for _, name := range s.templates {
		errs = append(errs, s.drop(ctx, name))
	}
	return errors.Join(append(errs, s.conn.Close(ctx), s.stop(ctx))...)
}
