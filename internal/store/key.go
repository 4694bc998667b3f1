package store

import (
	"crypto/sha256"
	"strings"
)

// Key names a machine.
type Key struct{ Namespace, Machine string }

// Namespace that everything lies in until there are more.
const Namespace = "default"

// Buckets is how many buckets there are.
const Buckets = 256

// Bucket returns the bucket of the machine's family: the first byte of sha256(namespace, 0, root id),
// where the root id is what stands before the first "/". It is the same in SQL (detent.bucket_of) for ever.
func (k Key) Bucket() int16 {
	root, _, _ := strings.Cut(k.Machine, "/")
	text := make([]byte, 0, 256)
	text = append(text, k.Namespace...)
	text = append(text, 0)
	text = append(text, root...)
	return int16(sha256.Sum256(text)[0])
}

// EventRef names an event of a machine.
type EventRef struct {
	Key     Key
	EventID string
}

// keyColumns are keys as the arrays that a statement unnests.
type keyColumns struct {
	buckets    []int16
	namespaces []string
	machines   []string
}

func newKeyColumns(n int) keyColumns {
	return keyColumns{
		buckets:    make([]int16, 0, n),
		namespaces: make([]string, 0, n),
		machines:   make([]string, 0, n),
	}
}

func (c *keyColumns) add(k Key) {
	c.buckets = append(c.buckets, k.Bucket())
	c.namespaces = append(c.namespaces, k.Namespace)
	c.machines = append(c.machines, k.Machine)
}

func columnsOf(keys []Key) keyColumns {
	c := newKeyColumns(len(keys))
	for _, k := range keys {
		c.add(k)
	}
	return c
}
