package pdf

import (
	"os"
	"testing"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/stretchr/testify/require"
)

// lightPages reads the first pages of a file in a fresh instance.
func lightPages(t *testing.T, c *Converter, file []byte, prepare func(pdfium.Pdfium)) []page {
	t.Helper()
	instance, err := c.instance(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, instance.Close()) }()
	prepare(instance)
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &file})
	require.NoError(t, err)
	pages := make([]page, 4)
	for number := range pages {
		pages[number], err = readPage(instance, opened.Document, number)
		require.NoError(t, err)
	}
	return pages
}

// The library has the parts that are made light, and they give the same pages.
func TestALightInstanceReadsTheSame(t *testing.T) {
	t.Parallel()
	c := New("")
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	file, err := os.ReadFile("testdata/xmlformat-tutorial.pdf")
	require.NoError(t, err)
	plain := lightPages(t, c, file, func(pdfium.Pdfium) {})
	light := lightPages(t, c, file, func(instance pdfium.Pdfium) { require.True(t, lighten(instance)) })
	require.NotEmpty(t, plain[0].lines)
	require.Equal(t, plain, light)
}
