package engine

import (
	"context"
	"sync"

	"github.com/detent-run/detent/internal/machine"
)

// definitionOf returns the definition of a machine. Most events concern machines that others were
// about lately, so which definition belongs to them is remembered.
func (e *Engine) definitionOf(ctx context.Context, id string) (*machine.Definition, error) {
	name, known := e.bound.find(id)
	if !known {
		row, err := e.machineRow(ctx, id)
		if err != nil {
			return nil, err
		}
		name = definitionKey{row.Key.Namespace, row.Definition, row.Version}
		e.bound.note(id, name)
	}
	def, err := e.defs.find(ctx, name.namespace, name.name, name.version)
	return def, outside(err)
}

// boundDefinitions remembers which definition a machine has. The zero value remembers nothing yet.
type boundDefinitions struct {
	mu   sync.RWMutex
	byID map[string]definitionKey
}

// maxBound is how many machines are remembered; beyond that all are forgotten, and read again.
const maxBound = 100_000

func (b *boundDefinitions) find(id string) (definitionKey, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	name, ok := b.byID[id]
	return name, ok
}

func (b *boundDefinitions) note(id string, name definitionKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byID == nil || len(b.byID) >= maxBound {
		b.byID = map[string]definitionKey{}
	}
	b.byID[id] = name
}
