package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Definition is one immutable version of a definition.
type Definition struct {
	Namespace, Name string
	Version         int
	Hash            string // hex sha256 of Document
	Document        []byte // canonical JSON
	Warnings        []byte // JSON array
	CreatedAt       time.Time
}

// registerDefinitionSQL gives a new text the next version. Two registrations at once may pick the same
// number; one of them then inserts nothing and tries again.
const registerDefinitionSQL = `
INSERT INTO detent.definition (namespace, name, version, hash, document, warnings)
SELECT @namespace, @name, 1 + coalesce(max(d.version), 0), @hash, @document, @warnings
FROM detent.definition d
WHERE d.namespace = @namespace AND d.name = @name
HAVING count(*) FILTER (WHERE d.hash = @hash) = 0
ON CONFLICT DO NOTHING
RETURNING version, created_at`

const definitionByHashSQL = `
SELECT version, hash, document, warnings, created_at
FROM detent.definition
WHERE namespace = @namespace AND name = @name AND hash = @hash`

// registrations is how often RegisterDefinition tries: each loss means that another registration of
// the same name has succeeded.
const registrations = 100

// RegisterDefinition stores a version, or finds the one of the same hash: created tells which.
func (db *DB) RegisterDefinition(ctx context.Context, d Definition) (stored Definition, created bool, err error) {
	const op = "register definition"
	ctx, cancel := bounded(ctx)
	defer cancel()
	for range registrations {
		err := db.pool.QueryRow(ctx, registerDefinitionSQL, pgx.StrictNamedArgs{
			"namespace": d.Namespace, "name": d.Name, "hash": d.Hash,
			"document": string(d.Document), "warnings": string(d.Warnings),
		}).Scan(&d.Version, &d.CreatedAt)
		if err == nil {
			return d, true, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return Definition{}, false, writeFault(op, err)
		}
		stored, err := db.definition(ctx, op, d.Namespace, d.Name, definitionByHashSQL, pgx.StrictNamedArgs{
			"namespace": d.Namespace, "name": d.Name, "hash": d.Hash,
		})
		if !errors.Is(err, ErrNotFound) {
			return stored, false, err
		}
	}
	return Definition{}, false, fmt.Errorf("%s: %w: others register %q all the time", op, ErrRetry, d.Name)
}

const definitionSQL = `
SELECT version, hash, document, warnings, created_at
FROM detent.definition
WHERE namespace = @namespace AND name = @name AND (version = @version OR @version = 0)
ORDER BY version DESC
LIMIT 1`

// Definition returns one version; version 0 is the latest. ErrNotFound.
func (db *DB) Definition(ctx context.Context, namespace, name string, version int) (Definition, error) {
	const op = "definition"
	if !storable(namespace) || !storable(name) {
		return Definition{}, found(op, pgx.ErrNoRows)
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	return db.definition(ctx, op, namespace, name, definitionSQL, pgx.StrictNamedArgs{
		"namespace": namespace, "name": name, "version": version,
	})
}

func (db *DB) definition(ctx context.Context, op, namespace, name, sql string, args pgx.StrictNamedArgs) (Definition, error) {
	d := Definition{Namespace: namespace, Name: name}
	err := db.pool.QueryRow(ctx, sql, args).Scan(&d.Version, &d.Hash, &d.Document, &d.Warnings, &d.CreatedAt)
	if err != nil {
		return Definition{}, found(op, err)
	}
	return d, nil
}

const definitionVersionsSQL = `
SELECT name, version, hash, warnings, created_at
FROM detent.definition
WHERE namespace = @namespace AND name = @name AND (version < @below OR @below = 0)
ORDER BY version DESC
LIMIT @limit`

// DefinitionVersions returns the versions of one definition, newest first, without their documents, at
// most limit, below the given version (0: from the newest).
func (db *DB) DefinitionVersions(ctx context.Context, namespace, name string, below, limit int) ([]Definition, error) {
	return db.definitions(ctx, "definition versions", namespace, definitionVersionsSQL, pgx.StrictNamedArgs{
		"namespace": namespace, "name": name, "below": below, "limit": limit,
	})
}

const definitionsSQL = `
SELECT DISTINCT ON (name) name, version, hash, warnings, created_at
FROM detent.definition
WHERE namespace = @namespace AND name > @after
ORDER BY name, version DESC
LIMIT @limit`

// Definitions returns the latest version of each definition after the given name, in the order of
// names, without documents.
func (db *DB) Definitions(ctx context.Context, namespace, after string, limit int) ([]Definition, error) {
	return db.definitions(ctx, "definitions", namespace, definitionsSQL, pgx.StrictNamedArgs{
		"namespace": namespace, "after": after, "limit": limit,
	})
}

func (db *DB) definitions(ctx context.Context, op, namespace, sql string, args pgx.StrictNamedArgs) ([]Definition, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	rows, err := db.pool.Query(ctx, sql, args)
	if err != nil {
		return nil, readFault(op, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Definition, error) {
		d := Definition{Namespace: namespace}
		err := row.Scan(&d.Name, &d.Version, &d.Hash, &d.Warnings, &d.CreatedAt)
		return d, err
	})
	return all, readFault(op, err)
}
