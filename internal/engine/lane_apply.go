package engine

import (
	"context"
	"errors"
	"time"

	"github.com/detent-run/detent/internal/store"
)

// apply commits decisions in one transaction and returns how many it committed.
//
// When the commit check finds that an event came in late, or a row turns out to be there already,
// nothing was committed: what the lane kept of these machines is dropped, and the next batch decides
// them again with what it then reads. A batch that the database refuses for any other reason is
// halved until the machine is found that is to blame, and that one is suspended.
func (l *Lane) apply(ctx context.Context, decisions []decision) (int, error) {
	if len(decisions) == 0 {
		return 0, nil
	}
	err := l.commit(ctx, decisions)
	var late *store.LateEventsError
	switch {
	case err == nil:
		return len(decisions), nil
	case errors.As(err, &late):
		l.fireAgain(decisions)
		return 1, nil // come again at once
	case errors.Is(err, store.ErrDuplicate):
		l.forget(decisions)
		return 1, nil
	case errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrRetry), errors.Is(err, store.ErrUnknown), ctx.Err() != nil:
		l.forget(decisions)
		return 0, err
	}
	l.forget(decisions)
	if len(decisions) == 1 {
		return l.blame(ctx, decisions[0], err)
	}
	half := len(decisions) / 2
	first, err := l.apply(ctx, decisions[:half])
	if err != nil {
		return first, err
	}
	second, err := l.apply(ctx, decisions[half:])
	return first + second, err
}

func (l *Lane) commit(ctx context.Context, decisions []decision) error {
	c := gather(decisions)
	c.Owner, c.Lane = l.o.Owner, l.o.No
	for i := range c.History {
		c.History[i].Owner, c.History[i].Lane = l.o.Owner, l.o.No
	}
	begin := time.Now()
	sample, err := l.store.Apply(ctx, c)
	if err != nil {
		return err
	}
	l.o.Clock.Note(sample)
	for i := range decisions {
		next := decisions[i].next
		l.cache.put(&next)
		delete(l.suspect, next.key)
	}
	if l.o.Applied != nil {
		l.o.Applied(c, time.Since(begin))
	}
	return nil
}

// blame deals with the machine whose decision the database refuses. What the lane kept of it may
// have been wrong, so it is read and decided once more; refused again, it is suspended. If not even
// that can be written it is left alone for a while, so that the others go on.
func (l *Lane) blame(ctx context.Context, d decision, cause error) (int, error) {
	key := d.next.key
	if !l.suspect[key] {
		l.suspect[key] = true
		return 1, nil
	}
	delete(l.suspect, key)
	l.o.Log.Error("suspending a machine whose batch is refused", "machine", key.Machine, "error", cause)
	err := l.commit(ctx, []decision{suspend(d.work, reason{Code: codeBatch, Message: cause.Error()})})
	if err != nil {
		l.cache.drop(key)
		l.shunned[key] = time.Now().Add(shunFor)
		l.o.Log.Error("a machine can be neither decided nor suspended", "machine", key.Machine, "error", err)
	}
	return 1, nil
}

// forget drops what the lane keeps of the machines, for the database knows better, but not that their
// timers are due.
func (l *Lane) forget(decisions []decision) {
	l.fireAgain(decisions)
	for i := range decisions {
		l.cache.drop(decisions[i].next.key)
	}
}
