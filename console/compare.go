package console

import (
	"slices"
	"strings"
)

// line is a line of one of two texts, or of both.
type line struct {
	Text        string
	Gone, Added bool
}

// longest is how many lines are compared: beyond, all of one text is gone and all of the other added.
const longest = 2000

// compare returns the lines of two texts with what is only in one of them, by their longest common
// subsequence.
func compare(before, after string) (lines []line) {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	common := commonFrom(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, line{Text: a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common(i+1, j) >= common(i, j+1):
			lines = append(lines, line{Text: a[i], Gone: true})
			i++
		default:
			lines = append(lines, line{Text: b[j], Added: true})
			j++
		}
	}
	return lines
}

// commonFrom returns how many lines the rests of two texts have in common, from two lines on.
func commonFrom(a, b []string) func(i, j int) int32 {
	if len(a) > longest || len(b) > longest {
		return func(int, int) int32 { return 0 }
	}
	width := len(b) + 1
	table := make([]int32, (len(a)+1)*width)
	for i, line := range slices.Backward(a) {
		for j, other := range slices.Backward(b) {
			if line == other {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	return func(i, j int) int32 { return table[i*width+j] }
}
