package scheduler

import (
	"time"

	"github.com/detent-run/detent/internal/store"
)

// deadline is a machine that has something to do at an instant.
type deadline struct {
	at  time.Time
	key store.Key
}

// deadlines is a heap, the earliest first (container/heap).
type deadlines []deadline

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].at.Before(d[j].at) }
func (d deadlines) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *deadlines) Push(x any)        { *d = append(*d, x.(deadline)) }
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	*d = (*d)[:last]
	return x
}
