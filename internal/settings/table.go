package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxLanes is the number of buckets: a lane beyond it would hold none.
const maxLanes = 256

// variable is one row of the table.
type variable struct {
	name     string
	standard string // the value in force when it is not set
	meaning  string
	read     func(s *Settings, value string) error // its error completes "DETENT_NAME ..."
}

// table has all variables, in the order in which people meet them.
var table = []variable{
	{
		name:    "DETENT_DATABASE_URL",
		meaning: "postgres://user:password@host:5432/database. Without it the server runs a Postgres\nof its own in DETENT_DATA_DIR; a worker needs it.",
		read: func(s *Settings, v string) (err error) {
			s.DatabaseURL, err = databaseURL(v)
			return err
		},
	},
	{
		name:    "DETENT_MIGRATE_DATABASE_URL",
		meaning: "The database as migrations reach it, if that differs: they need a direct connection\n(no pooler), and a role that may create tables. Default: DETENT_DATABASE_URL.",
		read: func(s *Settings, v string) (err error) {
			s.MigrateDatabaseURL, err = databaseURL(v)
			return err
		},
	},
	{
		name: "DETENT_ADDR", standard: "127.0.0.1:8080",
		meaning: "host:port that the HTTP API listens on. Port 0 takes a free one.",
		read: func(s *Settings, v string) (err error) {
			s.Addr, err = address(v)
			return err
		},
	},
	{
		name: "DETENT_WORKER", standard: string(WorkerAuto),
		meaning: "Whether the server runs lanes itself: on, off, or auto, which is on if it brings\nits own Postgres.",
		read: func(s *Settings, v string) (err error) {
			s.Worker, err = oneOf(v, WorkerAuto, WorkerOn, WorkerOff)
			return err
		},
	},
	{
		name: "DETENT_LANES", standard: "0",
		meaning: "Lanes of this process, 1 to 256. 0 is two for each core.",
		read: func(s *Settings, v string) (err error) {
			s.Lanes, err = number(v, 0, maxLanes)
			return err
		},
	},
	{
		name: "DETENT_LOG", standard: "info",
		meaning: "The least that is logged: debug, info, warn or error.",
		read: func(s *Settings, v string) (err error) {
			s.LogLevel, err = level(v)
			return err
		},
	},
	{
		name: "DETENT_LOG_FORMAT", standard: string(LogText),
		meaning: "text (key=value) or json (one object per line).",
		read: func(s *Settings, v string) (err error) {
			s.LogFormat, err = oneOf(v, LogText, LogJSON)
			return err
		},
	},
	{
		name: "DETENT_DATA_DIR", standard: ".detent",
		meaning: "Where the server's own Postgres keeps its data. Not used with DETENT_DATABASE_URL.",
		read: func(s *Settings, v string) error {
			s.DataDir = v
			return nil
		},
	},
	{
		name:    "DETENT_POSTGRES_BIN",
		meaning: "Directory with the programs postgres and initdb for the server's own Postgres.\nDefault: PATH, then where distributions put them, then a download.",
		read: func(s *Settings, v string) error {
			s.PostgresBin = v
			return nil
		},
	},
	{
		name:    "DETENT_POSTGRES_REPOSITORY",
		meaning: "Maven repository that those programs are downloaded from if there are none.\nDefault: https://repo1.maven.org/maven2.",
		read: func(s *Settings, v string) (err error) {
			s.PostgresRepository, err = webURL(v)
			return err
		},
	},
}

func known(name string) bool {
	for _, v := range table {
		if v.name == name {
			return true
		}
	}
	return false
}

// databaseURL checks the form. It does not repeat the value, which has a password in it.
func databaseURL(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", errors.New("is not a URL like postgres://user:password@host:5432/database (a password's special characters are written %XX)")
	}
	return v, nil
}

func webURL(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("is %q, which is not a URL like https://host/path", v)
	}
	return v, nil
}

func address(v string) (string, error) {
	_, port, err := net.SplitHostPort(v)
	if err != nil {
		return "", fmt.Errorf("is %q, which is not host:port", v)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("is %q, whose port is not a number from 0 to 65535", v)
	}
	return v, nil
}

func number(v string, low, high int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("is %q, which is not a number from %d to %d", v, low, high)
	}
	return n, nil
}

// levels are ours, not slog's parser: that also takes "INFO+2".
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

func level(v string) (slog.Level, error) {
	l, ok := levels[v]
	if !ok {
		return 0, fmt.Errorf("is %q, which is not one of debug, info, warn, error", v)
	}
	return l, nil
}

// oneOf reads a value that must be one of a few.
func oneOf[T ~string](v string, choices ...T) (T, error) {
	if !slices.Contains(choices, T(v)) {
		return "", fmt.Errorf("is %q, which is not one of %s", v, strings.Trim(fmt.Sprint(choices), "[]"))
	}
	return T(v), nil
}
