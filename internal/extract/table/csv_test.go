package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/table"
	"github.com/redline-svc/redline/internal/rules"
)

func nothing() {}

func TestCSVBecomesATable(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"plain":                 {"item,price\nbolt,2\nnut,3\n", "| item | price |\n| --- | --- |\n| bolt | 2 |\n| nut | 3 |\n"},
		"semicolons":            {"item;price\nbolt;2,50\nnut;3,10\n", "| item | price |\n| --- | --- |\n| bolt | 2,50 |\n| nut | 3,10 |\n"},
		"tabs":                  {"a b\tc\nd, e\tf\n", "| a b | c |\n| --- | --- |\n| d, e | f |\n"},
		"bars":                  {"a|b\nc|d\n", "| a | b |\n| --- | --- |\n| c | d |\n"},
		"marks inside":          {"a,b\n\"x | y\",5\" pipe\n", "| a | b |\n| --- | --- |\n| x \\| y | 5\" pipe |\n"},
		"line break":            {"a,b\r\n\"one\r\ntwo \"\"2\"\"\",c\r\n", "| a | b |\n| --- | --- |\n| one two \"2\" | c |\n"},
		"first row is data":     {"1,2\n3,4\n", "| column 1 | column 2 |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n"},
		"a gap in the names":    {"a,,c\n1,2,3\n", "| column 1 | column 2 | column 3 |\n| --- | --- | --- |\n| a | | c |\n| 1 | 2 | 3 |\n"},
		"the same name twice":   {"a,a\n1,2\n", "| column 1 | column 2 |\n| --- | --- |\n| a | a |\n| 1 | 2 |\n"},
		"short rows":            {"a,b,c\n1\n\n1,2,3\n", "| a | b | c |\n| --- | --- | --- |\n| 1 | | |\n| 1 | 2 | 3 |\n"},
		"one column":            {"Every door must be locked.\nNo smoking.\n", "| Every door must be locked. |\n| --- |\n| No smoking. |\n"},
		"months":                {"Station,2031-01,02/2031,03.2031,2031.04\nMill,1,2,3,4\n", "| Station | 2031-01 | 02/2031 | 03.2031 | 2031.04 |\n| --- | --- | --- | --- | --- |\n| Mill | 1 | 2 | 3 | 4 |\n"},
		"dates":                 {"a,1/2/2031,2.1.31,2031-01-02T10:00,31 Jan 2031\n1,2,3,4,5\n", "| a | 1/2/2031 | 2.1.31 | 2031-01-02T10:00 | 31 Jan 2031 |\n| --- | --- | --- | --- | --- |\n| 1 | 2 | 3 | 4 | 5 |\n"},
		"numbers are no names":  {"a;1.234,50 €\nb;2\n", "| column 1 | column 2 |\n| --- | --- |\n| a | 1.234,50 € |\n| b | 2 |\n"},
		"commas in texts":       {"Smith, A\tLeeds\nBrown, B\tHull\n", "| Smith, A | Leeds |\n| --- | --- |\n| Brown, B | Hull |\n"},
		"decimal commas":        {"a;b\nx;1,5\ny;2,5\nz;3,5\n", "| a | b |\n| --- | --- |\n| x | 1,5 |\n| y | 2,5 |\n| z | 3,5 |\n"},
		"bars before commas":    {"a, x|b\nc, y|d\n", "| a, x | b |\n| --- | --- |\n| c, y | d |\n"},
		"one stray semicolon":   {"a,b\nc;x,d\ne,f\ng,h\n", "| a | b |\n| --- | --- |\n| c;x | d |\n| e | f |\n| g | h |\n"},
		"the delimiter named":   {"SEP=^\nname^of,it\nx^1\n", "| name | of,it |\n| --- | --- |\n| x | 1 |\n"},
		"named a tab":           {"sep=\t\r\nname\tb\r\nx\ty\r\n", "| name | b |\n| --- | --- |\n| x | y |\n"},
		"named in quotes":       {"\"sep=,\"\nname,b;c\nx,y\n", "| name | b;c |\n| --- | --- |\n| x | y |\n"},
		"named and saved":       {"sep=;;;\nname;b;c\nx;y;z\n", "| name | b | c |\n| --- | --- | --- |\n| x | y | z |\n"},
		"named behind a mark":   {"\xef\xbb\xbfsep=;\nname;b\nx;y\n", "| name | b |\n| --- | --- |\n| x | y |\n"},
		"named in vain":         {"sep=\nx\n", "| sep= |\n| --- |\n| x |\n"},
		"a column of that name": {"sep=a=b,c\nx,y\n", "| sep=a=b | c |\n| --- | --- |\n| x | y |\n"},
		"spaces around marks":   {"name, rule\n\"a, b\" , \"c, \"\"d\"\"\" \ne, \"f\ng\"\n", "| name | rule |\n| --- | --- |\n| a, b | c, \"d\" |\n| e | f g |\n"},
		"spaces, semicolons":    {"a; b\n\"c\"; \"d; e\"\n\"f; g\" ;h\n", "| a | b |\n| --- | --- |\n| c | d; e |\n| f; g | h |\n"},
		"marks around a word":   {"a, b\n\"c\", \"d\" e\nf, g\n", "| a | b |\n| --- | --- |\n| c | \"d\" e |\n| f | g |\n"},
		"marks within marks":    {"a,b\n\"she said \"go, now\" and left\",c\n", "| a | b |\n| --- | --- |\n| she said \"go, now\" and left | c |\n"},
		"tabs and empty cells":  {"a\tb\tc\n\t\t\"d\"\n", "| a | b | c |\n| --- | --- | --- |\n| | | d |\n"},
		"decomposed":            {"a,b\ne\u0301,x\n", "| a | b |\n| --- | --- |\n| \u00e9 | x |\n"},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := table.CSV([]byte(c.file), nothing)
			require.NoError(t, err)
			require.Equal(t, c.want, document.Markdown)
		})
	}
}

func TestCSVInEachEncoding(t *testing.T) {
	for encoding, file := range map[string]string{
		"windows-1252": "Stra\xdfe;Gr\xf6\xdfe\nHauptstra\xdfe;5 \x80\n",
		"utf-8":        "\xef\xbb\xbfStraße;Größe\nHauptstraße;5 €\n",
		"utf-16le":     "\xff\xfeS\x00t\x00r\x00a\x00\xdf\x00e\x00;\x00G\x00r\x00\xf6\x00\xdf\x00e\x00\n\x00H\x00a\x00u\x00p\x00t\x00s\x00t\x00r\x00a\x00\xdf\x00e\x00;\x005\x00 \x00\xac\x20\n\x00",
	} {
		document, err := table.CSV([]byte(file), nothing)
		require.NoError(t, err)
		require.Equal(t, "| Straße | Größe |\n| --- | --- |\n| Hauptstraße | 5 € |\n", document.Markdown)
		require.Equal(t, extract.Metadata{Encoding: encoding}, document.Metadata)
	}
}

func TestFaultsOfCSVHaveTheirReason(t *testing.T) {
	for name, c := range map[string]struct {
		file, reason string
	}{
		"blank":            {" \n\r\n\t", extract.Empty},
		"separators":       {";;;\n;;;\n", extract.Empty},
		"quoted nothing":   {"\"\",\" \"\n", extract.Empty},
		"no text":          {"\x81\x02\x90\xff\x01\x03", extract.UnsupportedEncoding},
		"open quote":       {"a,b\n1,\"2\n3,4\n", extract.Corrupt},
		"open at its end":  {"a,b\n1,\"", extract.Corrupt},
		"too many rows":    {strings.Repeat("a,b\n", extract.MaxRows+1), extract.TooLarge},
		"too much padding": {strings.Repeat("a,", 1_000_000) + "\n" + strings.Repeat("a,b\n", 20), extract.TooLarge},
		"too much text":    {"a,b\n" + strings.Repeat("x", extract.MaxText), extract.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := table.CSV([]byte(c.file), nothing)
			require.NotNil(t, extract.AsFailure(err), "%v", err)
			require.Equal(t, c.reason, extract.AsFailure(err).Reason)
		})
	}
	_, err := table.CSV([]byte("a,b\n1,\"2\n3,4\n"), nothing)
	require.Contains(t, err.Error(), "line 2")
	_, err = table.CSV([]byte("sep=,\na,b\n1,\"2\n3,4\n"), nothing)
	require.Contains(t, err.Error(), "line 3")
	_, err = table.CSV([]byte("sep=;\n"), nothing)
	require.Equal(t, extract.Empty, extract.AsFailure(err).Reason)
	document, err := table.CSV([]byte(strings.Repeat("a,b\n", extract.MaxRows)), nothing)
	require.NoError(t, err)
	require.Equal(t, extract.MaxRows+1, strings.Count(document.Markdown, "\n"))
}

// Whatever the cells, they come out as they went in.
func TestCellsOfACSVAreFound(t *testing.T) {
	letters := rapid.StringMatching(`[a-zß€ |,;"'\n\\.0-9-]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(letters, 3, 3), 1, 20).Draw(t, "rows")
		file, want := &strings.Builder{}, []string{"area", "name", "rule"}
		file.WriteString("area,name,rule\n")
		for _, cells := range rows {
			for i, cell := range cells {
				cells[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
				want = append(want, strings.Fields(strings.ReplaceAll(cell, "|", `\|`))...)
			}
			file.WriteString(strings.Join(cells, ",") + "\n")
		}
		document, err := table.CSV([]byte(file.String()), nothing)
		require.NoError(t, err)
		require.Subset(t, strings.Fields(document.Markdown), want)
	})
}

func TestTablesAreCutWithTheirHeaderAndGiveRules(t *testing.T) {
	var file strings.Builder
	file.WriteString("area,rule\n")
	for n := range 200 {
		fmt.Fprintf(&file, "hall %d,\"Visitors must sign list %d, and leave | return badges.\"\n", n, n)
	}
	document, err := table.CSV([]byte(file.String()), nothing)
	require.NoError(t, err)
	chunks := chunk.Split(document.Markdown)
	require.Greater(t, len(chunks), 10)
	for _, c := range chunks {
		require.True(t, strings.HasPrefix(c.Text, "| area | rule |\n| --- | --- |\n| hall "), c.Text)
	}
	found := rules.Extract(document.Markdown).Rules
	require.Len(t, found, 200)
	require.Equal(t, "Visitors must sign list 7, and leave | return badges.", found[7].Content)
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n\"1\n2\",3\n"))
	f.Add([]byte("a;b;\n;;\n\"\"\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		document, err := table.CSV(raw, nothing)
		if err != nil {
			require.NotNil(t, extract.AsFailure(err))
			return
		}
		for line := range strings.Lines(document.Markdown) {
			require.True(t, strings.HasPrefix(line, "| ") && strings.HasSuffix(line, "|\n"), line)
		}
	})
}
