package store

import "cmp"

// column takes one field of many rows, as the array that a statement unnests.
func column[R, V any](rows []R, field func(*R) V) []V {
	values := make([]V, len(rows))
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

// compareKeys is the order of the primary keys.
func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Bucket(), b.Bucket()), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Machine, b.Machine))
}

func compareRefs(a, b EventRef) int {
	return cmp.Or(compareKeys(a.Key, b.Key), cmp.Compare(a.EventID, b.EventID))
}
