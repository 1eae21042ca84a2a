package kit

import (
	"fmt"
	"strings"
)

func ManyKeys(n int) any { return Numbered(n) }

func ManyTags(count int) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "{{u%d}}", i)
	}
	return text.String()
}
