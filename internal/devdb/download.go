package devdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// DefaultRepository is the Maven repository that Postgres is downloaded from.
const DefaultRepository = "https://repo1.maven.org/maven2"

// defaultMajor is the version of a new cluster when nothing is installed: the one that
// docker-compose.yml has, too.
const defaultMajor = 17

// downloads are the builds that the repository has, by major version.
var downloads = map[int]embedded.PostgresVersion{
	14: embedded.V14, 15: embedded.V15, 16: embedded.V16, 17: embedded.V17, 18: embedded.V18,
}

// fetch returns downloaded programs, of the given major version unless it is 0; those that were
// downloaded before are used again.
func fetch(ctx context.Context, o Options, who account, home string, major int) (installation, error) {
	if major == 0 {
		major = defaultMajor
	}
	version, known := downloads[major]
	if !known {
		return installation{}, fmt.Errorf("there is no download of Postgres %d", major)
	}
	cache := o.downloads
	if cache == "" {
		cache = cacheDir(who, home)
	}
	dir := filepath.Join(cache, "postgres-"+string(version))
	if _, err := os.Stat(dir); err == nil {
		return who.inspect(filepath.Join(dir, "bin"))
	}
	repository := o.Repository
	if repository == "" {
		repository = DefaultRepository
	}
	o.Log.Info("no Postgres is installed here, downloading it", "version", string(version), "from", repository)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return installation{}, err
	}
	scratch, err := os.MkdirTemp(cache, "download-")
	if err != nil {
		return installation{}, err
	}
	defer os.RemoveAll(scratch)
	if err := os.Chmod(scratch, 0o755); err != nil { // root's download is run by another account
		return installation{}, err
	}
	if err := download(ctx, scratch, repository, version); err != nil {
		return installation{}, err
	}
	// Another process may have been faster; its copy is as good as ours.
	if err := os.Rename(filepath.Join(scratch, "programs"), dir); err != nil && !errors.Is(err, os.ErrExist) {
		return installation{}, err
	}
	return who.inspect(filepath.Join(dir, "bin"))
}

// cacheDir is where downloads are kept. Root's own cache is closed to the account that must run them.
func cacheDir(who account, home string) string {
	if who.drop {
		return filepath.Join(fallbackRoot, "downloads")
	}
	dir, err := os.UserCacheDir()
	if err != nil { // no HOME
		return filepath.Join(home, "downloads")
	}
	return filepath.Join(dir, "detent")
}

// download fetches and unpacks the programs into scratch/programs.
//
// The library has one call, Start, which downloads, unpacks, runs initdb and starts a server. Only
// the first half is wanted: initdb and the server are run with more care by this package (another
// account, a session of their own, locks). So Start is sent against a wall behind the first half: the
// port is free and the locale is none that initdb knows. Whether the first half went through is told
// by a marker in the place of the data directory, which Start clears right before initdb.
func download(ctx context.Context, scratch, repository string, version embedded.PostgresVersion) error {
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	marker := filepath.Join(scratch, "data", "marker")
	if err := os.Mkdir(filepath.Dir(marker), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		return err
	}
	failure := embedded.NewDatabase(embedded.DefaultConfig().
		Version(version).
		BinaryRepositoryURL(repository).
		Port(uint32(port)).
		CachePath(filepath.Join(scratch, "archive")).
		RuntimePath(filepath.Join(scratch, "runtime")).
		DataPath(filepath.Dir(marker)).
		BinariesPath(filepath.Join(scratch, "programs")).
		Locale("only-the-programs-are-wanted").
		Logger(io.Discard)).Start()
	if _, err := os.Stat(marker); err == nil {
		return fmt.Errorf("from %s: %w", repository, failure)
	}
	if err := ctx.Err(); err != nil { // the library's download cannot be interrupted
		return err
	}
	return nil
}
