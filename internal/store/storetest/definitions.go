package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/detent-run/detent/internal/store"
)

var definitionTests = []test{
	{"definition: versions count up for each name", versionsCountUp},
	{"definition: the same content registers once", contentRegistersOnce},
	{"definition: concurrent registrations", registrationsAtOnce},
	{"definition: pages", definitionPages},
	{"definition: not found", definitionNotFound},
}

func definition(name, document string) store.Definition {
	sum := sha256.Sum256([]byte(document))
	return store.Definition{
		Namespace: store.Namespace, Name: name, Hash: hex.EncodeToString(sum[:]),
		Document: []byte(document), Warnings: []byte(`[{"pointer":"/x"}]`),
	}
}

func (b *bench) register(name, document string) (store.Definition, bool) {
	b.Helper()
	d, created, err := b.RegisterDefinition(b.ctx, definition(name, document))
	if err != nil {
		b.Fatal(err)
	}
	return d, created
}

func versionsCountUp(b *bench) {
	for i, want := range []struct {
		name    string
		version int
	}{{"a", 1}, {"a", 2}, {"b", 1}, {"a", 3}} {
		document := fmt.Sprintf(`{"n":%d}`, i)
		d, created := b.register(want.name, document)
		if !created || d.Version != want.version || d.CreatedAt.IsZero() {
			b.Errorf("registration %d: version %d of %s, created %t at %v; want version %d", i, d.Version, want.name, created, d.CreatedAt, want.version)
		}
		same(b, "read again", must(b.Definition(b.ctx, store.Namespace, want.name, want.version)), d)
		same(b, "the latest", must(b.Definition(b.ctx, store.Namespace, want.name, 0)), d)
	}
}

func contentRegistersOnce(b *bench) {
	first, _ := b.register("a", `{"n":1}`)
	b.register("a", `{"n":2}`)
	again, created := b.register("a", `{"n":1}`)
	if created {
		b.Error("the same content became a new version")
	}
	same(b, "registered again", again, first)
	if d, created := b.register("b", `{"n":1}`); !created || d.Version != 1 {
		b.Errorf("the same content under another name is version %d, created %t", d.Version, created)
	}
}

func registrationsAtOnce(b *bench) {
	const n = 12
	versions := make([]int, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			d, _, err := b.RegisterDefinition(b.ctx, definition("a", fmt.Sprintf(`{"n":%d}`, i/2)))
			if err != nil {
				b.Error(err)
			}
			versions[i] = d.Version
		})
	}
	wg.Wait()
	for i := 0; i < n; i += 2 {
		if versions[i] != versions[i+1] {
			b.Errorf("one content has versions %d and %d", versions[i], versions[i+1])
		}
	}
	slices.Sort(versions)
	same(b, "versions", slices.Compact(versions), []int{1, 2, 3, 4, 5, 6})
}

func definitionPages(b *bench) {
	for _, name := range []string{"c", "a", "b"} {
		b.register(name, `{"n":1}`)
		b.register(name, `{"n":2}`)
	}
	names := func(all []store.Definition) []string {
		texts := []string{}
		for _, d := range all {
			texts = append(texts, fmt.Sprintf("%s %d %s", d.Name, d.Version, d.Warnings))
			if d.Document != nil {
				b.Errorf("the list carries the document of %s", d.Name)
			}
		}
		return texts
	}
	const w = ` [{"pointer":"/x"}]`
	same(b, "first page", names(must(b.Definitions(b.ctx, store.Namespace, "", 2))), []string{"a 2" + w, "b 2" + w})
	same(b, "second page", names(must(b.Definitions(b.ctx, store.Namespace, "b", 2))), []string{"c 2" + w})
	same(b, "versions", names(must(b.DefinitionVersions(b.ctx, store.Namespace, "a", 0, 10))), []string{"a 2" + w, "a 1" + w})
	same(b, "versions, one", names(must(b.DefinitionVersions(b.ctx, store.Namespace, "a", 0, 1))), []string{"a 2" + w})
	same(b, "versions below 2", names(must(b.DefinitionVersions(b.ctx, store.Namespace, "a", 2, 10))), []string{"a 1" + w})
	same(b, "another namespace", names(must(b.Definitions(b.ctx, "other", "", 10))), []string{})
}

func definitionNotFound(b *bench) {
	b.register("a", `{"n":1}`)
	for _, c := range []struct {
		name    string
		version int
	}{{"b", 0}, {"b", 1}, {"a", 2}, {"a", -1}, {"a\x00", 0}, {"a\xff", 0}} {
		if _, err := b.Definition(b.ctx, store.Namespace, c.name, c.version); !errors.Is(err, store.ErrNotFound) {
			b.Errorf("version %d of %q: %v", c.version, c.name, err)
		}
	}
}
