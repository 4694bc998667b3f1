// Package settings reads the settings of a process from environment variables.
//
// Every variable stands in one table with its default and its meaning. All faults are reported at
// once, and a DETENT_ variable that nobody knows is one of them: a typo must not be a default.
//
// The package imports the standard library only.
package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Settings of a process.
type Settings struct {
	DatabaseURL        string
	MigrateDatabaseURL string
	DataDir            string
	Addr               string
	Worker             WorkerMode
	Lanes              int // 0 is by the number of cores
	PostgresBin        string
	PostgresRepository string
	LogLevel           slog.Level
	LogJSON            bool
}

// WorkerMode says whether a server runs lanes itself.
type WorkerMode string

// The modes. Auto is on with an embedded Postgres and off with a database URL.
const (
	WorkerAuto WorkerMode = "auto"
	WorkerOn   WorkerMode = "on"
	WorkerOff  WorkerMode = "off"
)

// MigrateURL is where migrations run: they need a direct connection, which a pooler is not.
func (s Settings) MigrateURL() string {
	if s.MigrateDatabaseURL != "" {
		return s.MigrateDatabaseURL
	}
	return s.DatabaseURL
}

// prefix of all variables; those of the tests are not a process's business.
const (
	prefix      = "DETENT_"
	testsPrefix = "DETENT_TEST_"
)

// variable is one row of the table.
type variable struct {
	name, standard, meaning string
	set                     func(s *Settings, text string) error
}

var variables = []variable{
	{"DETENT_DATABASE_URL", "", "Postgres to use; without it the server runs one of its own", setURL(func(s *Settings) *string { return &s.DatabaseURL })},
	{"DETENT_MIGRATE_DATABASE_URL", "", "where migrations run, when the database URL is a pooler's", setURL(func(s *Settings) *string { return &s.MigrateDatabaseURL })},
	{"DETENT_DATA_DIR", ".detent", "directory of the server's own Postgres", setText(func(s *Settings) *string { return &s.DataDir })},
	{"DETENT_ADDR", "127.0.0.1:8080", "address that the API listens on", setAddr},
	{"DETENT_WORKER", "auto", "whether the server runs lanes: on, off, or auto (on with its own Postgres)", setWorker},
	{"DETENT_LANES", "0", "lanes of a worker; 0 is 2 per core", setLanes},
	{"DETENT_POSTGRES_BIN", "", "directory of Postgres's programs; without it they are looked for", setText(func(s *Settings) *string { return &s.PostgresBin })},
	{"DETENT_POSTGRES_REPOSITORY", "", "Maven repository to fetch Postgres from where there is none", setURL(func(s *Settings) *string { return &s.PostgresRepository })},
	{"DETENT_LOG", "info", "least level that is logged: debug, info, warn, error", setLevel},
	{"DETENT_LOG_FORMAT", "text", "form of the log: text or json", setFormat},
}

// Load reads settings from an environment (as of os.Environ). The error names every variable at fault.
func Load(environ []string) (Settings, error) {
	given := make(map[string]string)
	var faults []error
	for _, pair := range environ {
		name, text, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, testsPrefix) {
			continue
		}
		if !known(name) {
			faults = append(faults, fmt.Errorf("%s: there is no such setting (-help lists them)", name))
		}
		given[name] = text
	}
	var s Settings
	for _, v := range variables {
		text := given[v.name]
		if text == "" {
			text = v.standard
		}
		if err := v.set(&s, text); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", v.name, err))
		}
	}
	return s, errors.Join(faults...)
}

func known(name string) bool {
	for _, v := range variables {
		if v.name == name {
			return true
		}
	}
	return false
}

// Usage lists all variables.
func Usage() string {
	var out strings.Builder
	out.WriteString("Settings, all of them environment variables:\n\n")
	for _, v := range variables {
		meaning := v.meaning
		if v.standard != "" {
			meaning += " (" + v.standard + ")"
		}
		fmt.Fprintf(&out, "  %-28s %s\n", v.name, meaning)
	}
	return out.String()
}

func setText(field func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, text string) error {
		*field(s) = text
		return nil
	}
}

// setURL takes what looks like a URL. The error does not repeat it: it may hold a password.
func setURL(field func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, text string) error {
		if u, err := url.Parse(text); text != "" && (err != nil || u.Scheme == "" || u.Host == "" && u.Path == "") {
			return errors.New("not a URL such as postgres://user:password@host:5432/database")
		}
		*field(s) = text
		return nil
	}
}

func setAddr(s *Settings, text string) error {
	if _, _, err := net.SplitHostPort(text); err != nil {
		return fmt.Errorf("%q is not host:port", text)
	}
	s.Addr = text
	return nil
}

func setWorker(s *Settings, text string) error {
	switch mode := WorkerMode(text); mode {
	case WorkerAuto, WorkerOn, WorkerOff:
		s.Worker = mode
		return nil
	}
	return fmt.Errorf("%q is none of auto, on, off", text)
}

// maxLanes bounds the lanes of a process: each has a connection.
const maxLanes = 256

func setLanes(s *Settings, text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxLanes {
		return fmt.Errorf("%q is not a number from 0 to %d", text, maxLanes)
	}
	s.Lanes = n
	return nil
}

func setLevel(s *Settings, text string) error {
	if err := s.LogLevel.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("%q is none of debug, info, warn, error", text)
	}
	return nil
}

func setFormat(s *Settings, text string) error {
	if text != "text" && text != "json" {
		return fmt.Errorf("%q is neither text nor json", text)
	}
	s.LogJSON = text == "json"
	return nil
}
