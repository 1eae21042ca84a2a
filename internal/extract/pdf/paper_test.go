package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// leaf is a page: what is drawn on it, and how the viewer turns it.
type leaf struct {
	content string
	rotate  int
}

// hebrew is a font of the letters that follow alef, as a to z, with signs as they are.
const hebrew = "Hebrew"

// paper is a PDF of pages in which F is Helvetica, B its bold, C Courier, and H Hebrew.
// S is a font of that name whose letters A, B and so on mean the marks.
func paper(symbols, marks string, leaves ...leaf) []byte {
	var file strings.Builder
	objects := 0
	add := func(text string) int {
		objects++
		fmt.Fprintf(&file, "%d 0 obj %s endobj\n", objects, text)
		return objects
	}
	stream := func(text string) string {
		return fmt.Sprintf("<< /Length %d >> stream\n%s\nendstream", len(text), text)
	}
	plain := func(name string) int {
		return add("<< /Type /Font /Subtype /Type1 /Encoding /WinAnsiEncoding /BaseFont /" + name + " >>")
	}
	file.WriteString("%PDF-1.7\n")
	regular, bold, courier := plain("Helvetica"), plain("Helvetica-Bold"), plain("Courier")
	mapped := func(name string, meaning map[byte]rune) int {
		var chars strings.Builder
		for code, char := range meaning {
			fmt.Fprintf(&chars, "<%02X> <%04X>\n", code, char)
		}
		unicode := add(stream(fmt.Sprintf("begincmap 1 begincodespacerange <00> <FF> endcodespacerange %d beginbfchar\n%sendbfchar endcmap", len(meaning), chars.String())))
		return add(fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /%s /FirstChar 32 /LastChar 126 /Widths [%s] /ToUnicode %d 0 R "+
			"/FontDescriptor << /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >> >>",
			name, strings.Repeat("500 ", 95), unicode, name))
	}
	meaning := map[byte]rune{}
	for i, char := range []rune(marks) {
		meaning[byte('A'+i)] = char
	}
	symbol := mapped(symbols, meaning)
	meaning = map[byte]rune{}
	for code := byte(' '); code < 0x7f; code++ {
		if meaning[code] = rune(code); code >= 'a' && code <= 'z' {
			meaning[code] = 0x5d0 + rune(code-'a')
		}
	}
	letters := mapped(hebrew, meaning)
	tree := objects + 2*len(leaves) + 1
	var kids strings.Builder
	for _, l := range leaves {
		content := add(stream(l.content))
		fmt.Fprintf(&kids, "%d 0 R ", add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 600 800] /Rotate %d /Contents %d 0 R /Resources << /Font << "+
			"/F %d 0 R /B %d 0 R /C %d 0 R /S %d 0 R /H %d 0 R >> >> >>", tree, l.rotate, content, regular, bold, courier, symbol, letters)))
	}
	add(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(leaves)))
	root := add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", tree))
	fmt.Fprintf(&file, "trailer << /Root %d 0 R /Size %d >>\n%%%%EOF\n", root, objects+1)
	return []byte(file.String())
}

// set are lines of text, the first one at a place, each 14 points below the one before.
func set(font string, size, x, y int, lines ...string) string {
	var content strings.Builder
	fmt.Fprintf(&content, "BT /%s %d Tf 14 TL %d %d Td ", font, size, x, y)
	for _, l := range lines {
		fmt.Fprintf(&content, "(%s) Tj T* ", strings.NewReplacer("(", `\(`, ")", `\)`).Replace(l))
	}
	return content.String() + "ET\n"
}

// turned draws content turned counter-clockwise by quarters around a point.
func turned(quarters, x, y int, content string) string {
	matrix := []string{"1 0 0 1", "0 1 -1 0", "-1 0 0 -1", "0 -1 1 0"}[quarters]
	return fmt.Sprintf("q %s %d %d cm\n%sQ\n", matrix, x, y, content)
}

// requireBlocks holds what a paper gives: its blocks, without page markers.
func requireBlocks(t *testing.T, want []string, file []byte) {
	t.Helper()
	document, err := convert(t, file)
	require.NoError(t, err)
	var blocks []string
	for block := range strings.SplitSeq(strings.TrimSpace(document.Markdown), "\n\n") {
		if !strings.HasPrefix(block, "<!--") {
			blocks = append(blocks, block)
		}
	}
	require.Equal(t, want, blocks)
}
