package extract_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/redline-svc/redline/internal/extract"
)

// utf16Text encodes a text in that order, with a mark where asked.
func utf16Text(text string, order binary.AppendByteOrder, mark bool) []byte {
	var raw []byte
	if mark {
		raw = order.AppendUint16(raw, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		raw = order.AppendUint16(raw, unit)
	}
	return raw
}

func TestTextFindsTheEncoding(t *testing.T) {
	const text = "Größe: 5 €\nzweite Zeile"
	for encoding, raw := range map[string][]byte{
		"utf-8":        []byte(text),
		"windows-1252": []byte("Gr\xf6\xdfe: 5 \x80\nzweite Zeile"),
		"utf-16le":     utf16Text(text, binary.LittleEndian, true),
		"utf-16be":     utf16Text(text, binary.BigEndian, false),
	} {
		t.Run(encoding, func(t *testing.T) {
			document, err := extract.Text(raw)
			require.NoError(t, err)
			require.Equal(t, text, document.Markdown)
			require.Equal(t, encoding, document.Metadata.Encoding)
			require.True(t, extract.Check(extract.TypeText, raw))
		})
	}
	for _, text := range []string{"Двери должны быть закрыты.\nИ окна.", "扉は閉めること。\n窓も。", "דלתות סגורות\n", "أبواب مغلقة 12", "Πόρτες κλειστές\n"} {
		for encoding, order := range map[string]binary.AppendByteOrder{"utf-16le": binary.LittleEndian, "utf-16be": binary.BigEndian} {
			document, err := extract.Text(utf16Text(text, order, false))
			require.NoError(t, err, text)
			require.Equal(t, text, document.Markdown)
			require.Equal(t, encoding, document.Metadata.Encoding)
		}
	}
	document, err := extract.Text([]byte("\xef\xbb\xbf\xef\xbb\xbfwith a mark\r\nand\rlines, e\u0301"))
	require.NoError(t, err)
	require.Equal(t, "with a mark\nand\nlines, \u00e9", document.Markdown)
}

func TestTextFailsWithItsReason(t *testing.T) {
	for reason, raw := range map[string][]byte{
		extract.Empty:               []byte(" \n\t\u00a0\n"),
		extract.UnsupportedEncoding: utf16Text("\u0378 and more", binary.LittleEndian, false), // no such character
		extract.TooLarge:            bytes.Repeat([]byte("a"), extract.MaxText+1),
	} {
		_, err := extract.Text(raw)
		require.NotNil(t, extract.AsFailure(err), reason)
		require.Equal(t, reason, extract.AsFailure(err).Reason)
	}
}

func TestCheckComparesBytesWithTheType(t *testing.T) {
	pdf := []byte("junk before\n%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n")
	manual := "A file begins with its version:\n\n%PDF-1.7\n\nAfter that come its objects.\n"
	for name, c := range map[string]struct {
		mimeType string
		head     []byte
		want     bool
	}{
		"pdf":              {extract.TypePDF, pdf, true},
		"pdf as text":      {extract.TypeText, pdf, false},
		"plain pdf":        {extract.TypeText, []byte("%PDF-1.4\n1 0 obj\n"), false},
		"pdf behind space": {extract.TypeText, []byte("\xef\xbb\xbf\r\n %PDF-1.4\n1 0 obj\n"), false},
		"pdf as a table":   {extract.TypeCSV, pdf, false},
		"about pdf":        {extract.TypeText, []byte(manual), true},
		"about pdf, wide":  {extract.TypeText, utf16Text(manual, binary.LittleEndian, true), true},
		"about pdf, cut":   {extract.TypeText, []byte(manual + strings.Repeat("ä", 1024) + "\xc3"), true},
		"text as pdf":      {extract.TypePDF, []byte("hello"), false},
		"mark too late":    {extract.TypePDF, append(bytes.Repeat([]byte(" "), 1024), pdf...), false},
		"zip as text":      {extract.TypeText, []byte("PK\x03\x04rest"), false},
		"zip as pdf":       {extract.TypePDF, []byte("PK\x03\x04rest"), false},
		"control bytes":    {extract.TypeText, []byte{1, 2, 3, 0xff}, false},
		"text":             {extract.TypeText, []byte("hello"), true},
		"cut in a letter":  {extract.TypeText, []byte(strings.Repeat("ä", 1024) + "\xc3"), true},
		"table":            {extract.TypeCSV, []byte("a,b\n1,2"), true},
		"unsupported type": {"text/html", []byte("<p>"), false},
	} {
		require.Equal(t, c.want, extract.Check(c.mimeType, c.head), name)
	}
}

// A head ends anywhere, also in the middle of a character.
func TestCheckTakesEveryHeadOfAText(t *testing.T) {
	const text = "Счёт 发票 🧑‍🚀 Größe "
	for name, raw := range map[string][]byte{
		"utf-8": []byte(strings.Repeat(text, 100)), "utf-16": utf16Text(strings.Repeat(text, 100), binary.BigEndian, true),
	} {
		for end := 1024; end < 1100; end++ {
			require.True(t, extract.Check(extract.TypeText, raw[:end]), "%s, %d bytes", name, end)
		}
	}
	for end := 1024; end < 1030; end++ {
		require.False(t, extract.Check(extract.TypeText, append(bytes.Repeat([]byte("a"), end), 1, 0x81, 'b', 'c', 'd', 'e')))
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add(utf16Text("wide", binary.LittleEndian, true))
	f.Add([]byte{0x81, 0, 0x90})
	f.Fuzz(func(t *testing.T, raw []byte) {
		document, err := extract.Text(raw)
		if err != nil {
			require.NotNil(t, extract.AsFailure(err))
			return
		}
		require.True(t, utf8.ValidString(document.Markdown))
		require.True(t, norm.NFC.IsNormalString(document.Markdown))
		require.NotContains(t, document.Markdown, "\r")
		require.NotContains(t, document.Markdown, "\x00")
	})
}

func TestAMarkDecidesWhateverStandsBehindIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw, want, encoding string
		bad                 int
	}{
		"utf-8, a western letter":     {"\xef\xbb\xbfcaf\u00e9 fianc\xe9 \u20ac", "caf\u00e9 fianc\ufffd \u20ac", "utf-8", 1},
		"utf-8, a character cut":      {"\xef\xbb\xbfab \xe2\x82", "ab \ufffd\ufffd", "utf-8", 2},
		"utf-8, all of it western":    {"\xef\xbb\xbfStra\xdfe, gr\xfc\xdfe", "Stra\ufffde, gr\ufffd\ufffde", "utf-8", 3},
		"utf-8 and a real U+FFFD":     {"\xef\xbb\xbfa\ufffdb", "a\ufffdb", "utf-8", 0},
		"utf-16le, a byte left":       {"\xff\xfea\x00b\x00c", "ab\ufffd", "utf-16le", 1},
		"utf-16be, half a character":  {"\xfe\xff\x00a\xd8\x3d\x00b", "a\ufffdb", "utf-16be", 2},
		"utf-16le, the other half":    {"\xff\xfe\x00\xdea\x00", "\ufffda", "utf-16le", 2},
		"utf-16be, a whole character": {"\xfe\xff\xd8\x3d\xde\x00", "\U0001f600", "utf-16be", 0},
		"no mark":                     {"caf\xe9", "caf\u00e9", "windows-1252", 0},
	} {
		require.True(t, extract.Check(extract.TypeText, []byte(c.raw)), name)
		document, err := extract.Text([]byte(c.raw))
		require.NoError(t, err, name)
		require.Equal(t, c.want, document.Markdown, name)
		require.Equal(t, extract.Metadata{Encoding: c.encoding, BadBytes: c.bad}, document.Metadata, name)
	}
	_, err := extract.Text([]byte("\xef\xbb\xbf\x01\x02\x81"))
	require.Equal(t, extract.UnsupportedEncoding, extract.AsFailure(err).Reason, "a mark makes no text of what is none")
}
