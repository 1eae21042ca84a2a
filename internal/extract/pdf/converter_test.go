package pdf

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// A file that has to wait until others are converted has its whole time left.
func TestWaitingForAnInstanceTakesNoTimeOfTheFile(t *testing.T) {
	c := New("")
	defer func() { require.NoError(t, c.Close()) }()
	file, err := os.ReadFile("testdata/u2f-host.pdf")
	require.NoError(t, err)
	_, err = c.Convert(t.Context(), file) // PDFium is started
	require.NoError(t, err)
	began := time.Now()
	_, err = c.Convert(t.Context(), file)
	require.NoError(t, err)
	one := time.Since(began)
	c.limit = 10*one + time.Second
	var files errgroup.Group
	for range runtime.GOMAXPROCS(0) * 2 * int(c.limit/one) {
		files.Go(func() error {
			_, err := c.Convert(t.Context(), file)
			return err
		})
	}
	require.NoError(t, files.Wait())
}
