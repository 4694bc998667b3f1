package store

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"
)

// column takes one field of many rows, as the array that a statement unnests. A slice would do, but pgx
// would have to find out by reflection what is in most of them.
func column[R, V any](rows []R, field func(*R) V) pgtype.FlatArray[V] {
	values := make(pgtype.FlatArray[V], len(rows))
	for i := range rows {
		values[i] = field(&rows[i])
	}
	return values
}

func nullText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// byBucket returns the rows in the order of their buckets, and within one of what then says: the order
// of a primary key. Rows that are the same in it stay as they are. A bucket is a hash, and rows are
// large: each hash is made once, and rows are moved when their places are known.
func byBucket[R any](rows []R, key func(*R) Key, then func(a, b *R) int) []R {
	type place struct {
		bucket int16
		row    *R
	}
	places := make([]place, len(rows))
	for i := range rows {
		places[i] = place{key(&rows[i]).Bucket(), &rows[i]}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if a.bucket != b.bucket {
			return cmp.Compare(a.bucket, b.bucket)
		}
		return then(a.row, b.row)
	})
	sorted := make([]R, len(rows))
	for i, p := range places {
		sorted[i] = *p.row
	}
	return sorted
}

// compareNames is the order of keys within a bucket.
func compareNames(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Machine, b.Machine))
}

// compareRefs is the order of events within a bucket.
func compareRefs(a, b *EventRef) int {
	return cmp.Or(compareNames(a.Key, b.Key), cmp.Compare(a.EventID, b.EventID))
}
