package attempt

import (
	"context"
	"errors"
	"time"

	"github.com/redline-svc/redline/internal/extract"
)

const (
	// Tries of one file, each by a fresh converter.
	Tries = 3
	// Limit is how long the tries of a file may take in all.
	Limit = 5 * time.Minute
	// HangLimit is how long a converter may show no progress. A file that hangs at its
	// beginning has all its tries within the limit.
	HangLimit = Limit / Tries
)

var (
	// ErrCrashed is a conversion that ended its converter.
	ErrCrashed = errors.New("the converter crashed")
	// ErrHung is a conversion that got no further.
	ErrHung = errors.New("the converter hangs")
)

// Convert returns a file's text. fresh waits for a converter; run converts the file by
// it within the time that is left. An error of run that is neither ErrCrashed nor
// ErrHung nor the end of its time is final. A fault of the file is an
// *extract.Failure.
func Convert[C, R any](
	ctx context.Context, fresh func(context.Context) (C, error), run func(context.Context, C, time.Duration) (R, error),
) (made R, err error) {
	left := Limit
	for try := 1; ; try++ {
		converter, err := fresh(ctx)
		if err != nil {
			return made, err
		}
		began := time.Now()
		result, err := run(ctx, converter, left)
		left -= time.Since(began)
		crashed, hung := errors.Is(err, ErrCrashed), errors.Is(err, ErrHung)
		switch {
		case err == nil:
			return result, nil
		case ctx.Err() != nil:
			return made, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded), hung && try == Tries:
			return made, extract.Fail(extract.Timeout, "The file took longer than five minutes to convert.")
		case !crashed && !hung:
			return made, err
		case try == Tries:
			return made, extract.Fail(extract.Corrupt, "The file makes the converter fail; it is damaged.")
		}
	}
}
