package machine

import (
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// defaultMachineID is the id of a machine that gives none.
const defaultMachineID = "(machine)"

// compileTree numbers the states in document order and gives them their ids.
func (c *compiler) compileTree() {
	c.d.nodes = make([]node, 0, count(c.doc.Machine))
	root := c.doc.Machine.ID
	if root == "" {
		root = defaultMachineID
	}
	c.addState(c.doc.Machine, none, root)
	for i := range c.d.nodes {
		if n := &c.d.nodes[i]; n.parent != none {
			parent := &c.d.nodes[n.parent]
			if n.kind == syntax.History {
				parent.histories = append(parent.histories, n.index)
			} else {
				parent.regions = append(parent.regions, n.index)
			}
		}
	}
}

func count(s *syntax.State) int {
	n := 1
	for _, x := range s.States {
		n += count(x)
	}
	return n
}

// addState numbers a state and its descendants. A default id is the machine's id and the keys from
// below the root down; the custom id of an ancestor plays no part in it.
func (c *compiler) addState(s *syntax.State, parent int32, path string) {
	index := int32(len(c.d.nodes))
	id := s.ID
	if id == "" {
		id = path
	}
	c.d.nodes = append(c.d.nodes, node{
		index: index, parent: parent, kind: s.Type, deep: s.Deep, id: id, key: s.Key, tags: s.Tags, meta: s.Meta,
		alwaysAt: none, quotedID: value.OfText(id).String(), quotedKey: value.OfText(s.Key).String(),
	})
	c.states = append(c.states, s)
	if other, taken := c.d.byID[id]; taken {
		c.fault(s.At, CodeDuplicateID, "two states have the id %q; the other is %s", id, c.where(other))
	} else {
		c.d.byID[id] = index
	}
	if parent != none {
		c.d.children[childKey{parent, s.Key}] = index
	}
	for _, x := range s.States {
		c.addState(x, index, path+"."+x.Key)
	}
	c.d.nodes[index].end = int32(len(c.d.nodes))
	if s.Type == syntax.History && parent == none {
		c.fault(s.At, syntax.CodeBadValue, "a machine cannot be a history state")
	}
}

// where names a state for a message.
func (c *compiler) where(n int32) string {
	if at := c.states[n].At; at != "" {
		return at
	}
	return "the machine itself"
}

// doneEvents prepares the event of a state's completion.
func (c *compiler) doneEvents(n *node) {
	n.doneType = "xstate.done.state." + n.id
	n.doneEvent = event(n.doneType)
}

func event(eventType string) value.Value {
	return value.OfObject(value.Member{Key: "type", Value: value.OfText(eventType)})
}

// splitPath splits a target or an id at its dots. A dot behind a backslash belongs to a key.
func splitPath(text string) []string {
	var parts []string
	var part strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '.':
			part.WriteByte('.')
			i++
		case text[i] == '.':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(text[i])
		}
	}
	return append(parts, part.String())
}

// unknownKey is a path that stops at a key that a state does not have.
type unknownKey struct {
	state int32
	key   string
}

// walk goes down the keys from a state.
func (d *Definition) walk(from int32, keys []string) (int32, *unknownKey) {
	for _, key := range keys {
		to, ok := d.children[childKey{from, key}]
		if !ok {
			return none, &unknownKey{from, key}
		}
		from = to
	}
	return from, nil
}

// stateByID returns the state that "#id" or "#id.key" names.
func (d *Definition) stateByID(text string) (int32, error) {
	name, ok := strings.CutPrefix(text, "#")
	if !ok {
		return none, fmt.Errorf("a state is named by its id, as in \"#%s\"", text)
	}
	parts := splitPath(name)
	n, ok := d.byID[parts[0]]
	if !ok {
		return none, fmt.Errorf("no state has the id %q", parts[0])
	}
	n, missing := d.walk(n, parts[1:])
	if missing != nil {
		return none, fmt.Errorf("the state %q has no child %q", d.nodes[missing.state].id, missing.key)
	}
	return n, nil
}
