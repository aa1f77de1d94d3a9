// Package nearest finds the word that a mistyped one was meant to be. It is a
// leaf that every error message about an unknown name can use; it holds no
// state.
package nearest

import "strings"

// Of returns the candidate that is most like word, compared without regard to
// case: one that word begins, else the one at the smallest edit distance. Of
// equally near ones it is the one with the longest common beginning (one typed
// whole before all others), then the
// one nearest in length, then the first. "" without candidates.
func Of(word string, candidates []string) string {
	best, bestScore := "", score{}
	for i, c := range candidates {
		if s := compare(strings.ToLower(word), strings.ToLower(c)); i == 0 || s.less(bestScore) {
			best, bestScore = c, s
		}
	}
	return best
}

// score orders candidates: smaller is nearer, field by field.
type score [3]int

func compare(word, candidate string) score {
	distance, common := Distance(word, candidate), 0
	for common < min(len(word), len(candidate)) && word[common] == candidate[common] {
		common++
	}
	if len(word) > 2 && common == len(word) {
		distance = 1
	}
	if common == len(candidate) {
		common++ // all of it was typed, and something more
	}
	return score{distance, -common, max(len(word), len(candidate)) - min(len(word), len(candidate))}
}

func (s score) less(o score) bool {
	for i := range s {
		if s[i] != o[i] {
			return s[i] < o[i]
		}
	}
	return false
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
