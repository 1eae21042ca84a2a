package view

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThreadsAreReadSomeAtATime(t *testing.T) {
	t.Parallel()
	of := func(comments, text int64) *storedAnnotation {
		return &storedAnnotation{comments: comments, bytes: text}
	}
	for name, c := range map[string]struct {
		rows []*storedAnnotation
		want int
	}{
		"all that fit":       {[]*storedAnnotation{of(1000, 1), of(1000, 1)}, 2},
		"by comments":        {[]*storedAnnotation{of(1000, 1), of(1000, 1), of(1, 1)}, 2},
		"by text":            {[]*storedAnnotation{of(1, 1<<20), of(1, 1<<20), of(1, 1)}, 2},
		"one that is larger": {[]*storedAnnotation{of(1, 8<<20), of(1, 1)}, 1},
	} {
		require.Equal(t, c.want, severalThreads(c.rows), name)
	}
}
