package delivery_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// sizes are numbers of what waits between which the time of a question may not
// differ by more than three tenths.
var sizes = []int{100, 100_000}

// BenchmarkClaim claims 100 rows of one destination, each of another origin.
func BenchmarkClaim(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("origins=%d", n), func(b *testing.B) {
			p := newPost(b)
			dst := p.driven(1)
			p.origins(dst, "origin-", n-1)
			p.exec(`VACUUM ANALYZE`)
			for b.Loop() {
				rows := p.claimEach(dst, "", 100)
				b.StopTimer()
				require.NotEmpty(b, rows)
				p.exec(`UPDATE open_deliveries SET locked_until = '-infinity' WHERE locked_until > '-infinity'`)
				p.exec(`UPDATE deliveries SET state = 'pending' WHERE state = 'sending'`)
				p.lock(dst)
				b.StartTimer()
			}
		})
	}
}

// BenchmarkNextDue asks for the next row of a destination all of whose origins wait
// for a later time.
func BenchmarkNextDue(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("origins=%d", n), func(b *testing.B) {
			p := newPost(b)
			dst := p.driven(1)
			p.origins(dst, "origin-", n-1)
			p.exec(`UPDATE open_deliveries SET due_at = due_at + interval '1 hour'`)
			p.exec(`VACUUM ANALYZE`)
			for b.Loop() {
				next, err := p.NextDue(b.Context(), dst)
				require.NoError(b, err)
				require.Positive(b, *next)
			}
		})
	}
}

// BenchmarkClaimNextDue looks for destinations that nobody drives, of which
// each has a row that is due.
func BenchmarkClaimNextDue(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("destinations=%d", n), func(b *testing.B) {
			p := newPost(b)
			p.destinations(n)
			p.exec(`VACUUM ANALYZE`)
			last, found := "", 0
			for b.Loop() {
				inputs, at, err := p.ClaimNextDue(b.Context(), last, 16)
				require.NoError(b, err)
				last, found = at, found+len(inputs)
				b.StopTimer()
				p.exec(`UPDATE destinations SET claimed_until = NULL WHERE claimed_until IS NOT NULL`)
				b.StartTimer()
			}
			require.Positive(b, found)
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(found), "µs/destination")
		})
	}
}
