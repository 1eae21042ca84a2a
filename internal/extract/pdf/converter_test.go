package pdf

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/attempt"
)

// crowd is a pool where an instance has to be waited for. The instances are
// those of the list, one after the other.
type crowd struct {
	pdfium.Pool

	wait      time.Duration
	instances []pdfium.Pdfium
	taken     int
}

func (c *crowd) GetInstanceWithContext(ctx context.Context) (pdfium.Pdfium, error) {
	time.Sleep(c.wait)
	c.taken++
	return c.instances[c.taken-1], ctx.Err()
}

// fake is an instance that needs its time for each page of a file, and loads
// none. It has opened a file once open says so.
type fake struct {
	pdfium.Pdfium

	open   func() error
	pages  int
	work   time.Duration
	fault  error
	killed chan struct{}
}

func (f fake) OpenDocument(*requests.OpenDocument) (*responses.OpenDocument, error) {
	return &responses.OpenDocument{}, f.open()
}

func (f fake) GetImplementation() any { return nil }

func (f fake) FPDF_GetPageCount(*requests.FPDF_GetPageCount) (*responses.FPDF_GetPageCount, error) {
	return &responses.FPDF_GetPageCount{PageCount: f.pages}, nil
}

func (f fake) FPDF_LoadPage(*requests.FPDF_LoadPage) (*responses.FPDF_LoadPage, error) {
	time.Sleep(f.work)
	return nil, f.fault
}

func (f fake) Close() error { return nil }

func (f fake) Kill() error {
	close(f.killed)
	return nil
}

// locked finds that a file needs a password.
func locked() pdfium.Pdfium { return fake{open: func() error { return pdfiumerrors.ErrPassword }} }

func crashing() pdfium.Pdfium { return fake{open: func() error { panic("out of bounds") }} }

// trapped opens a file and crashes at its page.
func trapped() pdfium.Pdfium {
	return fake{open: func() error { return nil }, pages: 1, fault: errors.New("out of bounds")}
}

// hanging goes on until it is killed.
func hanging() pdfium.Pdfium {
	killed := make(chan struct{})
	return fake{killed: killed, open: func() error {
		<-killed
		return context.Canceled
	}}
}

// slow has pages that take the time each.
func slow(pages int, work time.Duration) pdfium.Pdfium {
	return fake{open: func() error { return nil }, pages: pages, work: work, fault: pdfiumerrors.ErrPage}
}

// reason is why the conversion by these instances fails, which need as long to
// be had as is waited.
func reason(t *testing.T, wait time.Duration, instances ...pdfium.Pdfium) string {
	t.Helper()
	pool := &crowd{wait: wait, instances: instances}
	c := New("")
	c.pool = pool
	_, err := c.Convert(t.Context(), nil)
	require.NotNil(t, extract.AsFailure(err), "%v", err)
	require.Equal(t, len(instances), pool.taken)
	return extract.AsFailure(err).Reason
}

// A file that has to wait until others are converted has its whole time left,
// and no more than that.
func TestWaitingForAnInstanceTakesNoTimeOfTheFile(t *testing.T) {
	t.Parallel()
	const pages = 10
	for work, why := range map[time.Duration]string{
		attempt.Limit - time.Second: extract.NoTextLayer,
		attempt.Limit + time.Second: extract.Timeout,
	} {
		synctest.Test(t, func(t *testing.T) {
			require.Equal(t, why, reason(t, 2*attempt.Limit, slow(pages, work/pages)))
		})
	}
}

// A file is tried three times, each in a fresh instance, when the ones before
// crashed or hung. The last try says what the file's fault is.
func TestCrashesAndHangsAreTriedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tries []func() pdfium.Pdfium
		why   string
	}{
		"two crashes":         {[]func() pdfium.Pdfium{crashing, crashing, locked}, extract.Encrypted},
		"three crashes":       {[]func() pdfium.Pdfium{crashing, crashing, crashing}, extract.Corrupt},
		"crashes at a page":   {[]func() pdfium.Pdfium{trapped, trapped, locked}, extract.Encrypted},
		"two hangs":           {[]func() pdfium.Pdfium{hanging, hanging, locked}, extract.Encrypted},
		"three hangs":         {[]func() pdfium.Pdfium{hanging, hanging, hanging}, extract.Timeout},
		"a crash, then hangs": {[]func() pdfium.Pdfium{crashing, hanging, hanging}, extract.Timeout},
		"hangs, then a crash": {[]func() pdfium.Pdfium{hanging, hanging, crashing}, extract.Corrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				instances := make([]pdfium.Pdfium, len(c.tries))
				for i, start := range c.tries {
					instances[i] = start()
				}
				began := time.Now()
				require.Equal(t, c.why, reason(t, 0, instances...))
				require.LessOrEqual(t, time.Since(began), attempt.Limit+killAfter)
			})
		})
	}
}

// One page may take its time; one that takes longer hangs.
func TestAPageThatTakesTooLongHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		require.Equal(t, extract.NoTextLayer, reason(t, 0, slow(2, pageLimit-time.Second)))
		require.Equal(t, extract.Encrypted, reason(t, 0, slow(2, pageLimit+time.Second), locked()))
	})
}

// crooked has one page whose text can be read and not measured.
type crooked struct{ fake }

const crookedText = "# A text of more than twenty letters\r\nin two lines."

func (crooked) FPDF_LoadPage(*requests.FPDF_LoadPage) (*responses.FPDF_LoadPage, error) {
	return &responses.FPDF_LoadPage{}, nil
}

func (crooked) FPDF_ClosePage(*requests.FPDF_ClosePage) (*responses.FPDF_ClosePage, error) {
	return &responses.FPDF_ClosePage{}, nil
}

func (crooked) FPDFText_LoadPage(*requests.FPDFText_LoadPage) (*responses.FPDFText_LoadPage, error) {
	return &responses.FPDFText_LoadPage{}, nil
}

func (crooked) FPDFText_ClosePage(*requests.FPDFText_ClosePage) (*responses.FPDFText_ClosePage, error) {
	return &responses.FPDFText_ClosePage{}, nil
}

func (crooked) FPDFText_CountChars(*requests.FPDFText_CountChars) (*responses.FPDFText_CountChars, error) {
	return &responses.FPDFText_CountChars{Count: len(crookedText)}, nil
}

func (crooked) FPDFText_GetText(*requests.FPDFText_GetText) (*responses.FPDFText_GetText, error) {
	return &responses.FPDFText_GetText{Text: crookedText}, nil
}

func (crooked) FPDFText_GetCharIndexFromTextIndex(*requests.FPDFText_GetCharIndexFromTextIndex) (*responses.FPDFText_GetCharIndexFromTextIndex, error) {
	return nil, errors.New("no such character")
}

func (crooked) FPDF_GetFormType(*requests.FPDF_GetFormType) (*responses.FPDF_GetFormType, error) {
	return nil, errors.New("no such document")
}

// A page that cannot be measured gives its text as it is.
func TestAPageThatCannotBeMeasuredGivesItsPlainText(t *testing.T) {
	t.Parallel()
	c := New("")
	c.pool = &crowd{instances: []pdfium.Pdfium{crooked{fake{open: func() error { return nil }, pages: 1}}}}
	document, err := c.Convert(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, extract.Metadata{Pages: 1, UsedRawFallback: true}, document.Metadata)
	require.Equal(t, "<!-- page 1 -->\n\n\\# A text of more than twenty letters\nin two lines.\n", document.Markdown)
}
