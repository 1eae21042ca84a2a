package kit

import (
	"fmt"
	"strings"
)

// Accented are so many characters of two bytes each.
func Accented(n int) string { return strings.Repeat("é", n) }

// Approvals are ids, or judgments with them.
func Approvals(n int) (ids []string, all []map[string]any) {
	for i := range n {
		ids = append(ids, fmt.Sprint("r", i))
		all = append(all, Verdict("ann", "approve", map[string]any{"recordId": ids[i]}))
	}
	return ids, all
}
