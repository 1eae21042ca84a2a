package tests

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	listSources = "memory/knowledge/list"
	listRules   = "memory/knowledge/rules"
	readText    = "memory/knowledge/download"
)

// listedSource is a source in a list.
type listedSource struct {
	ID, SourceType, FileName, MimeType, SHA256, EmbeddingStatus string
	FileSize, UploadedAt                                        int64
	Version, RuleCount, ChunkCount                              int
	LiveVersion                                                 *int
	OrganizationID, DocumentID                                  *string
	FailureReason, DedupOf                                      *string
	OriginalDownloadURL, CanonicalMdDownloadURL                 *string
	Metadata                                                    map[string]any
}

// sourcePage is a page of sources.
type sourcePage struct {
	Items      []listedSource
	NextCursor *string
	HasMore    bool
}

// newest lists sources without asking for a page; filters narrow them.
func (s *scene) newest(filters map[string]any) (sources []listedSource) {
	s.t.Helper()
	s.call(listSources, filters, &sources)
	return sources
}

func (s *scene) sourcePage(data map[string]any) (page sourcePage) {
	s.t.Helper()
	s.call(listSources, data, &page)
	return page
}

type ruleView struct {
	ID, Content string
	Category    *string
	Index       int
}

func (s *scene) rules(sourceID string) (rules []ruleView) {
	s.t.Helper()
	s.call(listRules, map[string]any{"sourceId": sourceID}, &rules)
	require.NotNil(s.t, rules)
	for i, rule := range rules {
		require.Equal(s.t, i, rule.Index)
	}
	return rules
}

// text is what a source says; nil where there is nothing.
func (s *scene) text(sourceID string) (text *string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"data": map[string]any{"sourceId": sourceID}})
	require.NoError(s.t, err)
	reply, err := s.keyed.Send(s.ctx, "/v2/"+readText, body, nil)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	var envelope map[string]*string
	require.NoError(s.t, json.Unmarshal(reply.Body, &envelope))
	require.Contains(s.t, envelope, "result")
	return envelope["result"]
}

func sourceIDs(sources []listedSource) (ids []string) {
	for _, source := range sources {
		ids = append(ids, source.ID)
	}
	return ids
}

// Pages repeat no source and leave out none that stayed, while others come and go. Those that
// were there at the beginning are of one moment.
func TestKnowledgeList_1and3_PagingWhileOthersComeAndGo(t *testing.T) {
	s, l := beginAt(t, undriven) // none of them ends
	ids := make([]string, 1000)
	together(8, func(caller int) {
		for i := caller; i < len(ids); i += 8 {
			answer, err := client.Call[ingested](s.ctx, s.keyed, "memory/knowledge/ingest", ingestData(fmt.Sprint("source ", i)))
			if fine(t, err) {
				ids[i] = answer.SourceID
			}
		}
	})
	_, err := l.rows().Exec(t.Context(), `UPDATE sources SET created_at = date_trunc('day', created_at) WHERE workspace_id = $1`, s.workspace.ID)
	require.NoError(t, err)
	whole := sourceIDs(s.sourcePage(map[string]any{"pageSize": 100}).Items)
	require.True(t, slices.IsSortedFunc(whole, func(a, b string) int { return strings.Compare(b, a) }), "of one moment, the greatest id first")
	require.Equal(t, whole, sourceIDs(s.newest(map[string]any{})), "the newest hundred")
	gone, seen := map[string]bool{}, map[string]bool{}
	data := map[string]any{"pageSize": 17, "status": "processing"}
	for {
		page := s.sourcePage(data)
		for _, source := range page.Items {
			require.False(t, seen[source.ID], "listed twice")
			seen[source.ID] = true
		}
		if !page.HasMore {
			require.Nil(t, page.NextCursor)
			break
		}
		data["cursor"] = *page.NextCursor
		s.ingest("one that comes in between " + *page.NextCursor)
		for _, id := range []string{page.Items[16].ID, ids[len(gone)]} {
			if !gone[id] {
				gone[id] = true
				s.removed(id, true)
			}
		}
	}
	for _, id := range ids {
		require.True(t, seen[id] || gone[id], "left out")
	}
}

func TestKnowledgeList_AnItemSaysWhatThereIs(t *testing.T) {
	s := begin(t)
	live, failed := s.ingestAbout("acme", "spring", housePaper), s.ingestAbout("acme", "", " \n")
	s.broughtIn(live, "completed")
	s.broughtIn(failed, "failed")
	again := s.ingestAbout("acme", "spring", housePaper)
	s.broughtIn(again, "completed")
	other := s.ingestAbout("apex", "spring", housePaper)
	s.broughtIn(other, "completed")
	require.Equal(t, []string{other, again, failed, live}, sourceIDs(s.newest(map[string]any{})), "newest first")
	for want, filter := range map[string]map[string]any{
		again + failed + live: {"organizationId": "acme"},
		again + live:          {"organizationId": "acme", "documentId": "spring"},
		failed:                {"status": "failed"},
		"":                    {"organizationId": "none"},
		other:                 {"organizationId": "apex", "status": "completed"},
	} {
		require.Equal(t, want, strings.Join(sourceIDs(s.newest(filter)), ""), "%v", filter)
	}
	all := s.newest(map[string]any{"organizationId": "acme"})
	sum := sha256.Sum256([]byte(housePaper))
	one := all[2]
	require.Equal(t, []any{"inline", "story.txt", plainText, int64(len(housePaper)), hex.EncodeToString(sum[:]), "completed", 1, 1, 1, 2},
		[]any{one.SourceType, one.FileName, one.MimeType, one.FileSize, one.SHA256, one.EmbeddingStatus, one.Version, *one.LiveVersion, one.RuleCount, one.ChunkCount})
	require.Equal(t, []any{"acme", "spring", map[string]any{"encoding": "utf-8"}}, []any{*one.OrganizationID, *one.DocumentID, one.Metadata})
	_, original := get(t, *one.OriginalDownloadURL, "")
	require.Equal(t, housePaper, string(original))
	_, canonical := get(t, *one.CanonicalMdDownloadURL, "")
	require.Equal(t, *s.text(live), string(canonical))
	require.Equal(t, live, *all[0].DedupOf)
	require.Nil(t, one.DedupOf)
	require.Equal(t, []any{"failed", "empty-file", 0, 0}, []any{all[1].EmbeddingStatus, *all[1].FailureReason, all[1].RuleCount, all[1].ChunkCount})
	require.Nil(t, all[1].LiveVersion)
	require.Nil(t, all[1].OriginalDownloadURL)
	require.Nil(t, all[1].DocumentID)
}

func TestKnowledgeRules_1and4and5_RulesOfAText(t *testing.T) {
	s := begin(t)
	source := s.ingest("# Review\n\nThe word \"must\" appears here. Must we? At least it works. At least 3 reviewers sign.\n\n" +
		"You must never use:\n\n- red ink on forms\n- a broken pencil\n\n## Steps\n\n- Before printing\n  - Ensure the margins are set\n\n" +
		"| Who | What |\n|---|---|\n| Ann | The form must be signed by Ann |\n")
	s.broughtIn(source, "completed")
	rules, said := s.rules(source), map[string]string{}
	for _, rule := range rules {
		said[rule.Content] = *rule.Category
	}
	require.Equal(t, map[string]string{
		"At least 3 reviewers sign.": "Review", "You must never use: red ink on forms": "Review", "You must never use: a broken pencil": "Review",
		"Ensure the margins are set": "Steps", "The form must be signed by Ann": "Steps",
	}, said)
	hits := map[string]string{}
	for _, hit := range s.search("rules", map[string]any{"sourceId": source, "limit": 50, "includeRules": true}).Results {
		if hit.Kind == "rule" {
			hits[hit.RuleID] = hit.Text
		}
	}
	require.Len(t, hits, len(rules))
	for _, rule := range rules {
		require.Equal(t, rule.Content, hits[rule.ID])
	}
	none := s.ingest("The river rises in the hills.")
	require.Empty(t, s.rules(none), "nothing is live, or there are none")
	s.broughtIn(none, "completed")
	require.Empty(t, s.rules(none))
	require.Equal(t, "unknown-source", s.refusedAs("NOT_FOUND", listRules, map[string]any{"sourceId": "src_none"}).Reason)
}

func TestKnowledgeRules_3_ARuleBrokenOverTwoLinesOfAPDF(t *testing.T) {
	s := begin(t)
	page := "BT /F1 12 Tf 72 700 Td (Every bill that the office receives must be paid) Tj 0 -14 Td (within thirty days by the person in charge.) Tj ET"
	file := "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n" +
		"3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >> endobj\n" +
		fmt.Sprintf("4 0 obj << /Length %d >> stream\n%s\nendstream endobj\n", len(page), page) +
		"5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\ntrailer << /Root 1 0 R /Size 6 >>\n%%EOF\n"
	source := s.ingestAs(map[string]any{"source": "inline", "file": inlineFile([]byte(file), pdfType)})
	s.broughtIn(source, "completed")
	rules := s.rules(source)
	require.Len(t, rules, 1)
	require.Equal(t, "Every bill that the office receives must be paid within thirty days by the person in charge.", rules[0].Content)
}

func TestKnowledgeDownload_1_EveryCharacterSurvives(t *testing.T) {
	s := begin(t)
	const odd = "# Odd \"marks\"\n\nA back\\slash, a tab\there, an escape \x1b[1m, an emoji 👩‍👩‍👧, <b>&amp;</b> and a line \u2028 end.\n"
	source := s.ingest(odd)
	s.broughtIn(source, "completed")
	status := s.status(source)
	_, canonical := get(t, status.CanonicalMdDownloadURL, "")
	text := s.text(source)
	require.Equal(t, string(canonical), *text)
	require.Equal(t, odd, *text)
	require.Nil(t, s.text("src_none"))
	failed := s.ingest(" \n")
	s.broughtIn(failed, "failed")
	require.Nil(t, s.text(failed))
}

// A text of the largest size takes no memory, however many read it at once.
func TestKnowledgeDownload_2_TheLargestTextIsStreamed(t *testing.T) {
	const largest, readers = 20 << 20, 4
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	source := s.ingest(housePaper)
	s.broughtIn(source, "completed")
	file := filepath.Join(shared.Env["REDLINE_BLOB_DIR"], "sources", s.workspace.ID, source, "v1", "canonical.md")
	line := "A \"line\" of the text\\\n"
	text := strings.Repeat(line, largest/len(line))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	s.text(source)
	before := memory(t, process.PID(), "VmRSS")
	equal := make([]bool, readers)
	together(readers, func(i int) {
		read, err := client.Call[string](s.ctx, s.keyed, readText, map[string]any{"sourceId": source})
		equal[i] = fine(t, err) && read == text
	})
	require.Equal(t, slices.Repeat([]bool{true}, readers), equal)
	require.Less(t, memory(t, process.PID(), "VmRSS")-before, largest>>20, "less than one of the texts")
}

// withSource names a source and more.
func withSource(sourceID string, more map[string]any) map[string]any {
	data := map[string]any{"sourceId": sourceID}
	maps.Copy(data, more)
	return data
}
