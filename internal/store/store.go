// Package store keeps machines in Postgres, and is the only package that knows SQL.
//
// # Rows
//
// A machine is a row of detent.machine, which nothing changes, and its newest row of detent.snapshot,
// which every macrostep writes anew. What waits for it are rows of detent.inbox (events) and of
// detent.timer (deadlines, which are events ahead of their time). What happened is detent.history_entry.
// The store does not look into payloads: a snapshot or an event is text to it. Machines lie in 256
// buckets (see Key.Bucket), and every key begins with the bucket.
//
// # Who may write
//
// Anybody may put an event into an inbox (Accept, CreateMachine). Everything else of a machine changes
// in Apply alone, a lane's transaction, and only the owner that holds the machine's bucket may run it.
// An owner is a worker process with an id that is never used again. Its right to commit is a row of
// detent.owner_fence, which each commit holds by a lock; taking over from it deletes the row, and so
// waits for commits under way and stops all later ones. Hence two owners can never both commit, whatever
// they believe about each other.
//
// # Time
//
// The database's clock is the only one. Accept stamps an event with it; Apply refuses a timer that
// would fire before its deadline, and refuses a batch that overlooked an event which had been accepted
// before the last one that it decided (the commit check). Both run inside the transaction. Every lane's
// call brings back a reading of the clock, as a clock.Sample.
//
// # Failures
//
// An error tells what has become of the transaction. ErrRetry: nothing was changed, and the same call
// may succeed later. ErrUnknown: the connection was lost after the transaction had been sent; the caller
// has to read again. ErrFenced, ErrDuplicate and LateEventsError: nothing was changed, and what the
// caller knows is out of date. Any other error of Apply is the batch's own fault. Every error carries
// its cause.
//
// Every call ends within patience, whatever happens to the network.
//
// The package imports internal/clock and migrations, and nothing else of this program.
package store
