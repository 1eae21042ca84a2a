package chunk_test

import (
	"fmt"
	"testing"

	"github.com/redline-svc/redline/internal/chunk"
)

// BenchmarkSplitOfOddTexts shows that the time grows with the text and not with its
// square: eight times the text is split at about the same bytes a second.
func BenchmarkSplitOfOddTexts(b *testing.B) {
	for name, text := range oddTexts {
		for _, size := range []int{64 << 10, 512 << 10} {
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				odd := text(size)
				b.SetBytes(int64(len(odd)))
				for b.Loop() {
					chunk.Split(odd)
				}
			})
		}
	}
}
