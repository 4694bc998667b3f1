package conformance

import (
	"fmt"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// program is a compiled definition and what its names of actors stand for.
type program struct {
	*machine.Definition
	machines map[string]string // src -> the name of a child machine's definition
}

// definitions is every definition of a case.
type definitions struct {
	root   *program
	actors map[string]*program
}

// compileAll compiles the definitions of a case. The error says which of them is refused, and why.
func compileAll(c *Case) (definitions, error) {
	root, err := compile(c.Definition)
	if err != nil {
		return definitions{}, err
	}
	all := definitions{root: root, actors: map[string]*program{}}
	for i := range c.Actors.Len() {
		name, definition := c.Actors.Member(i)
		if all.actors[name], err = compile(definition); err != nil {
			return definitions{}, fmt.Errorf("actors/%s: %w", name, err)
		}
	}
	return all, nil
}

func compile(definition value.Value) (*program, error) {
	doc, err := syntax.Decode(definition)
	if err != nil {
		return nil, err
	}
	compiled, err := machine.Compile(doc)
	if err != nil {
		return nil, err
	}
	p := &program{Definition: compiled, machines: map[string]string{}}
	for _, actor := range doc.Setup.Actors {
		if actor.Machine != "" {
			p.machines[actor.Key] = actor.Machine
		}
	}
	return p, nil
}

// child returns the definition of the child machine that src names.
func (d definitions) child(of *program, src string) (*program, error) {
	name, ok := of.machines[src]
	if !ok {
		return nil, fmt.Errorf("setup.actors has no machine %q", src)
	}
	p, ok := d.actors[name]
	if !ok {
		return nil, fmt.Errorf("the case has no definition %q under actors", name)
	}
	return p, nil
}
