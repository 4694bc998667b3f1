package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longestName is the length in bytes beyond which names are not compared: nobody mistypes those, and
// comparing takes the product of two lengths.
const longestName = 64

// Nearest returns the known name that is nearest to the unknown one, "" when none is near. Near means
// that about a third of the letters may be wrong, missing, too many, or swapped with a neighbour; the
// case of letters does not count. Of names equally near, the first is returned.
func Nearest(unknown string, known []string) string {
	if unknown == "" || len(unknown) > longestName {
		return ""
	}
	length := utf8.RuneCountInString(unknown)
	best, within := "", max(1, length/3)+1
	u := []rune(strings.ToLower(unknown))
	for _, k := range known {
		if len(k) > longestName || abs(utf8.RuneCountInString(k)-length) >= within {
			continue
		}
		// A name of two letters with one wrong is another name.
		if dist := editDistance(u, []rune(strings.ToLower(k))); dist < within && dist*2 < max(length, 2) {
			best, within = k, dist
		}
	}
	return best
}

func didYouMean(unknown string, known []string) string {
	if near := Nearest(unknown, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// editDistance is the number of letters to insert, delete, replace or swap with their neighbour that
// lead from a to b (optimal string alignment), by the usual table of which three rows are kept.
func editDistance(a, b []rune) int {
	var rows [3][longestName + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
