package pdf

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
)

// crowd is a pool where an instance has to be waited for, and then works long.
type crowd struct {
	pdfium.Pool

	wait, work time.Duration
}

func (c crowd) GetInstanceWithContext(ctx context.Context) (pdfium.Pdfium, error) {
	time.Sleep(c.wait)
	return slow{work: c.work}, ctx.Err()
}

// slow is an instance that finds, after its work, that a file needs a password.
type slow struct {
	pdfium.Pdfium

	work time.Duration
}

func (s slow) OpenDocument(*requests.OpenDocument) (*responses.OpenDocument, error) {
	time.Sleep(s.work)
	return nil, pdfiumerrors.ErrPassword
}

func (s slow) Close() error { return nil }

func (s slow) Kill() error { return nil }

// A file that has to wait until others are converted has its whole time left,
// and no more than that.
func TestWaitingForAnInstanceTakesNoTimeOfTheFile(t *testing.T) {
	for work, reason := range map[time.Duration]string{
		limit - time.Second: extract.Encrypted,
		limit + time.Second: extract.Timeout,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := New("")
			c.pool = crowd{wait: 2 * limit, work: work}
			_, err := c.Convert(t.Context(), nil)
			var failure *extract.Failure
			require.ErrorAs(t, err, &failure)
			require.Equal(t, reason, failure.Reason)
		})
	}
}
