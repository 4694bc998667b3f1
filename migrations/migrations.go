// Package migrations holds the database's schema as numbered steps, embedded into the programs.
//
// A step is a pair of files, NNNNNN_name.up.sql and NNNNNN_name.down.sql, and runs as one transaction
// together with the note that it ran (see internal/store, which runs them). A step that was released
// is never changed: what turns out wrong is mended by a later one. A step that old programs cannot live
// with comes in two releases, expand and then contract. Every table, column, view and function carries
// a COMMENT, which a test asks the catalogue about, so that psql's \d+ explains the schema.
package migrations

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS
