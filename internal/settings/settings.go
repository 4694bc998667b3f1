// Package settings reads what a Detent process is told by its environment.
//
// There are no flags and no files: an environment variable is what containers, systemd units and
// shells all have. Every variable is one row of a table (table.go) that gives its name, default,
// meaning and how it is read; the usage text is made from the same rows, so it cannot fall behind.
//
// A wrong value is an error that names the variable, and so is a DETENT_ variable that is not in the
// table: a misspelt name must not leave a default in force unnoticed. All errors come at once. An
// empty variable counts as one that is not set, because files for docker-compose cannot unset one.
// Variables that begin with DETENT_TEST_ belong to the tests, and are left alone.
//
// The package imports the standard library only.
package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

const (
	prefix     = "DETENT_"
	testPrefix = "DETENT_TEST_"
)

// Settings are the settings of a process, checked, with defaults in place.
type Settings struct {
	DatabaseURL        string     // "": a Postgres of the process's own
	MigrateDatabaseURL string     // "": DatabaseURL
	DataDir            string     // of that own Postgres
	PostgresBin        string     // directory of its programs; "": looked for
	PostgresRepository string     // where they are downloaded from; "": the downloader's default
	Addr               string     // host:port of the HTTP API
	Worker             WorkerMode // whether the server runs lanes
	Lanes              int        // 0: by the number of cores
	LogLevel           slog.Level // the least that is logged
	LogFormat          LogFormat
}

// WorkerMode says whether the server runs lanes itself.
type WorkerMode string

// The modes.
const (
	WorkerAuto WorkerMode = "auto" // when the server brings its own Postgres
	WorkerOn   WorkerMode = "on"
	WorkerOff  WorkerMode = "off"
)

// LogFormat is how log lines look.
type LogFormat string

// The formats of logs.
const (
	LogText LogFormat = "text" // key=value
	LogJSON LogFormat = "json" // one object per line
)

// MigrateURL is the database as migrations reach it.
func (s Settings) MigrateURL() string {
	if s.MigrateDatabaseURL != "" {
		return s.MigrateDatabaseURL
	}
	return s.DatabaseURL
}

// Load reads settings from an environment in the form of os.Environ.
func Load(environ []string) (Settings, error) {
	given := map[string]string{}
	var errs []error
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, testPrefix):
		case !known(name):
			errs = append(errs, fmt.Errorf("%s is not a setting of Detent (-help lists them)", name))
		default:
			given[name] = strings.TrimSpace(value)
		}
	}
	var s Settings
	for _, v := range table {
		value := given[v.name]
		if value == "" {
			value = v.standard
		}
		if err := v.read(&s, value); err != nil {
			errs = append(errs, fmt.Errorf("%s %w", v.name, err))
		}
	}
	if s.MigrateDatabaseURL != "" && s.DatabaseURL == "" {
		errs = append(errs, errors.New("DETENT_MIGRATE_DATABASE_URL is set, but DETENT_DATABASE_URL is not"))
	}
	if len(errs) > 0 {
		return Settings{}, errors.Join(errs...)
	}
	return s, nil
}

// Usage lists the variables with their defaults and meanings, for people.
func Usage() string {
	var b strings.Builder
	b.WriteString("Environment variables:\n")
	for _, v := range table {
		fmt.Fprintf(&b, "\n  %s", v.name)
		if v.standard != "" {
			fmt.Fprintf(&b, "  (default %s)", v.standard)
		}
		fmt.Fprintf(&b, "\n      %s\n", strings.ReplaceAll(v.meaning, "\n", "\n      "))
	}
	return b.String()
}
