package conformance

import (
	"fmt"
	"slices"
	"testing"
)

// report is a field report: a defect that users of other agents met. Its number
// is that of the collection in the specification.
type report struct {
	n   int
	run func(t *testing.T)
}

// reports are all that an agent can be tested on here. Elsewhere or not yet:
// 19 (spellings of Windows paths) is a table of unit tests, 34, 80 and 89 are
// about hosted agents, 64 and 71 about subagents, which this agent has not.
func reports() []report {
	return slices.Concat(diffReports, placeReports, terminalReports, fileReports, cancelReports, permissionReports, storedReports, wireReports)
}

var reportNumbers = []int{
	1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 20, 22, 23, 25, 26, 28, 29, 31, 32, 35, 37, 38, 40, 41, 43, 44, 46, 47, 49, 50,
	52, 53, 55, 56, 58, 59, 61, 62, 65, 67, 68, 70, 73, 74, 76, 77, 79, 82, 83, 85, 86, 88, 91, 92, 94, 95,
}

func TestField(t *testing.T) {
	t.Parallel()
	var numbers []int
	for _, r := range reports() {
		numbers = append(numbers, r.n)
		t.Run(fmt.Sprintf("%02d", r.n), func(t *testing.T) {
			t.Parallel()
			r.run(t)
		})
	}
	if slices.Sort(numbers); !slices.Equal(numbers, reportNumbers) {
		t.Errorf("reports %v, want %v", numbers, reportNumbers)
	}
}
