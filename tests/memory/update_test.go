package memory

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
)

// update replaces the content of a source.
func update(env *kit.Env, sourceID, content string) redline.UpdateResult {
	env.T.Helper()
	var answer redline.UpdateResult
	env.Call(client.UpdateKnowledge, map[string]any{"sourceId": sourceID, "newContent": content}, &answer)
	return answer
}

// rules are the rules that a search finds of a source, by what they say.
func rulesOf(env *kit.Env, sourceID string) map[string]redline.KnowledgeHit {
	env.T.Helper()
	found := map[string]redline.KnowledgeHit{}
	for _, hit := range kit.Search(env, "what must be done", map[string]any{"sourceId": sourceID, "includeRules": true, "limit": 50}).Results {
		if hit.Kind == "rule" {
			found[hit.Text] = hit
		}
	}
	return found
}

func TestUpdate_1_ParallelUpdatesFollowOneAnother(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	source := kit.Ingest(env, "Rule 1 must hold.")
	kit.BroughtIn(env, source, "completed")
	const updates = 50
	var mu sync.Mutex
	answers, rules := map[int]redline.UpdateResult{}, map[int]string{1: "Rule 1 must hold."}
	kit.Concurrently(updates, func(i int) {
		rule := fmt.Sprintf("Paper %d must be signed.", i)
		answer, err := client.Call[redline.UpdateResult](env.Ctx, env.Keyed, client.UpdateKnowledge, map[string]any{"sourceId": source, "newContent": rule})
		if kit.NoError(env.T, err) {
			mu.Lock()
			defer mu.Unlock()
			answers[int(answer.NewVersion)], rules[int(answer.NewVersion)] = answer, rule
		}
	})
	require.Len(t, answers, updates)
	for version := 2; version <= updates+1; version++ {
		require.Equal(t, []string{rules[version]}, answers[version].Diff.Added)
		require.Equal(t, []string{rules[version-1]}, answers[version].Diff.Removed)
	}
	status := kit.BroughtIn(env, source, "completed")
	require.Equal(t, []int{updates + 1, updates + 1}, []int{int(status.Version), int(*status.LiveVersion)})
	require.Equal(t, rules[updates+1], kit.Search(env, "paper").Results[0].Text)
	require.Len(t, rulesOf(env, source), 1)
}

// Updates of one workspace, as many at once as its key may send, keep neither it nor another one from their answers.
func TestShares_8_ParallelUpdatesCloseNobody(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	neighbour := kit.Elsewhere(env)
	sources := make([]string, 50)
	for i := range sources {
		sources[i] = kit.Ingest(env, fmt.Sprintf("Rule %d must hold.", i))
	}
	theirs := kit.Ingest(neighbour, "Paper must be signed.")
	for _, source := range sources {
		kit.BroughtIn(env, source, "completed")
	}
	kit.BroughtIn(neighbour, theirs, "completed")
	done := make(chan struct{})
	go func() {
		defer close(done)
		kit.Concurrently(len(sources), func(i int) {
			_, err := client.Call[redline.UpdateResult](env.Ctx, env.Keyed, client.UpdateKnowledge, map[string]any{"sourceId": sources[i], "newContent": strings.Repeat("Paper must be signed by two. ", 2000)})
			if refused := redline.AsError(err); refused == nil || refused.Reason != "busy" {
				kit.NoError(env.T, err)
			}
		})
	}()
	for n := 0; ; n++ {
		select {
		case <-done:
			require.Positive(t, n)
			require.NotEmpty(t, kit.Search(env, "paper").Results)
			return
		default:
			require.NotEmpty(t, kit.Search(neighbour, "paper").Results)
			kit.Status(env, sources[0])
		}
	}
}

// marked is a text of that many sections, each a chunk with this word and a rule.
func marked(word string, sections int) string {
	var text strings.Builder
	for i := range sections {
		fmt.Fprintf(&text, "# Section %d\n\nThe %s part %d must be oiled. %s\n\n", i, word, i, strings.Repeat("The machine turns slowly. ", 8))
	}
	return text.String()
}

func TestUpdate_2_ASearchSeesOnlyOldOrOnlyNew(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	const sections, most = 500, 50
	source := kit.Ingest(env, marked("former", sections))
	kit.BroughtIn(env, source, "completed")
	seen := map[string]int{}
	look := func() string {
		found := kit.Search(env, "machine", map[string]any{"sourceId": source, "includeRules": true, "limit": most}).Results
		require.Len(t, found, most, "never neither of them")
		word := "former"
		if strings.Contains(found[0].Text, "latter") {
			word = "latter"
		}
		for _, hit := range found {
			require.Contains(t, hit.Text, "The "+word+" part")
		}
		seen[word]++
		return word
	}
	require.Equal(t, "former", look())
	done := make(chan error, 1)
	go func() {
		_, err := client.Call[redline.UpdateResult](env.Ctx, env.Keyed, client.UpdateKnowledge, map[string]any{"sourceId": source, "newContent": marked("latter", sections)})
		done <- err
	}()
	kit.RequireWithin(t, kit.IngestionTime, "the new version is seen", func() bool { return look() == "latter" })
	require.NoError(t, <-done)
	for range 5 {
		require.Equal(t, "latter", look(), "the old one does not come back")
	}
}

func TestUpdate_3_WhatSaysTheSameIsUnchanged(t *testing.T) {
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, "# Payment\n\n- Bills must be paid in full.\n- Cash is never taken\n")
	kit.BroughtIn(env, source, "completed")
	before := rulesOf(env, source)
	require.Len(t, before, 2)
	answer := update(env, source, "# Money\n\n* BILLS must be paid in full\n* Cash is **never** taken.\n\nNothing else.\n")
	require.Equal(t, int64(2), answer.NewVersion)
	require.Equal(t, int64(2), answer.Diff.Unchanged)
	require.Equal(t, []string{}, answer.Diff.Added)
	require.Equal(t, []string{}, answer.Diff.Removed)
	kit.BroughtIn(env, source, "completed")
	after := rulesOf(env, source)
	require.Equal(t, before["Bills must be paid in full."].RuleID, after["BILLS must be paid in full"].RuleID)
	require.Equal(t, before["Cash is never taken"].RuleID, after["Cash is never taken."].RuleID)
	require.Equal(t, "Money", after["Cash is never taken."].Category)

	update(env, source, "Nothing is said any more.")
	update(env, source, "# Money\n\n- Bills must be paid in full.\n")
	kit.BroughtIn(env, source, "completed")
	require.NotEqual(t, before["Bills must be paid in full."].RuleID, rulesOf(env, source)["Bills must be paid in full."].RuleID, "after a gap the id is new")
}

func TestUpdate_4_MovedDoubledAndReworded(t *testing.T) {
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, "The gate must be closed. The bell must be rung.\n\nThe lamp must be lit.")
	kit.BroughtIn(env, source, "completed")
	answer := update(env, source, "The lamp must be lit. The bell must be rung.\n\nThe bell must be rung. The gate must be locked.")
	require.Equal(t, []string{"The gate must be locked."}, answer.Diff.Added)
	require.Equal(t, []string{"The gate must be closed."}, answer.Diff.Removed)
	require.Equal(t, int64(2), answer.Diff.Unchanged)
}

func TestUpdate_5_AFailedSourceIsReplacedByText(t *testing.T) {
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, " \n ")
	kit.BroughtIn(env, source, "failed")
	const content = "The gate must be closed.\r\nThe cafe\u0301 must be open."
	answer := update(env, source, content)
	require.Equal(t, int64(2), answer.NewVersion)
	require.Equal(t, []string{"The gate must be closed.", "The café must be open."}, answer.Diff.Added)
	require.Empty(t, answer.Diff.Removed)
	require.Zero(t, answer.Diff.Unchanged)
	status := kit.BroughtIn(env, source, "completed")
	require.Equal(t, []any{"test.txt", "text/markdown", int64(2), int64(2), int64(2)}, []any{status.FileName, status.MimeType, status.Version, *status.LiveVersion, status.ExtractedRulesCount})
	reply, original := kit.Get(t, status.OriginalDownloadURL, "")
	require.Equal(t, content, string(original), "what was sent, byte by byte")
	require.Equal(t, "text/markdown; charset=utf-8", reply.Header.Get("content-type"))
	require.Contains(t, reply.Header.Get("content-disposition"), `attachment; filename=test.txt.md`)
	_, canonical := kit.Get(t, status.CanonicalMdDownloadURL, "")
	require.Equal(t, "The gate must be closed.\nThe café must be open.", string(canonical))
	again := update(env, source, string(canonical))
	require.Equal(t, []any{int64(3), int64(2), []string{}, []string{}}, []any{again.NewVersion, again.Diff.Unchanged, again.Diff.Added, again.Diff.Removed})
}

func TestUpdate_6_ATextWithoutRules(t *testing.T) {
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, source, "completed")
	answer := update(env, source, "# Garden\n\nThe roses are watered every morning.\n")
	require.Equal(t, []string{"You must pay in full."}, answer.Diff.Removed)
	require.Empty(t, answer.Diff.Added)
	found := kit.Search(env, "roses", map[string]any{"includeRules": true}).Results
	require.Len(t, found, 1, "who searches next finds it, and nothing else")
	require.Equal(t, "The roses are watered every morning.", found[0].Text)
}

// vectorsOf counts the texts that were embedded for a workspace.
func vectorsOf(env *kit.Env, rows *pgx.Conn) (count int) {
	env.T.Helper()
	require.NoError(env.T, rows.QueryRow(env.Ctx, `SELECT count(*) FROM vectors WHERE workspace_id = $1`, env.Workspace.ID).Scan(&count))
	return count
}

func TestUpdate_7_OneParagraphInFiveHundred(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.WordsAsModel)
	rows := isolated.DB()
	paragraphs := make([]string, 500)
	for i := range paragraphs {
		paragraphs[i] = fmt.Sprintf("Part %d turns with the wheel. It must be oiled every %d days. %s", i, i+2, strings.Repeat("The workers watch it. ", i%7))
	}
	source := kit.Ingest(env, strings.Join(paragraphs, "\n\n"))
	kit.BroughtIn(env, source, "completed")
	before := vectorsOf(env, rows)
	for _, at := range []int{0, 123, 250, 377, 499} {
		paragraphs[at] = fmt.Sprintf("Part %d turns with the wheel. It must be oiled every single hour of week %d, and nobody watches it.", at, at)
		answer := update(env, source, strings.Join(paragraphs, "\n\n"))
		require.Equal(t, []int{1, 499}, []int{len(answer.Diff.Added), int(answer.Diff.Unchanged)})
		kit.BroughtIn(env, source, "completed")
		require.Equal(t, kit.Status(env, source).Version, *kit.Status(env, source).LiveVersion)
		now := vectorsOf(env, rows)
		require.LessOrEqual(t, now-before, 3, "texts embedded for a change of paragraph %d", at)
		before = now
	}
}

func TestUpdate_8_AKillBetweenAnswerAndSwitch(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	worker := isolated.StartProcess("worker")
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"knowledge.ingest.completed", "knowledge.ingest.failed"}})
	source := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, source, "completed")
	held := isolated.Rows.HoldRequest(proxy.Says(`"completed_at"=clock_timestamp()`))
	worker.Kill()
	isolated.Restart(worker)
	began := time.Now()
	done := make(chan redline.UpdateResult, 1)
	go func() {
		answer, err := client.Call[redline.UpdateResult](env.Ctx, env.Keyed, client.UpdateKnowledge, map[string]any{"sourceId": source, "newContent": "The gate must be closed."})
		kit.NoError(t, err)
		done <- answer
	}()
	kit.RequireReached(t, "the switch", held.Reached())
	worker.Kill()
	held.Drop()
	answer := <-done
	require.Equal(t, int64(2), answer.NewVersion, "it is answered all the same")
	require.Greater(t, time.Since(began), 10*time.Second, "after a while")
	status := kit.Status(env, source)
	require.Equal(t, []any{redline.IngestStatusStatusProcessing, int64(2), int64(1), "completed"}, []any{status.Status, status.Version, *status.LiveVersion, status.Progress.Stage})
	require.Len(t, kit.Search(env, "invoice", map[string]any{"sourceId": source}).Results, 2, "the former version is served")
	isolated.Restart(worker)
	require.Equal(t, int64(2), *kit.BroughtIn(env, source, "completed").LiveVersion)
	require.Equal(t, "The gate must be closed.", kit.Search(env, "gate", map[string]any{"sourceId": source}).Results[0].Text)
	messages := kit.Heard(env, "/told", 2)
	require.Equal(t, []string{"knowledge.ingest.completed", "knowledge.ingest.completed"}, kit.EventsOf(messages))
	require.Contains(t, string(messages[1].Data), `"version":2`)
	isolated.AtRest()
}

func TestUpdate_IsRefused(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	source := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, source, "completed")
	refused := func(status string, data map[string]any) *redline.Error {
		return env.RefusedAs(status, client.UpdateKnowledge, data)
	}
	content := func(text string) map[string]any { return map[string]any{"sourceId": source, "newContent": text} }
	const largest = 5 << 20
	for _, data := range []map[string]any{
		{"sourceId": source},
		{"newContent": "a b"},
		{"sourceId": " ", "newContent": "a b"},
		content(" \n\t"), content("\u200b\u2060"),
		{"sourceId": source, "newContent": 7},
		{"sourceId": source, "newContent": "a", "more": 1},
		{"sourceId": source, "newContent": "a", "expectedVersion": 0},
		content(strings.Repeat("é", largest/2) + "x"), content(strings.Repeat("# a\n\nb\n\n", 20_001)),
	} {
		refused("INVALID_ARGUMENT", data)
	}
	require.Equal(t, redline.ErrorDetailsReasonFileTooLarge, refused("INVALID_ARGUMENT", content(strings.Repeat("# a\n\nb\n\n", 20_001))).Reason)
	require.Equal(t, redline.ErrorDetailsReasonUnknownSource, refused("NOT_FOUND", map[string]any{"sourceId": "src_none", "newContent": "a b"}).Reason)
	require.Equal(t, int64(1), kit.Status(env, source).Version, "nothing was changed")

	expecting := func(version int, text string) map[string]any {
		return map[string]any{"sourceId": source, "newContent": text, "expectedVersion": version}
	}
	env.Call(client.UpdateKnowledge, expecting(1, strings.Repeat("All work and no play. ", largest/22)), nil)
	conflict := refused("FAILED_PRECONDITION", expecting(1, "a b c"))
	require.Equal(t, redline.ErrorDetailsReasonVersionConflict, conflict.Reason)
	require.Equal(t, int64(2), conflict.Details.Version)

	isolated.Temporal.Down()
	waiting := kit.Ingest(env, kit.HousePaper)
	require.Equal(t, redline.ErrorDetailsReasonIngestInProgress, refused("ABORTED", map[string]any{"sourceId": waiting, "newContent": "a b"}).Reason)
	require.NoError(t, isolated.Temporal.Up())
	kit.BroughtIn(env, waiting, "completed")
}

func TestSuggest_RecentKnowledgeIsNamed(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Record(env, kit.Listed(kit.About("ann", "reject", kit.Liability), kit.About("bob", "reject", kit.Liability)))
	require.Empty(t, suggested(env, "two reject", votes(2)).Primary.Caveats)
	source := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, source, "completed")
	require.Empty(t, suggest(env, kit.Liability).Primary.Caveats, "what is brought in for the first time is not named")
	update(env, source, "Liability must be capped.")
	require.Equal(t, int64(2), *kit.BroughtIn(env, source, "completed").LiveVersion)
	const updates = "Knowledge updated in the last 48 hours: %d source(s)"
	require.Equal(t, []string{fmt.Sprintf(updates, 1)}, suggest(env, kit.Liability).Primary.Caveats)
	for i, organizationID := range []string{"apex", "acme"} {
		source = kit.IngestAs(env, kit.Merged(kit.IngestData(kit.HousePaper), map[string]any{"organizationId": organizationID}))
		kit.BroughtIn(env, source, "completed")
		update(env, source, "Liability must be capped.")
		kit.BroughtIn(env, source, "completed")
		found := suggest(env, kit.Liability, map[string]any{"organizationId": "acme"}).Primary
		require.Equal(t, []any{redline.SuggestionScopeOrganization, []string{fmt.Sprintf(updates, 1+i)}}, []any{found.Scope, found.Caveats}, "apex has its own")
	}
}

// A version that fails leaves the one before it where it is, and is replaced in its turn.
func TestStatus_3_AFailedUpdateLeavesTheFormerVersion(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	model := beforeModel(t)
	settings := append(kit.LettersAt("http://"+model.Addr()), impatient)
	env := isolated.NewWorkspace(isolated.StartProcess("serve", settings...))
	source := kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, source, "completed")
	model.Down()
	answer := update(env, source, "# Payment\n\nBills must be paid at once.")
	require.Equal(t, []string{"You must pay in full."}, answer.Diff.Removed)
	kit.RequireWithin(t, kit.IngestionTime, "the version fails", func() bool {
		return kit.Status(env, source).Status == "failed"
	})
	require.NoError(t, model.Up())
	status := kit.Status(env, source)
	require.Equal(t, []any{redline.IngestStatusStatusFailed, "embedding-failed", int64(2), int64(1)}, []any{status.Status, status.FailureReason, status.Version, *status.LiveVersion})
	require.Len(t, kit.Search(env, "gate", map[string]any{"sourceId": source}).Results, 2)

	answer = update(env, source, "# Payment\n\nBills must be paid at once.\n\nYou must pay in full.")
	require.Equal(t, []any{int64(3), []string{"You must pay in full."}, int64(1)}, []any{answer.NewVersion, answer.Diff.Added, answer.Diff.Unchanged}, "compared with the version before, though it failed")
	require.Equal(t, int64(3), *kit.BroughtIn(env, source, "completed").LiveVersion)
	onlyVersion(isolated, source, 3)
}

// filesOf are the files that are kept of a source.
func filesOf(t *testing.T, env *kit.Env, sourceID string) (files []string) {
	t.Helper()
	folder := filepath.Join(kit.Shared.Env["REDLINE_BLOB_DIR"], "sources", env.Workspace.ID, sourceID)
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasSuffix(path, ".attrs") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// beforeModel is a proxy before a model that counts letters.
func beforeModel(t *testing.T) *proxy.Plain {
	t.Helper()
	model, err := proxy.NewPlain(strings.TrimPrefix(spelled(t), "http://"))
	require.NoError(t, err)
	t.Cleanup(model.Down)
	return model
}

// onlyVersion waits until rows, files and index hold nothing of a source but one version.
func onlyVersion(isolated *kit.IsolatedStack, sourceID string, version int) {
	isolated.T.Helper()
	rows := isolated.DB()
	kit.RequireWithin(isolated.T, kit.IngestionTime, "the former versions are gone", func() bool {
		var others, unused int
		require.NoError(isolated.T, rows.QueryRow(isolated.T.Context(), `
SELECT (SELECT count(*) FROM source_versions WHERE source_id = $1 AND version <> $2) + (SELECT count(*) FROM chunks WHERE source_id = $1 AND version <> $2)
     + (SELECT count(*) FROM rules WHERE source_id = $1 AND version <> $2),
       (SELECT count(*) FROM vectors v WHERE NOT EXISTS (SELECT FROM chunks r WHERE r.text_hash = v.text_hash)
               AND NOT EXISTS (SELECT FROM rules r WHERE r.text_hash = v.text_hash))`, sourceID, version).Scan(&others, &unused))
		return others == 0 && unused == 0
	})
	report, err := isolated.CheckIndex()
	require.NoError(isolated.T, err)
	require.Equal(isolated.T, []int{1, 0, 0}, []int{report.Versions, report.Missing, report.Surplus})
}

func TestUpdate_FormerVersionsGoWithTheirFiles(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	source := kit.Ingest(env, kit.HousePaper)
	first := kit.BroughtIn(env, source, "completed")
	update(env, source, "The bell must be rung.\r\n")
	second := kit.BroughtIn(env, source, "completed")
	update(env, source, "The lamp must be lit.")
	onlyVersion(isolated, source, 3)
	require.Len(t, filesOf(t, env, source), 1, "content that is canonical as it is stands there once")
	for _, url := range []string{first.OriginalDownloadURL, second.OriginalDownloadURL, second.CanonicalMdDownloadURL} {
		reply, _ := kit.Get(t, url, "")
		require.Equal(t, http.StatusNotFound, reply.HTTP)
	}
	status := kit.Status(env, source)
	_, content := kit.Get(t, status.OriginalDownloadURL, "")
	_, canonical := kit.Get(t, status.CanonicalMdDownloadURL, "")
	require.Equal(t, []string{"The lamp must be lit.", "The lamp must be lit."}, []string{string(content), string(canonical)})
}
