// Package nearest finds the word that a mistyped one was meant to be. It is a
// leaf that every error message about an unknown name can use; it holds no
// state.
package nearest

import "strings"

// Of returns the candidate with the smallest edit distance to word, compared
// without regard to case; the first of equally near ones, "" without
// candidates.
func Of(word string, candidates []string) string {
	best, bestDistance := "", -1
	for _, c := range candidates {
		if d := Distance(strings.ToLower(word), strings.ToLower(c)); bestDistance < 0 || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Distance is the number of runes to insert, delete, replace or swap with
// their neighbour to turn a into b (optimal string alignment).
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	beforeLast, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], beforeLast[j-2]+1)
			}
		}
		beforeLast, last = last, row
	}
	return last[len(y)]
}
