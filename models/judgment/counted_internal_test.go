package judgment

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"github.com/stretchr/testify/require"
)

func TestCounts_AreRememberedUnderShortNamesOfWorkspaceAndFilter(t *testing.T) {
	t.Parallel()
	kept := expirable.NewLRU[string, int64](10, nil, time.Hour)
	long := Filter{WithoutDocuments: []string{strings.Repeat("d", 200), strings.Repeat("e", 200)}}
	one := countedOf(kept, largeTotal, "ws_1", long)
	require.Less(t, len(one.name), 40)
	kept.Add(one.name, 7)
	require.True(t, countedOf(kept, largeTotal, "ws_1", long).known)
	require.False(t, countedOf(kept, largeTotal, "ws_2", long).known)
	require.False(t, countedOf(kept, largeTotal, "ws_1", Filter{}).known)
	require.False(t, countedOf(kept, largeTotal, "ws_1", long, []string{"approve"}).known)
}
