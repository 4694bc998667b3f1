package devdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// oldestMajor is the oldest Postgres that Detent's SQL is tested with.
	oldestMajor = 14

	// versionFile holds a cluster's major version.
	versionFile = "PG_VERSION"
)

// programs are the two that we run. Client tools are not needed: some distributions pack them apart.
var programs = []string{"postgres", "initdb"}

// places are where distributions put the programs without putting them into PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin",                               // Debian, Ubuntu
	"/usr/pgsql-*/bin",                                        // Red Hat, by postgresql.org
	"/usr/libexec/postgresql*",                                // Alpine
	"/opt/homebrew/opt/postgresql@*/bin",                      // Homebrew on ARM Macs
	"/usr/local/opt/postgresql@*/bin",                         // Homebrew on Intel Macs
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",         // Homebrew on Linux
	"/Applications/Postgres.app/Contents/Versions/[1-9]*/bin", // Postgres.app
}

// installation is a directory with Postgres's programs.
type installation struct {
	dir     string
	major   int
	version string // "15.18"
}

func (i installation) program(name string) string { return filepath.Join(i.dir, name) }

func (i installation) String() string { return fmt.Sprintf("Postgres %s in %s", i.version, i.dir) }

// clusterMajor returns the version of the programs that made the cluster, 0 when there is no cluster yet.
func clusterMajor(home string) (int, error) {
	path := filepath.Join(home, clusterName, versionFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s does not hold a version that Detent knows: %q", path, text)
	}
	return major, nil
}

// find returns the programs to use: of the version that the cluster has, or of any when it is new.
// What DETENT_POSTGRES_BIN names is used or refused, never passed over.
func find(ctx context.Context, o Options, who account, home string) (installation, error) {
	major, err := clusterMajor(home)
	if err != nil {
		return installation{}, err
	}
	if o.BinDir != "" {
		found, err := who.inspect(o.BinDir)
		if err != nil {
			return installation{}, fmt.Errorf("DETENT_POSTGRES_BIN: %w", err)
		}
		if major != 0 && found.major != major {
			return installation{}, fmt.Errorf("the cluster in %s was made by Postgres %d, and DETENT_POSTGRES_BIN names %v: name one of version %d, or another DETENT_DATA_DIR for a new cluster",
				home, major, found, major)
		}
		return found, nil
	}
	var passed []string
	for _, dir := range candidates() {
		found, err := who.inspect(dir)
		switch {
		case err != nil:
			passed = append(passed, err.Error())
		case major != 0 && found.major != major:
			passed = append(passed, fmt.Sprintf("%v does not fit a cluster made by Postgres %d", found, major))
		default:
			return found, nil
		}
	}
	found, err := fetch(ctx, o, who, home, major)
	if err != nil {
		return installation{}, notFound(home, major, passed, err)
	}
	return found, nil
}

// notFound says what was looked at, and what one can do.
func notFound(home string, major int, passed []string, fetchErr error) error {
	var b strings.Builder
	if major != 0 {
		fmt.Fprintf(&b, "no Postgres %d was found, which made the cluster in %s\n", major, home)
	} else {
		b.WriteString("no Postgres was found\n")
	}
	for _, p := range passed {
		fmt.Fprintf(&b, "  passed over: %s\n", p)
	}
	fmt.Fprintf(&b, "  download: %v\n", fetchErr)
	b.WriteString("install Postgres (apt-get install postgresql, brew install postgresql@17), or name a directory with its programs in DETENT_POSTGRES_BIN, " +
		"or a running server in DETENT_DATABASE_URL")
	return errors.New(b.String())
}

// candidates lists directories that hold the programs: PATH's first, then by place, newest first,
// then the one that pg_config knows.
func candidates() []string {
	var dirs []string
	add := func(dir string) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if holdsPrograms(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		// A link in PATH may stand alone; its target has initdb beside it.
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		add(filepath.Dir(path))
	}
	for _, place := range places {
		found, _ := filepath.Glob(place) // fails only on a bad pattern
		slices.SortFunc(found, newestFirst)
		for _, dir := range found {
			add(dir)
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		add(strings.TrimSpace(string(out)))
	}
	return dirs
}

var digits = regexp.MustCompile(`\d+`)

// newestFirst compares directories by the versions in their names.
func newestFirst(a, b string) int {
	number := func(s string) int {
		n, _ := strconv.Atoi(digits.FindString(s))
		return n
	}
	return number(b) - number(a)
}

func holdsPrograms(dir string) bool {
	for _, p := range programs {
		if info, err := os.Stat(filepath.Join(dir, p)); err != nil || info.IsDir() {
			return false
		}
	}
	return true
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) ((\d+)[^\s]*)`)

// inspect asks the programs in a directory for their version, as the account that is to run them.
func (a account) inspect(dir string) (installation, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return installation{}, err
	}
	if !holdsPrograms(dir) {
		return installation{}, fmt.Errorf("%s does not hold the programs %s", dir, strings.Join(programs, " and "))
	}
	out, err := a.command("/", filepath.Join(dir, "postgres"), "--version").CombinedOutput()
	if err != nil {
		return installation{}, fmt.Errorf("run %s as %s: %w%s", filepath.Join(dir, "postgres"), a.name, err, lastLines(string(out)))
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil {
		return installation{}, fmt.Errorf("%s says a version that Detent does not understand: %q", filepath.Join(dir, "postgres"), out)
	}
	major, err := strconv.Atoi(string(m[2]))
	if err != nil {
		return installation{}, err
	}
	found := installation{dir: dir, major: major, version: string(m[1])}
	if major < oldestMajor {
		return installation{}, fmt.Errorf("%v is too old: Detent needs %d or newer", found, oldestMajor)
	}
	return found, nil
}
