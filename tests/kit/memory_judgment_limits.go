package kit

import (
	"fmt"
	"strings"
)

// Accented returns n characters of two bytes each.
func Accented(n int) string { return strings.Repeat("é", n) }

// Approvals returns n ids, and judgments with them.
func Approvals(n int) (ids []string, all []map[string]any) {
	for i := range n {
		ids = append(ids, fmt.Sprint("r", i))
		all = append(all, Verdict("ann", "approve", map[string]any{"recordId": ids[i]}))
	}
	return ids, all
}
