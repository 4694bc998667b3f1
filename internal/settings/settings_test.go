package settings

import (
	"log/slog"
	"strings"
	"testing"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := Load([]string{"PATH=/bin", "DETENT_TEST_POSTGRES=container"})
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{DataDir: ".detent", Addr: "127.0.0.1:8080", Worker: WorkerAuto, LogLevel: slog.LevelInfo}
	if s != want {
		t.Fatalf("got %+v, want %+v", s, want)
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Load([]string{
		"DETENT_DATABASE_URL=secret", "DETENT_ADDR=8080", "DETENT_WORKER=yes", "DETENT_LANES=-1",
		"DETENT_LOG=loud", "DETENT_LOG_FORMAT=xml", "DETENT_DATABSE_URL=postgres://x",
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"DETENT_DATABASE_URL", "DETENT_ADDR", "DETENT_WORKER", "DETENT_LANES", "DETENT_LOG", "DETENT_LOG_FORMAT", "DETENT_DATABSE_URL"} {
		if !strings.Contains(err.Error(), name+":") {
			t.Errorf("the error does not name %s:\n%v", name, err)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error repeats what may be a password: %v", err)
	}
}

func TestUsageNamesEverySetting(t *testing.T) {
	t.Parallel()
	for _, v := range variables {
		if !strings.Contains(Usage(), v.name) {
			t.Errorf("usage does not name %s", v.name)
		}
	}
}

func TestMigrateURL(t *testing.T) {
	t.Parallel()
	s, err := Load([]string{"DETENT_DATABASE_URL=postgres://pooler/d"})
	if err != nil || s.MigrateURL() != "postgres://pooler/d" {
		t.Fatalf("%q, %v", s.MigrateURL(), err)
	}
	s, err = Load([]string{"DETENT_DATABASE_URL=postgres://pooler/d", "DETENT_MIGRATE_DATABASE_URL=postgres://direct/d"})
	if err != nil || s.MigrateURL() != "postgres://direct/d" {
		t.Fatalf("%q, %v", s.MigrateURL(), err)
	}
}
