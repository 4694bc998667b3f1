package engine

import (
	"container/list"

	"github.com/detent-run/detent/internal/store"
)

// cache keeps the machines that a lane decided lately, so that a batch reads only what is new. Only
// the owner writes a machine, so what is cached is what the database has; when that is in doubt (an
// unknown commit, a bucket given up) the lane drops it. Bounded by the bytes of the snapshots.
type cache struct {
	limit int
	used  int
	order *list.List // of *held, the one used last in front
	byKey map[store.Key]*list.Element
}

func newCache(limit int) *cache {
	return &cache{limit: limit, order: list.New(), byKey: map[store.Key]*list.Element{}}
}

// cost is what a machine counts for: its written form, and what surrounds it in memory.
func cost(h *held) int { return h.bytes + 512 }

func (c *cache) find(key store.Key) (*held, bool) {
	e, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*held), true
}

func (c *cache) put(h *held) {
	c.drop(h.key)
	c.byKey[h.key] = c.order.PushFront(h)
	c.used += cost(h)
	for c.used > c.limit && c.order.Len() > 1 {
		c.drop(c.order.Back().Value.(*held).key)
	}
}

func (c *cache) drop(key store.Key) {
	if e, ok := c.byKey[key]; ok {
		c.used -= cost(e.Value.(*held))
		c.order.Remove(e)
		delete(c.byKey, key)
	}
}

// dropUnless drops the machines for which keep is false.
func (c *cache) dropUnless(keep func(store.Key) bool) {
	for e := c.order.Front(); e != nil; {
		next := e.Next()
		if key := e.Value.(*held).key; !keep(key) {
			c.drop(key)
		}
		e = next
	}
}
