package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func listRulesOf(env *kit.Env, sourceID string) (rules []redline.Rule) {
	env.T.Helper()
	env.Call(client.ListRules, map[string]any{"sourceId": sourceID}, &rules)
	require.NotNil(env.T, rules)
	for i, rule := range rules {
		require.EqualValues(env.T, i, rule.Index)
	}
	return rules
}

// textOf is what a source says; nil where there is nothing.
func textOf(env *kit.Env, sourceID string) (text *string) {
	env.T.Helper()
	body, err := json.Marshal(map[string]any{"data": map[string]any{"sourceId": sourceID}})
	require.NoError(env.T, err)
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.ReadText, body, nil)
	require.NoError(env.T, err)
	require.Equal(env.T, http.StatusOK, reply.HTTP, "%s", reply.Body)
	var envelope map[string]*string
	require.NoError(env.T, json.Unmarshal(reply.Body, &envelope))
	require.Contains(env.T, envelope, "result")
	return envelope["result"]
}

func TestKnowledgeList_AnItemSaysWhatThereIs(t *testing.T) {
	env := kit.NewWorkspace(t)
	live, failed := kit.IngestAbout(env, "acme", "spring", kit.HousePaper), kit.IngestAbout(env, "acme", "", " \n")
	kit.BroughtIn(env, live, "completed")
	kit.BroughtIn(env, failed, "failed")
	again := kit.IngestAbout(env, "acme", "spring", kit.HousePaper)
	kit.BroughtIn(env, again, "completed")
	other := kit.IngestAbout(env, "apex", "spring", kit.HousePaper)
	kit.BroughtIn(env, other, "completed")
	require.Equal(t, []string{other, again, failed, live}, kit.SourceIDs(kit.NewestSources(env, map[string]any{})), "newest first")
	for want, filter := range map[string]map[string]any{
		again + failed + live: {"organizationId": "acme"},
		again + live:          {"organizationId": "acme", "documentId": "spring"},
		failed:                {"status": "failed"},
		"":                    {"organizationId": "none"},
		other:                 {"organizationId": "apex", "status": "completed"},
	} {
		require.Equal(t, want, strings.Join(kit.SourceIDs(kit.NewestSources(env, filter)), ""), "%v", filter)
	}
	all := kit.NewestSources(env, map[string]any{"organizationId": "acme"})
	sum := sha256.Sum256([]byte(kit.HousePaper))
	one := all[2]
	require.Equal(t, []any{redline.SourceSourceTypeInline, "test.txt", kit.PlainText, int64(len(kit.HousePaper)), hex.EncodeToString(sum[:]), redline.SourceEmbeddingStatusCompleted, int64(1), int64(1), int64(1), int64(2)},
		[]any{one.SourceType, one.FileName, one.MimeType, one.FileSize, one.Sha256, one.EmbeddingStatus, one.Version, *one.LiveVersion, one.RuleCount, one.ChunkCount})
	require.Equal(t, []any{"acme", "spring", map[string]any{"encoding": "utf-8"}}, []any{*one.OrganizationID, *one.DocumentID, kit.ObjectOf(one.Metadata)})
	_, original := kit.Get(t, one.OriginalDownloadURL, "")
	require.Equal(t, kit.HousePaper, string(original))
	_, canonical := kit.Get(t, one.CanonicalMdDownloadURL, "")
	require.Equal(t, *textOf(env, live), string(canonical))
	require.Equal(t, live, all[0].DedupOf)
	require.Empty(t, one.DedupOf)
	require.Equal(t, []any{redline.SourceEmbeddingStatusFailed, "empty-file", int64(0), int64(0)}, []any{all[1].EmbeddingStatus, all[1].FailureReason, all[1].RuleCount, all[1].ChunkCount})
	require.Nil(t, all[1].LiveVersion)
	require.Empty(t, all[1].OriginalDownloadURL)
	require.Nil(t, all[1].DocumentID)
}

func TestKnowledgeRules_1and4and5_RulesOfAText(t *testing.T) {
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, "# Review\n\nThe word \"must\" appears here. Must we? At least it works. At least 3 reviewers sign.\n\n"+
		"You must never use:\n\n- red ink on forms\n- a broken pencil\n\n## Steps\n\n- Before printing\n  - Ensure the margins are set\n\n"+
		"| Who | What |\n|---|---|\n| Ann | The form must be signed by Ann |\n")
	kit.BroughtIn(env, source, "completed")
	rules, said := listRulesOf(env, source), map[string]string{}
	for _, rule := range rules {
		said[rule.Content] = *rule.Category
	}
	require.Equal(t, map[string]string{
		"At least 3 reviewers sign.": "Review", "You must never use: red ink on forms": "Review", "You must never use: a broken pencil": "Review",
		"Ensure the margins are set": "Steps", "The form must be signed by Ann": "Steps",
	}, said)
	hits := map[string]string{}
	for _, hit := range kit.Search(env, "rules", map[string]any{"sourceId": source, "limit": 50, "includeRules": true}).Results {
		if hit.Kind == "rule" {
			hits[hit.RuleID] = hit.Text
		}
	}
	require.Len(t, hits, len(rules))
	for _, rule := range rules {
		require.Equal(t, rule.Content, hits[rule.ID])
	}
	none := kit.Ingest(env, "The river rises in the hills.")
	require.Empty(t, listRulesOf(env, none), "nothing is live, or there are none")
	kit.BroughtIn(env, none, "completed")
	require.Empty(t, listRulesOf(env, none))
	require.Equal(t, redline.ErrorDetailsReasonUnknownSource, env.RefusedAs("NOT_FOUND", client.ListRules, map[string]any{"sourceId": "src_none"}).Reason)
}

func TestKnowledgeRules_3_ARuleBrokenOverTwoLinesOfAPDF(t *testing.T) {
	env := kit.NewWorkspace(t)
	page := "BT /F1 12 Tf 72 700 Td (Every bill that the office receives must be paid) Tj 0 -14 Td (within thirty days by the person in charge.) Tj ET"
	file := "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n" +
		"3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >> endobj\n" +
		fmt.Sprintf("4 0 obj << /Length %d >> stream\n%s\nendstream endobj\n", len(page), page) +
		"5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\ntrailer << /Root 1 0 R /Size 6 >>\n%%EOF\n"
	source := kit.IngestAs(env, map[string]any{"source": "inline", "file": kit.InlineFile([]byte(file), pdfType)})
	kit.BroughtIn(env, source, "completed")
	rules := listRulesOf(env, source)
	require.Len(t, rules, 1)
	require.Equal(t, "Every bill that the office receives must be paid within thirty days by the person in charge.", rules[0].Content)
}

func TestKnowledgeDownload_1_EveryCharacterSurvives(t *testing.T) {
	env := kit.NewWorkspace(t)
	const odd = "# Odd \"marks\"\n\nA back\\slash, a tab\there, an escape \x1b[1m, an emoji 👩‍👩‍👧, <b>&amp;</b> and a line \u2028 end.\n"
	source := kit.Ingest(env, odd)
	kit.BroughtIn(env, source, "completed")
	status := kit.Status(env, source)
	_, canonical := kit.Get(t, status.CanonicalMdDownloadURL, "")
	text := textOf(env, source)
	require.Equal(t, string(canonical), *text)
	require.Equal(t, odd, *text)
	require.Nil(t, textOf(env, "src_none"))
	failed := kit.Ingest(env, " \n")
	kit.BroughtIn(env, failed, "failed")
	require.Nil(t, textOf(env, failed))
}

// A text of the largest size is answered whole to all who read it at once.
func TestKnowledgeDownload_2_TheLargestTextIsAnsweredWhole(t *testing.T) {
	const largest, readers = 20 << 20, 4
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, source, "completed")
	file := filepath.Join(kit.Shared.Env["REDLINE_BLOB_DIR"], "sources", env.Workspace.ID, source, "v1", "canonical.md")
	line := "A \"line\" of the text\\\n"
	text := strings.Repeat(line, largest/len(line))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	equal := make([]bool, readers)
	kit.Concurrently(readers, func(i int) {
		read, err := client.Call[string](env.Ctx, env.Keyed, client.ReadText, map[string]any{"sourceId": source})
		equal[i] = kit.NoError(t, err) && read == text
	})
	require.Equal(t, slices.Repeat([]bool{true}, readers), equal)
}
