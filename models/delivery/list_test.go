package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/delivery"
)

func TestDeliveries_APageEndsEarlyWhenItHasManyAttempts(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.driven(5)
	p.exec(`INSERT INTO attempts (delivery_id, attempt, id, workspace_id, destination_id, cause, started_at, class)
		SELECT d.id, n, 'att_' || d.id || '_' || n, d.workspace_id, d.destination_id, 'schedule', clock_timestamp(), 'ok' FROM deliveries d CROSS JOIN generate_series(1, 25000) AS n WHERE d.seq <> 5`)
	var pages [][]int64
	var after *int64
	for first := true; first || after != nil; first = false {
		page, err := p.Of(t.Context(), sender, "exec_1", delivery.Filter{}, after, 500)
		require.NoError(t, err)
		var seqs []int64
		for _, d := range page.Items {
			seqs = append(seqs, d.Seq)
			if d.Seq != 5 {
				require.Len(t, d.Attempts, 25000)
			}
		}
		pages = append(pages, seqs)
		after = page.Next
	}
	require.Equal(t, [][]int64{{5, 4, 3}, {2, 1}}, pages)
}
