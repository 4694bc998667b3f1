package settings

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	got, err := Load([]string{"HOME=/root", "DETENT_TEST_POSTGRES=container", "DETENT_ADDR=", "DETENTION=1"})
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{DataDir: ".detent", Addr: "127.0.0.1:8080", Worker: WorkerAuto, LogLevel: slog.LevelInfo, LogFormat: LogText}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestEveryVariable(t *testing.T) {
	t.Parallel()
	got, err := Load([]string{
		"DETENT_DATABASE_URL=postgres://u:p@db/x?sslmode=disable",
		"DETENT_MIGRATE_DATABASE_URL=postgresql://admin@db/x",
		"DETENT_ADDR=:0",
		"DETENT_WORKER=off",
		"DETENT_LANES=256",
		"DETENT_LOG=warn",
		"DETENT_LOG_FORMAT=json",
		"DETENT_DATA_DIR=/var/lib/detent",
		"DETENT_POSTGRES_BIN=/opt/postgres/bin",
		"DETENT_POSTGRES_REPOSITORY=http://mirror.example/maven2",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{
		DatabaseURL:        "postgres://u:p@db/x?sslmode=disable",
		MigrateDatabaseURL: "postgresql://admin@db/x",
		DataDir:            "/var/lib/detent",
		PostgresBin:        "/opt/postgres/bin",
		PostgresRepository: "http://mirror.example/maven2",
		Addr:               ":0",
		Worker:             WorkerOff,
		Lanes:              256,
		LogLevel:           slog.LevelWarn,
		LogFormat:          LogJSON,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestMigrateURL(t *testing.T) {
	t.Parallel()
	s := Settings{DatabaseURL: "postgres://pooler/x"}
	if got := s.MigrateURL(); got != "postgres://pooler/x" {
		t.Errorf("without one of its own: %q", got)
	}
	s.MigrateDatabaseURL = "postgres://direct/x"
	if got := s.MigrateURL(); got != "postgres://direct/x" {
		t.Errorf("with one of its own: %q", got)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"DETENT_DATABASE_URL=host=db user=x":        "DETENT_DATABASE_URL is not a URL like postgres://",
		"DETENT_DATABASE_URL=mysql://db/x":          "DETENT_DATABASE_URL is not a URL like postgres://",
		"DETENT_MIGRATE_DATABASE_URL=postgres://db": "DETENT_MIGRATE_DATABASE_URL is set, but DETENT_DATABASE_URL is not",
		"DETENT_ADDR=8080":                          `DETENT_ADDR is "8080", which is not host:port`,
		"DETENT_ADDR=localhost:http":                `DETENT_ADDR is "localhost:http", whose port`,
		"DETENT_ADDR=localhost:70000":               `DETENT_ADDR is "localhost:70000", whose port`,
		"DETENT_WORKER=yes":                         `DETENT_WORKER is "yes", which is not one of auto on off`,
		"DETENT_LANES=-1":                           `DETENT_LANES is "-1", which is not a number from 0 to 256`,
		"DETENT_LANES=257":                          "from 0 to 256",
		"DETENT_LANES=two":                          "from 0 to 256",
		"DETENT_LOG=INFO":                           `DETENT_LOG is "INFO", which is not one of debug, info, warn, error`,
		"DETENT_LOG_FORMAT=xml":                     `DETENT_LOG_FORMAT is "xml"`,
		"DETENT_POSTGRES_REPOSITORY=/srv/maven":     "DETENT_POSTGRES_REPOSITORY is",
		"DETENT_PORT=8080":                          "DETENT_PORT is not a setting of Detent",
	}
	for pair, want := range tests {
		t.Run(pair, func(t *testing.T) {
			t.Parallel()
			got, err := Load([]string{pair})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
			if got != (Settings{}) {
				t.Errorf("settings in spite of the error: %+v", got)
			}
		})
	}
}

// Somebody with three mistakes should not need three attempts.
func TestAllErrorsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Load([]string{"DETENT_LANES=x", "DETENT_LOG=x", "DETENT_X=x"})
	for _, name := range []string{"DETENT_LANES", "DETENT_LOG", "DETENT_X"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
}

// A wrong database URL is not repeated: it has a password in it, and errors are logged.
func TestErrorsKeepPasswords(t *testing.T) {
	t.Parallel()
	_, err := Load([]string{"DETENT_DATABASE_URL=postgres://u:s3cret%@db/x"})
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("error %v", err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	usage := Usage()
	for _, v := range table {
		if !strings.Contains(usage, v.name) || !strings.Contains(usage, v.standard) {
			t.Errorf("usage lacks %s or its default", v.name)
		}
	}
}
