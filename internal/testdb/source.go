package testdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/testcontainers/testcontainers-go"

	"github.com/detent-run/detent/internal/devdb"
)

// defaultImage is the one that docker-compose.yml has, too.
const defaultImage = "postgres:17-alpine"

// source is a server, and how one is done with it.
type source struct {
	url  string
	stop func(ctx context.Context) error
}

// findSource does what the package comment says.
func findSource(ctx context.Context) (source, error) {
	if given := os.Getenv("DETENT_TEST_DATABASE_URL"); given != "" {
		u, err := url.Parse(given)
		if err != nil || u.Host == "" {
			return source{}, errors.New("DETENT_TEST_DATABASE_URL is not a URL like postgres://user:password@host:5432/postgres")
		}
		return source{url: given, stop: func(context.Context) error { return nil }}, nil
	}
	switch kind := os.Getenv("DETENT_TEST_POSTGRES"); kind {
	case "", "local":
		return localSource(ctx)
	case "container":
		return containerSource(ctx)
	default:
		return source{}, fmt.Errorf("DETENT_TEST_POSTGRES is %q: it can be local or container", kind)
	}
}

// localSource shares the cluster of this account's test processes.
func localSource(ctx context.Context) (source, error) {
	bin := os.Getenv("DETENT_POSTGRES_BIN")
	cluster, err := devdb.Start(ctx, devdb.Options{
		Dir: localDir(bin), BinDir: bin, Repository: os.Getenv("DETENT_POSTGRES_REPOSITORY"), Volatile: true,
	})
	if err != nil {
		return source{}, err
	}
	return source{url: cluster.URL(), stop: cluster.Stop}, nil
}

// localDir keeps clusters of different programs apart, so that versions can be tried in turn.
func localDir(bin string) string {
	name := "test-postgres"
	if bin != "" {
		sum := sha256.Sum256([]byte(bin))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	cache, err := os.UserCacheDir()
	if err != nil { // no HOME
		return filepath.Join(os.TempDir(), "detent-"+strconv.Itoa(os.Geteuid()), name)
	}
	return filepath.Join(cache, "detent", name)
}

// containerSource starts a container for this process.
func containerSource(ctx context.Context) (source, error) {
	image := os.Getenv("DETENT_TEST_IMAGE")
	if image == "" {
		image = defaultImage
	}
	const password = "detent"
	box, err := testcontainers.Run(ctx, image,
		testcontainers.WithEnv(map[string]string{"POSTGRES_PASSWORD": password}),
		testcontainers.WithCmd("postgres", "-c", "fsync=off", "-c", "max_connections=400"),
		testcontainers.WithExposedPorts("5432/tcp"))
	if err != nil {
		return source{}, errors.Join(err, testcontainers.TerminateContainer(box))
	}
	stop := func(context.Context) error { return testcontainers.TerminateContainer(box) }
	endpoint, err := box.PortEndpoint(ctx, "5432/tcp", "")
	if err != nil {
		return source{}, errors.Join(err, stop(ctx))
	}
	src := source{
		url:  (&url.URL{Scheme: "postgres", User: url.UserPassword("postgres", password), Host: endpoint, Path: "/postgres", RawQuery: "sslmode=disable"}).String(),
		stop: stop,
	}
	if err := awaitServer(ctx, src.url); err != nil {
		return source{}, errors.Join(err, stop(ctx))
	}
	return src, nil
}

// awaitServer connects until it succeeds. An open port proves nothing: Docker's proxy opens it before
// there is a server behind it.
func awaitServer(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, url)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the container's Postgres does not answer: %w", err)
		case <-tick.C:
		}
	}
}
