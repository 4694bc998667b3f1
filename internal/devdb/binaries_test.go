package devdb

import (
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakePrograms makes a directory whose programs say the given version. A shell writes them: if this
// process did, a test that starts a process at that very moment would pass the open file on to it for an
// instant, and the kernel does not run a program that is being written ("text file busy").
func fakePrograms(t *testing.T, says string) string {
	t.Helper()
	dir := filepath.Dir(openDir(t))
	for _, name := range programs {
		write := exec.Command("/bin/sh", "-c", `printf '#!/bin/sh\necho "%s"\n' "$1" >"$0" && chmod 755 "$0"`, filepath.Join(dir, name), says)
		if out, err := write.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// thisAccount is whom the tests' clusters run as.
func thisAccount() account {
	if os.Geteuid() == 0 {
		return unprivileged()
	}
	return ownAccount()
}

func TestInspect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, says  string
		want, wrong string
	}{
		{name: "debian", says: "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", want: "15.18"},
		{name: "plain", says: "postgres (PostgreSQL) 17.5", want: "17.5"},
		{name: "beta", says: "postgres (PostgreSQL) 19beta1", want: "19beta1"},
		{name: "too old", says: "postgres (PostgreSQL) 13.21", wrong: "too old: Detent needs 14 or newer"},
		{name: "another program", says: "postgres: a museum", wrong: "does not understand"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := fakePrograms(t, test.says)
			got, err := thisAccount().inspect(dir)
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) || !strings.Contains(err.Error(), dir) {
					t.Errorf("error %v, want one that names %s and says %q", err, dir, test.wrong)
				}
				return
			}
			if err != nil || got.version != test.want {
				t.Errorf("version %q, %v; want %q", got.version, err, test.want)
			}
		})
	}
}

// The newest installation comes first, by number: 9.6 < 14 < 17.
func TestNewestFirst(t *testing.T) {
	t.Parallel()
	dirs := []string{"/usr/lib/postgresql/9.6/bin", "/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/14/bin"}
	slices.SortFunc(dirs, newestFirst)
	want := []string{"/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/14/bin", "/usr/lib/postgresql/9.6/bin"}
	if diff := cmp.Diff(want, dirs); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// What DETENT_POSTGRES_BIN names is used or refused; nothing else is looked for.
func TestNamedPrograms(t *testing.T) {
	t.Parallel()
	home := openDir(t)
	data := filepath.Join(home, clusterName)
	if err := os.MkdirAll(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, versionFile), []byte("16\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, dir, wrong string }{
		{"fits", fakePrograms(t, "postgres (PostgreSQL) 16.9"), ""},
		{"other version", fakePrograms(t, "postgres (PostgreSQL) 18.4"), "was made by Postgres 16, and DETENT_POSTGRES_BIN names Postgres 18.4"},
		{"nothing there", t.TempDir(), "DETENT_POSTGRES_BIN: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := find(t.Context(), Options{BinDir: test.dir}, thisAccount(), home)
			if test.wrong == "" && err != nil {
				t.Error(err)
			}
			if test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
				t.Errorf("error %v, want %q", err, test.wrong)
			}
		})
	}
}

// A cluster of a version that is not installed and cannot be downloaded: the error says what was
// looked at, and what can be done.
func TestNoProgramsForTheCluster(t *testing.T) {
	t.Parallel()
	home := openDir(t)
	data := filepath.Join(home, clusterName)
	if err := os.MkdirAll(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, versionFile), []byte("99\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := find(t.Context(), Options{Log: slog.New(slog.DiscardHandler)}, thisAccount(), home)
	if err == nil {
		t.Fatal("Postgres 99 was found")
	}
	for _, part := range []string{"no Postgres 99 was found", home, "there is no download of Postgres 99", "DETENT_POSTGRES_BIN", "DETENT_DATABASE_URL"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q:\n%v", part, err)
		}
	}
}

// The programs come from the repository once, and from the cache afterwards; they run.
func TestDownload(t *testing.T) {
	t.Parallel()
	repo := &repository{t: t, archive: programArchive(t)}
	server := httptest.NewServer(repo)
	defer server.Close()
	home := openDir(t)
	o := Options{Dir: home, Repository: server.URL, Log: slog.New(slog.DiscardHandler), downloads: filepath.Join(filepath.Dir(home), "cache")}
	for range 2 {
		found, err := fetch(t.Context(), o, thisAccount(), home, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(o.downloads, "postgres-"+string(downloads[defaultMajor]), "bin"); found.dir != want {
			t.Errorf("programs in %s, want %s", found.dir, want)
		}
		o.BinDir = found.dir
	}
	if n := repo.jars.Load(); n != 1 {
		t.Errorf("%d downloads, want 1", n)
	}
	c, err := Start(t.Context(), Options{Dir: home, BinDir: o.BinDir, Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, c)
	query(t, c.URL(), `SELECT ''`)
	left, err := filepath.Glob(filepath.Join(o.downloads, "download-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A download that fails says so, and leaves nothing that a later start could take for programs.
func TestDownloadFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		repo  *repository
		wrong string
	}{
		{"not there", &repository{}, "no version found"},
		{"changed on the way", &repository{archive: []byte("PK rubbish"), sum: "00"}, "checksums do not match"},
		{"not an archive", &repository{archive: []byte("PK rubbish")}, "error fetching postgres"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.repo.t = t
			server := httptest.NewServer(test.repo)
			defer server.Close()
			cache := filepath.Join(filepath.Dir(openDir(t)), "cache")
			o := Options{Repository: server.URL, Log: slog.New(slog.DiscardHandler), downloads: cache}
			_, err := fetch(t.Context(), o, thisAccount(), t.TempDir(), 16)
			if err == nil || !strings.Contains(err.Error(), test.wrong) || !strings.Contains(err.Error(), server.URL) {
				t.Errorf("error %v, want one that names the repository and says %q", err, test.wrong)
			}
			if left, err := os.ReadDir(cache); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
