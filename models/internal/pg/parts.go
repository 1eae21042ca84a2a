package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// What a batch of a change holds at most before it is sent: a call may store as much as
// there is memory for once, not twice.
const (
	partBytes      = 4 << 20
	partStatements = 1000
)

// Parts is a batch that is sent a part at a time, where more may be queued than is to be in
// memory at once.
type Parts struct {
	pgx.Batch
	counted int
	bytes   int64
}

// SendFull sends what was queued since, where that is much.
func (p *Parts) SendFull(ctx context.Context, tx *Tx) error {
	for ; p.counted < len(p.QueuedQueries); p.counted++ {
		for _, argument := range p.QueuedQueries[p.counted].Arguments {
			p.bytes += bytesOf(argument)
		}
	}
	if p.bytes < partBytes && p.counted < partStatements {
		return nil
	}
	return p.Send(ctx, tx)
}

// Send sends what was queued since.
func (p *Parts) Send(ctx context.Context, tx *Tx) error {
	err := tx.SendBatch(ctx, &p.Batch).Close()
	*p = Parts{}
	return err
}

// bytesOf is about what an argument takes as it is sent, as far as it may be large.
func bytesOf(argument any) int64 {
	switch value := argument.(type) {
	case string:
		return int64(len(value))
	case *string:
		return int64(len(Present(value)))
	case []byte:
		return int64(len(value))
	default:
		return 0
	}
}
