package memory

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

// tables are where real workbooks and CSV files are.
const tables = "../../internal/extract/table/testdata"

// madeWorkbook is one that fill has written.
func madeWorkbook(t *testing.T, fill func(*excelize.File)) []byte {
	t.Helper()
	file := excelize.NewFile()
	defer func() { _ = file.Close() }()
	fill(file)
	var content bytes.Buffer
	require.NoError(t, file.Write(&content))
	return content.Bytes()
}

// ingestBytes brings a file of a type in.
func ingestBytes(env *kit.Env, content []byte, mimeType string) string {
	env.T.Helper()
	return kit.IngestAs(env, map[string]any{"source": "inline", "file": kit.InlineFile(content, mimeType)})
}

// markdownOf is what was made of a completed source.
func markdownOf(env *kit.Env, status redline.IngestStatus) string {
	env.T.Helper()
	answer, content := kit.Get(env.T, status.CanonicalMdDownloadURL, "")
	require.Equal(env.T, http.StatusOK, answer.HTTP)
	return string(content)
}

func TestUpload_1AndIngest_2_EachOfTheFourTypesCompletesOnBothWays(t *testing.T) {
	env := kit.NewWorkspace(t)
	book := madeWorkbook(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"cost", "amount"}))
		require.NoError(t, f.SetSheetRow("Sheet1", "A2", &[]any{"rent", 900}))
	})
	for mimeType, content := range map[string][]byte{
		kit.CSVType: []byte("cost,amount\nrent,900\n"), kit.XlsxType: book, kit.PlainText: []byte("The rent is 900."),
	} {
		u := kit.RequestUpload(env, len(content), mimeType)
		code, text := kit.Put(t, u.UploadURL, mimeType, bytes.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
		for _, data := range []map[string]any{
			{"source": "fileRef", "fileRef": u.FileRef, "mimeType": mimeType},
			{"source": "inline", "file": kit.InlineFile(content, mimeType)},
		} {
			status := kit.BroughtIn(env, kit.IngestAs(env, data), "completed")
			require.Equal(t, mimeType, status.MimeType)
			require.Contains(t, markdownOf(env, status), "900")
			answer, original := kit.Get(t, status.OriginalDownloadURL, "")
			require.Equal(t, content, original)
			require.Equal(t, mimeType, answer.Header.Get("content-type"))
		}
	}
	found := kit.Search(env, "How much is the rent?", map[string]any{"limit": 50})
	require.Len(t, found.Results, 6)
}

func TestIngest_2_CSVInOlderEncodingsAndWithQuotedLineBreaksCompletes(t *testing.T) {
	env := kit.NewWorkspace(t)
	western := ingestBytes(env, []byte("Stra\xdfe;Regel\nHauptstra\xdfe;You must keep 5 \x80 in the till.\n"), kit.CSVType)
	marked := ingestBytes(env, []byte("\xef\xbb\xbfarea,rule\r\ngate,\"Every gate\r\nmust be \"\"shut\"\", always.\"\r\n"), kit.CSVType)
	status := kit.BroughtIn(env, western, "completed")
	require.Equal(t, map[string]any{"encoding": "windows-1252"}, kit.ObjectOf(status.Metadata))
	require.Equal(t, "| Straße | Regel |\n| --- | --- |\n| Hauptstraße | You must keep 5 € in the till. |\n", markdownOf(env, status))
	require.Equal(t, int64(1), status.ExtractedRulesCount)
	status = kit.BroughtIn(env, marked, "completed")
	require.Equal(t, map[string]any{"encoding": "utf-8"}, kit.ObjectOf(status.Metadata))
	require.Equal(t, "| area | rule |\n| --- | --- |\n| gate | Every gate must be \"shut\", always. |\n", markdownOf(env, status))
	require.Equal(t, int64(1), status.ExtractedRulesCount)
	rule := kit.Search(env, "gate", map[string]any{"includeRules": true, "sourceId": marked}).Results
	require.True(t, slices.ContainsFunc(rule, func(h redline.KnowledgeHit) bool {
		return h.Kind == "rule" && h.Text == `Every gate must be "shut", always.`
	}), "%+v", rule)
}

func TestIngest_6_AWorkbookOfTwelveSheetsOneHiddenOneEmpty(t *testing.T) {
	env := kit.NewWorkspace(t)
	const hidden, empty = 4, 7
	name := func(n int) string { return fmt.Sprintf("Area %d & yard", n) }
	file := madeWorkbook(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetName("Sheet1", name(1)))
		for n := 1; n <= 12; n++ {
			_, err := f.NewSheet(name(n))
			require.NoError(t, err)
			if n != empty {
				require.NoError(t, f.SetSheetRow(name(n), "B2", &[]any{"number", "rule"}))
				require.NoError(t, f.SetSheetRow(name(n), "B3", &[]any{n, fmt.Sprintf("Guards must walk round %d each night.", n)}))
			}
		}
		require.NoError(t, f.SetSheetVisible(name(hidden), false))
	})
	source := ingestBytes(env, file, kit.XlsxType)
	status := kit.BroughtIn(env, source, "completed")
	require.Equal(t, map[string]any{"sheets": 12.0}, kit.ObjectOf(status.Metadata))
	require.Equal(t, int64(11), status.ChunkCount)
	require.Equal(t, int64(11), status.ExtractedRulesCount)
	text, rules := markdownOf(env, status), map[string]string{}
	for _, hit := range kit.Search(env, "guards at night", map[string]any{"limit": 50, "includeRules": true, "sourceId": source}).Results {
		if hit.Kind == "rule" {
			rules[hit.Text] = hit.Category
		}
	}
	for n := 1; n <= 12; n++ {
		if n == empty {
			require.NotContains(t, text, name(n))
			continue
		}
		sentence := fmt.Sprintf("Guards must walk round %d each night.", n)
		require.Contains(t, text, fmt.Sprintf("## %s\n\n| number | rule |\n| --- | --- |\n| %d | %s |\n", name(n), n, sentence))
		require.Equal(t, name(n), rules[sentence], "the rule stands under the name of its sheet")
	}
}

func TestIngest_8_FaultyTablesFailWithTheirOwnReasonAndTheQueueGoesOn(t *testing.T) {
	env := kit.NewWorkspace(t)
	book := madeWorkbook(t, func(f *excelize.File) { require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"a", "b"})) })
	locked, err := excelize.Encrypt(book, &excelize.Options{Password: "secret"})
	require.NoError(t, err)
	old, err := os.ReadFile(filepath.Join(tables, "old.xls"))
	require.NoError(t, err)
	type faulty struct {
		content          []byte
		mimeType, reason string
	}
	files := []faulty{
		{locked, kit.XlsxType, "file-encrypted"},
		{old, kit.XlsxType, "unsupported-format"},
		{book[:len(book)-200], kit.XlsxType, "file-corrupt"},
		{madeWorkbook(t, func(*excelize.File) {}), kit.XlsxType, "empty-file"},
		{[]byte(" \n;;;\n"), kit.CSVType, "empty-file"},
		{[]byte("a,b\n1,\"never closed\n2,3\n"), kit.CSVType, "file-corrupt"},
		{[]byte(strings.Repeat("a,b\n", 200_001)), kit.CSVType, "file-too-large"},
	}
	sources := make([]string, len(files))
	for i, f := range files {
		sources[i] = ingestBytes(env, f.content, f.mimeType)
	}
	sound := ingestBytes(env, book, kit.XlsxType)
	for i, f := range files {
		status := kit.BroughtIn(env, sources[i], "failed")
		require.Equal(t, f.reason, status.FailureReason, "%d", i)
		require.NotEmpty(t, status.FailureMessage)
		require.Nil(t, status.LiveVersion)
	}
	kit.BroughtIn(env, sound, "completed")
}

// A bomb takes the process that converts it and nothing else.
func TestIngest_8_ABombFailsAndHarmsNobody(t *testing.T) {
	env := kit.NewWorkspace(t)
	bomb := madeWorkbook(t, func(f *excelize.File) {
		f.Pkg.Store("xl/media/zeros.png", make([]byte, 301<<20))
	})
	u := kit.RequestUpload(env, len(bomb), kit.XlsxType)
	code, text := kit.Put(t, u.UploadURL, kit.XlsxType, io.LimitReader(bytes.NewReader(bomb), int64(len(bomb))))
	require.Equal(t, http.StatusOK, code, text)
	source := kit.IngestAs(env, map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.XlsxType})
	other := kit.Ingest(env, kit.HousePaper)
	require.Equal(t, "file-too-large", kit.BroughtIn(env, source, "failed").FailureReason)
	kit.BroughtIn(env, other, "completed")
}

func TestKnowledge_RealTablesCompleteWithTheirCells(t *testing.T) {
	env := kit.NewWorkspace(t)
	sources := map[string]string{}
	for _, name := range []string{"workbooks/v3.xlsx", "workbooks/testcelltypes.xlsx", "workbooks/libreoffice-ubuntu.xlsx", "csv/gonum-manifest.csv", "csv/libreoffice-semicolons.csv"} {
		content, err := os.ReadFile(filepath.Join(tables, name))
		require.NoError(t, err)
		mimeType := kit.CSVType
		if strings.HasSuffix(name, ".xlsx") {
			mimeType = kit.XlsxType
		}
		sources[name] = ingestBytes(env, content, mimeType)
	}
	for name, source := range sources {
		markdown := markdownOf(env, kit.BroughtIn(env, source, "completed"))
		known, err := os.ReadFile(filepath.Join(tables, strings.TrimSuffix(name, filepath.Ext(name))+".cells"))
		require.NoError(t, err)
		for cell := range strings.Lines(string(known)) {
			require.Contains(t, markdown, strings.ReplaceAll(strings.TrimSuffix(cell, "\n"), "|", `\|`), name)
		}
	}
}
