package judgment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
)

func TestMergeKeepsTheBetterOfTwoHits(t *testing.T) {
	hit := func(id string, similarity float64, at int64) judgment.Hit {
		return judgment.Hit{View: judgment.View{RecordID: id, CreatedAt: at}, Similarity: similarity}
	}
	review := []judgment.Hit{hit("a", 0.9, 1), hit("b", 0.4, 1), hit("c", 0.3, 1)}
	content := []judgment.Hit{hit("c", 0.9, 1), hit("d", 0.9, 2), hit("a", 0.5, 1)}
	require.Equal(t, []judgment.Hit{hit("d", 0.9, 2), hit("a", 0.9, 1), hit("c", 0.9, 1), hit("b", 0.4, 1)}, judgment.Merge(4, review, content))
	require.Equal(t, judgment.Merge(2, content, review), judgment.Merge(2, review, content), "whichever search is first")
	require.Empty(t, judgment.Merge(5))
}
