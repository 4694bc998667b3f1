package engine

import (
	"context"
	"sync"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/store"
)

// definitionOf returns the definition of a machine.
func (e *Engine) definitionOf(ctx context.Context, id string) (*machine.Definition, error) {
	name, known := e.bound.find(id)
	if !known {
		names, err := e.definitionNames(ctx, []string{id})
		if err != nil {
			return nil, err
		}
		if name, known = names[id]; !known {
			return nil, unknownMachine(id)
		}
	}
	def, err := e.defs.find(ctx, name.namespace, name.name, name.version)
	return def, outside(err)
}

// definitionNames returns which definitions machines have; a machine that does not exist has none. Most
// events concern machines that others were about lately, so that is remembered, and the rest is read in
// one statement.
func (e *Engine) definitionNames(ctx context.Context, ids []string) (map[string]definitionKey, error) {
	names := make(map[string]definitionKey, len(ids))
	var missing []store.Key
	for _, id := range ids {
		if _, twice := names[id]; twice {
			continue
		}
		name, known := e.bound.find(id)
		if !known {
			missing = append(missing, key(id))
		}
		names[id] = name
	}
	if len(missing) == 0 {
		return names, nil
	}
	for _, k := range missing {
		delete(names, k.Machine)
	}
	rows, err := e.db.Bindings(ctx, missing)
	if err != nil {
		return nil, outside(err)
	}
	for _, r := range rows {
		name := definitionKey{r.Key.Namespace, r.Definition, r.Version}
		e.bound.note(r.Key.Machine, name)
		names[r.Key.Machine] = name
	}
	return names, nil
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
