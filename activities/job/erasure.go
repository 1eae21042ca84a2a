package job

import (
	"context"

	"github.com/redline-svc/redline/models/job"
)

// Erasures forget people (*person.Persons).
type Erasures interface {
	// EraseSome does a portion, and ends the job with the last one.
	EraseSome(ctx context.Context, j *job.Job) (rows int64, more bool, err error)
}

// Erase makes the handler that forgets people.
func Erase(rows Erasures) Handler { return rows.EraseSome }
