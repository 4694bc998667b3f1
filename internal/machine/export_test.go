package machine

import "github.com/detent-run/detent/internal/machine/syntax"

// CompileUnplanned compiles a document without what is worked out ahead of time: the dumb twin that
// Compile's definitions must behave like.
func CompileUnplanned(doc *syntax.Document) (*Definition, error) {
	d, err := Compile(doc)
	if err != nil {
		return nil, err
	}
	forget := func(list []*transition) {
		for _, t := range list {
			t.static, t.domain, t.plan, t.ids, t.after, t.footprint = len(t.targets) == 0, t.source, nil, nil, nil, nil
		}
	}
	for i := range d.nodes {
		forget(d.nodes[i].always)
		for _, c := range d.nodes[i].exact {
			forget(c.list)
		}
	}
	return d, nil
}

// ReadWritten is the quick one of the two readers that DecodeSnapshot has, ReadPatiently the other.
func (d *Definition) ReadWritten(text []byte) (Snapshot, bool) { return d.readWritten(text) }

// ReadPatiently is the one that has the last word.
func (d *Definition) ReadPatiently(text []byte) (Snapshot, error) { return d.readPatiently(text) }
