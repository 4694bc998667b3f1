package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// The kinds of work; see works.mjs and work.go.
const (
	planWork    = "plan"
	burstWork   = "burst"
	createWork  = "create"
	durableWork = "durable"
	idleWork    = "idle"
)

// scenario is one line of the table: some work, and a machine to do it with.
type scenario struct {
	Name    string
	Work    string
	Machine string      // a file of machines/, or "" and
	Ring    int         // ... a ring of so many states
	Event   value.Value // what is sent
	Events  int         // how often, in a burst

	definition json.RawMessage
	actors     map[string]json.RawMessage // definitions that the machine invokes, by name
	sources    map[string]string          // these names, by what the machine calls them
}

// readScenarios reads scenarios.json and the definitions that it names.
func readScenarios(folder string) ([]scenario, error) {
	text, err := os.ReadFile(filepath.Join(folder, "scenarios.json"))
	if err != nil {
		return nil, err
	}
	var scenarios []scenario
	if err := json.Unmarshal(text, &scenarios); err != nil {
		return nil, fmt.Errorf("scenarios.json: %w", err)
	}
	for i := range scenarios {
		if err := scenarios[i].readDefinitions(folder); err != nil {
			return nil, fmt.Errorf("%s: %w", scenarios[i].Name, err)
		}
	}
	return scenarios, nil
}

func (s *scenario) readDefinitions(folder string) (err error) {
	if s.Ring > 0 {
		s.definition = ring(s.Ring)
		return nil
	}
	if s.definition, err = readDefinition(folder, s.Machine); err != nil {
		return err
	}
	var doc struct {
		Setup struct {
			Actors map[string]struct{ Machine string }
		}
	}
	if err := json.Unmarshal(s.definition, &doc); err != nil {
		return err
	}
	s.actors, s.sources = map[string]json.RawMessage{}, map[string]string{}
	for src, a := range doc.Setup.Actors {
		s.sources[src] = a.Machine
		if s.actors[a.Machine], err = readDefinition(folder, a.Machine); err != nil {
			return err
		}
	}
	return nil
}

func readDefinition(folder, name string) (json.RawMessage, error) {
	return os.ReadFile(filepath.Join(folder, "machines", name+".json"))
}

// ring returns a definition of n states, each of which leads to the next.
func ring(n int) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"machine":{"id":"ring","initial":"s0","states":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"s%d":{"on":{"E":"s%d"}}`, i, (i+1)%n)
	}
	b.WriteString(`}}}`)
	return json.RawMessage(b.String())
}
