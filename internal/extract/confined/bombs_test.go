package confined_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
)

const (
	relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	main      = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
)

// part is one of a workbook: a beginning, something many times over, and an end.
type part struct {
	begin, unit string
	times       int
	end         string
	// claimed is the length that the list gives, where that is a lie.
	claimed uint64
}

func text(content string) part { return part{begin: content} }

// workbook is one of a sheet; parts are added to those that each has, or stand for
// them.
func workbook(t *testing.T, parts map[string]part) []byte {
	t.Helper()
	all := map[string]part{
		"_rels/.rels":     text(`<Relationships><Relationship Id="b" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`),
		"xl/workbook.xml": text(`<workbook xmlns="` + main + `" xmlns:r="` + relations + `"><sheets><sheet name="One" sheetId="1" r:id="s"/></sheets></workbook>`),
		"xl/_rels/workbook.xml.rels": text(`<Relationships><Relationship Id="s" Type="` + relations + `/worksheet" Target="worksheets/one.xml"/>` +
			`<Relationship Id="t" Type="` + relations + `/sharedStrings" Target="texts.xml"/><Relationship Id="f" Type="` + relations + `/styles" Target="styles.xml"/></Relationships>`),
		"xl/worksheets/one.xml": sheet(`<row r="1"><c r="A1"><v>1</v></c></row>`, "", 0),
	}
	maps.Copy(all, parts)
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for name, p := range all {
		p.pack(t, archive, name)
	}
	require.NoError(t, archive.Close())
	return file.Bytes()
}

func sheet(first, unit string, times int) part {
	return part{begin: `<worksheet xmlns="` + main + `"><sheetData>` + first, unit: unit, times: times, end: `</sheetData></worksheet>`}
}

// pack writes a part. What repeats is packed once and copied, so that gigabytes are
// made in no time.
func (p part) pack(t *testing.T, archive *zip.Writer, name string) {
	t.Helper()
	if p.times == 0 {
		to, err := archive.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(to, p.begin+p.end)
		require.NoError(t, err)
		return
	}
	const atOnce = 1 << 20
	units := max(1, min(p.times, atOnce/max(1, len(p.unit))))
	block := strings.Repeat(p.unit, units)
	packed, rounds := deflated(t, block), p.times/units
	rest := strings.Repeat(p.unit, p.times%units) + p.end
	sum := crc32.ChecksumIEEE([]byte(p.begin))
	for range rounds {
		sum = crc32.Update(sum, crc32.IEEETable, []byte(block))
	}
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: crc32.Update(sum, crc32.IEEETable, []byte(rest))}
	begin, end := deflated(t, p.begin), deflated(t, rest)
	header.CompressedSize64 = uint64(len(begin) + len(packed)*rounds + len(end) + len(last))
	if header.UncompressedSize64 = uint64(len(p.begin) + len(block)*rounds + len(rest)); p.claimed > 0 {
		header.UncompressedSize64 = p.claimed
	}
	to, err := archive.CreateRaw(header)
	require.NoError(t, err)
	for _, piece := range append(append([][]byte{begin}, repeat(packed, rounds)...), end, last) {
		_, err := to.Write(piece)
		require.NoError(t, err)
	}
}

// last is the block that ends packed data.
var last = []byte{0x03, 0x00}

func repeat(piece []byte, times int) [][]byte {
	all := make([][]byte, times)
	for i := range all {
		all[i] = piece
	}
	return all
}

// deflated is a text in blocks of which none is the last one.
func deflated(t *testing.T, content string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	require.NoError(t, err)
	_, err = io.WriteString(w, content)
	require.NoError(t, err)
	require.NoError(t, w.Flush())
	return packed.Bytes()
}

// entities declare ones of which each is ten of the one before.
func entities() string {
	var declared strings.Builder
	declared.WriteString(`<!DOCTYPE lolz [<!ENTITY e0 "lol">`)
	for n := range 9 {
		fmt.Fprintf(&declared, `<!ENTITY e%d "%s">`, n+1, strings.Repeat(fmt.Sprintf("&e%d;", n), 10))
	}
	return declared.String() + "]>"
}

const cell = `<row r="1"><c r="A1"><v>1</v></c></row>`

// bombs are files that unpack or multiply to more than there is memory or time for,
// with the reasons that they fail for.
var bombs = map[string]struct {
	reason string
	parts  map[string]part
}{
	"nested entities in a sheet": {extract.Corrupt, map[string]part{
		"xl/worksheets/one.xml": text(entities() + `<worksheet><sheetData><row><c t="str"><v>&e9;</v></c></row></sheetData></worksheet>`),
	}},
	"nested entities in texts": {extract.Corrupt, map[string]part{"xl/texts.xml": text(entities() + `<sst><si><t>&e9;</t></si></sst>`)}},
	"quoted entities": {extract.Corrupt, map[string]part{"xl/texts.xml": {
		begin: `<!DOCTYPE x [<!ENTITY long "` + strings.Repeat("long ", 10_000) + `">]><sst>`, unit: `<si><t>&long;</t></si>`, times: 100_000, end: `</sst>`,
	}}},
	"nested entities in formats": {extract.Corrupt, map[string]part{
		"xl/styles.xml": text(entities() + `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="&e9;"/></numFmts></styleSheet>`),
	}},
	"nested entities in the list": {extract.Corrupt, map[string]part{"xl/workbook.xml": text(entities() + `<workbook><sheets><sheet name="&e9;"/></sheets></workbook>`)}},
	"entities without a declaration": {extract.Corrupt, map[string]part{
		"xl/worksheets/one.xml": sheet(`<row r="1"><c r="A1" t="str"><v>&e9;</v></c></row>`, "", 0),
	}},
	"a sheet of 4 GB":          {extract.TooLarge, map[string]part{"xl/worksheets/one.xml": sheet("", cell, 4<<30/len(cell))}},
	"a sheet of 4 GB of zeros": {extract.TooLarge, map[string]part{"xl/worksheets/one.xml": sheet("", "\x00", 4<<30)}},
	"a sheet of 4 GB that is said to have 1 MB": {extract.Corrupt, map[string]part{"xl/worksheets/one.xml": {
		begin: `<worksheet><sheetData>`, unit: cell, times: 4 << 30 / len(cell), end: `</sheetData></worksheet>`, claimed: 1 << 20,
	}}},
	"a picture of 4 GB":           {extract.TooLarge, map[string]part{"xl/media/image1.png": {unit: "\x00", times: 4 << 30}}},
	"a sheet of 280 MB of zeros":  {extract.TooLarge, map[string]part{"xl/worksheets/one.xml": sheet("", "\x00", 280<<20)}},
	"a cell of 280 MB":            {extract.TooLarge, map[string]part{"xl/worksheets/one.xml": sheet(`<row><c t="str"><v>`, "x", 280<<20)}},
	"ten million cells":           {extract.TooLarge, map[string]part{"xl/worksheets/one.xml": sheet("", `<row><c><v>1</v></c></row>`, 10_000_000)}},
	"ten million empty rows":      {extract.Empty, map[string]part{"xl/worksheets/one.xml": sheet("", `<row/>`, 10_000_000)}},
	"five million cells in a row": {extract.TooLarge, map[string]part{"xl/worksheets/one.xml": {begin: "<worksheet><sheetData><row>", unit: `<c><v>1</v></c>`, times: 5_000_000, end: "</row></sheetData></worksheet>"}}},
	"elements in each other":      {extract.Corrupt, map[string]part{"xl/worksheets/one.xml": {begin: cell, unit: "<a>", times: 5_000_000, end: ""}}},
	"ten million texts":           {extract.TooLarge, map[string]part{"xl/texts.xml": {begin: "<sst>", unit: "<si><t>x</t></si>", times: 10_000_000, end: "</sst>"}}},
	"ten million parts of a text": {"", map[string]part{
		"xl/worksheets/one.xml": sheet(`<row r="1"><c r="A1" t="s"><v>0</v></c></row>`, "", 0),
		"xl/texts.xml":          {begin: "<sst><si>", unit: "<r><t>x</t></r>", times: 10_000_000, end: "</si></sst>"},
	}},
	"a million formats": {extract.TooLarge, map[string]part{"xl/styles.xml": {begin: "<styleSheet><cellXfs>", unit: `<xf numFmtId="200"/>`, times: 1_000_000, end: "</cellXfs></styleSheet>"}}},
	"a million sheets":  {extract.TooLarge, map[string]part{"xl/workbook.xml": {begin: "<workbook><sheets>", unit: `<sheet name="x" id="s"/>`, times: 1_000_000, end: "</sheets></workbook>"}}},
	"a million merges": {extract.TooLarge, map[string]part{"xl/worksheets/one.xml": {
		begin: `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="200000"><c r="XFD200000"><v>1</v></c></row></sheetData><mergeCells>`,
		unit:  `<mergeCell ref="A1:XFD1048576"/>`, times: 1_000_000, end: `</mergeCells></worksheet>`,
	}}},
	"the last column in each row": {extract.TooLarge, map[string]part{"xl/worksheets/one.xml": sheet(
		`<row r="1">`+strings.Repeat(`<c><v>1</v></c>`, 16384)+`</row>`, `<row><c r="A1"><v>1</v></c></row>`, 199_000)}},
	"the last row of a sheet": {"", map[string]part{"xl/worksheets/one.xml": sheet(`<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`, "", 0)}},
	"too many files":          {extract.TooLarge, manyParts()},
}

func manyParts() map[string]part {
	parts := map[string]part{}
	for n := range 20_001 {
		parts[fmt.Sprintf("xl/media/%d", n)] = text("x")
	}
	return parts
}

// childMemory is the bound of the process, and what the program has at its start.
const childMemory = (768 + 192) << 20

func TestLong_BombsOfWorkbooksEndWithAReason(t *testing.T) {
	inFolder(t)
	greatest := int64(0)
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			file := workbook(t, bomb.parts)
			debug.FreeOSMemory()
			stop := watchMemory()
			_, err := converter(extract.TypeXLSX).Convert(t.Context(), file)
			grown, child := stop()
			t.Logf("%d bytes: %v; this process grew by %d MiB, the greatest child had %d MiB", len(file), err, grown>>20, child>>20)
			if bomb.reason == "" {
				require.NoError(t, err)
			} else {
				require.Equal(t, bomb.reason, reason(t, err))
			}
			require.Less(t, grown, int64(48<<20))
			require.Less(t, child, int64(childMemory))
			greatest = max(greatest, child)
		})
	}
	require.Positive(t, greatest, "a child that ends within milliseconds may be missed, but not each of them")
}

func TestLong_BombsOfCSVEndWithAReason(t *testing.T) {
	inFolder(t)
	const largest = 30 << 20
	greatest := int64(0)
	for name, c := range map[string]struct {
		reasons []string
		file    func() string
	}{
		"one endless line":       {[]string{extract.TooLarge}, func() string { return strings.Repeat("x", largest) }},
		"ten million columns":    {[]string{extract.TooLarge, extract.Timeout}, func() string { return strings.Repeat("x,", 10_000_000) }},
		"ten million separators": {[]string{extract.Timeout}, func() string { return strings.Repeat(",", 10_000_000) + "x" }},
		"nothing but separators": {[]string{extract.Timeout}, func() string { return strings.Repeat(",", largest) }},
		"a quote never closed":   {[]string{extract.Corrupt}, func() string { return "a,b\n\"" + strings.Repeat("x,y\n", largest/4-3) }},
		"doubled quotes":         {[]string{extract.Corrupt}, func() string { return "\"" + strings.Repeat(`""`, 9<<20) }},
		"millions of rows":       {[]string{extract.TooLarge}, func() string { return strings.Repeat("a\n", largest/2) }},
		"millions of columns":    {[]string{extract.TooLarge, extract.Timeout}, func() string { return strings.Repeat("x,", 3_000_000) + strings.Repeat("\ny,z", 1_000_000) }},
	} {
		t.Run(name, func(t *testing.T) {
			file := []byte(c.file())
			debug.FreeOSMemory()
			stop := watchMemory()
			_, err := converter(extract.TypeCSV).Convert(t.Context(), file)
			grown, child := stop()
			t.Logf("%v; this process grew by %d MiB, the greatest child had %d MiB", err, grown>>20, child>>20)
			require.Contains(t, c.reasons, reason(t, err), "whichever of its bounds, those of text and of memory, is met first")
			require.Less(t, grown, int64(8*largest), "some copies of the file, and what the race detector adds")
			require.Less(t, child, int64(childMemory))
			greatest = max(greatest, child)
		})
	}
	require.Positive(t, greatest, "a child that ends within milliseconds may be missed, but not each of them")
}
