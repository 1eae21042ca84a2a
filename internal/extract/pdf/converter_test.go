package pdf

import (
	"context"
	"errors"
	"testing"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
)

// only is a pool of one instance.
type only struct {
	pdfium.Pool

	instance pdfium.Pdfium
}

func (o only) GetInstanceWithContext(ctx context.Context) (pdfium.Pdfium, error) {
	return o.instance, ctx.Err()
}

// fake is an instance that opens a file of one page.
type fake struct {
	pdfium.Pdfium

	open, page error
	traps      bool
}

func (f fake) OpenDocument(*requests.OpenDocument) (*responses.OpenDocument, error) {
	if f.traps {
		panic("out of bounds")
	}
	return &responses.OpenDocument{}, f.open
}

func (fake) FPDF_GetPageCount(*requests.FPDF_GetPageCount) (*responses.FPDF_GetPageCount, error) {
	return &responses.FPDF_GetPageCount{PageCount: 1}, nil
}

func (f fake) FPDF_LoadPage(*requests.FPDF_LoadPage) (*responses.FPDF_LoadPage, error) {
	return nil, f.page
}

func (fake) Close() error { return nil }

// A crash is no fault of the file until it was tried again, which is for who started the
// converter. What PDFium says of a file is.
func TestACrashIsNoFaultOfTheFile(t *testing.T) {
	t.Parallel()
	trap := errors.New("out of bounds")
	for name, c := range map[string]struct {
		instance fake
		reason   string
	}{
		"a trap":            {fake{traps: true}, ""},
		"while it opens":    {fake{open: trap}, ""},
		"at a page":         {fake{page: trap}, ""},
		"a password":        {fake{open: pdfiumerrors.ErrPassword}, extract.Encrypted},
		"an unknown format": {fake{open: pdfiumerrors.ErrFormat}, extract.Corrupt},
		"a faulty page":     {fake{page: pdfiumerrors.ErrPage}, extract.NoTextLayer},
	} {
		_, err := (&Converter{pool: only{instance: c.instance}}).Convert(t.Context(), nil, func() {})
		if c.reason == "" {
			require.ErrorIs(t, err, errCrashed, name)
			continue
		}
		require.NotNil(t, extract.AsFailure(err), "%s: %v", name, err)
		require.Equal(t, c.reason, extract.AsFailure(err).Reason, name)
	}
}

// crooked has one page whose text can be read and not measured.
type crooked struct{ fake }

func (crooked) OpenDocument(*requests.OpenDocument) (*responses.OpenDocument, error) {
	return &responses.OpenDocument{}, nil
}

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
	c := &Converter{pool: only{instance: crooked{}}}
	document, err := c.Convert(t.Context(), nil, func() {})
	require.NoError(t, err)
	require.Equal(t, extract.Metadata{Pages: 1, UsedRawFallback: true}, document.Metadata)
	require.Equal(t, "<!-- page 1 -->\n\n\\# A text of more than twenty letters\nin two lines.\n", document.Markdown)
}
