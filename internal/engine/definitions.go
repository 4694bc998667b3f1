package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/store"
)

// Definitions compiles definitions and keeps them: a version never changes. It is safe for
// concurrent use, and one is shared by all lanes and the API of a process.
type Definitions struct {
	store definitionStore
	mu    sync.Mutex
	known map[definitionKey]*machine.Definition
}

type definitionStore interface {
	Definition(ctx context.Context, namespace, name string, version int) (store.Definition, error)
}

type definitionKey struct {
	namespace, name string
	version         int
}

// maxDefinitions bounds how many compiled versions a process keeps.
const maxDefinitions = 4096

// NewDefinitions returns an empty cache over the store.
func NewDefinitions(s definitionStore) *Definitions {
	return &Definitions{store: s, known: map[definitionKey]*machine.Definition{}}
}

// find returns a compiled version, which must exist. store.ErrNotFound when it does not.
func (d *Definitions) find(ctx context.Context, namespace, name string, version int) (*machine.Definition, error) {
	key := definitionKey{namespace, name, version}
	d.mu.Lock()
	def, ok := d.known[key]
	d.mu.Unlock()
	if ok {
		return def, nil
	}
	row, err := d.store.Definition(ctx, namespace, name, version)
	if err != nil {
		return nil, fmt.Errorf("definition %s version %d: %w", name, version, err)
	}
	def, err = compileJSON(row.Document)
	if err != nil {
		return nil, reason{Code: codeSnapshot, Message: fmt.Sprintf("definition %s version %d is not one for this version of Detent: %v", name, version, err)}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxDefinitions {
		clear(d.known)
	}
	d.known[key] = def
	return def, nil
}

func compileJSON(document []byte) (*machine.Definition, error) {
	doc, err := syntax.DecodeJSON(document)
	if err != nil {
		return nil, err
	}
	return machine.Compile(doc)
}
