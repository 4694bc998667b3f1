package store

import "context"

// ClaimMachines reads the waiting events of these machines, not the parked ones, oldest first, at
// most limit of each. It changes nothing. Page.More is false: a machine with limit events may have more.
func (db *DB) ClaimMachines(ctx context.Context, keys []Key, limit int) (Page, error) {
	panic("to be written")
}
