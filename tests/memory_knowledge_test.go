package tests

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	plainText = "text/plain"
	pdfType   = "application/pdf"
	csvType   = "text/csv"
	xlsxType  = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	// ingestionTime is how long an ingestion may take on a loaded machine.
	ingestionTime = 3 * time.Minute
)

// inlineFile is a file of an ingest request.
func inlineFile(content []byte, mimeType string) map[string]any {
	return map[string]any{
		"base64": base64.StdEncoding.EncodeToString(content), "mimeType": mimeType, "fileName": "story.txt", "fileSize": len(content),
	}
}

// ingestData brings a text in.
func ingestData(content string) map[string]any {
	return map[string]any{"source": "inline", "file": inlineFile([]byte(content), plainText)}
}

type ingested struct {
	Status, SourceID, Message string
}

type ingestStatus struct {
	Status, SourceID, MimeType string
	StartedAt, UpdatedAt       int64
	Version                    int
	LiveVersion                *int
	Progress                   struct {
		Stage                   string
		ChunksDone, ChunksTotal int
	}
	FailureReason, FailureMessage               string
	ExtractedRulesCount, ChunkCount             *int
	OriginalDownloadURL, CanonicalMdDownloadURL string
	DedupOf                                     string
	Metadata                                    map[string]any
}

type knowledgeHit struct {
	Kind, RuleID, SourceID, Text string
	Score                        *float64
	Category                     *string
}

type knowledgeAnswer struct {
	Results         []knowledgeHit
	RecordsSearched int
}

// ingest brings a text in and gives the source's id.
func (s *scene) ingest(content string) string {
	s.t.Helper()
	return s.ingestAs(ingestData(content))
}

func (s *scene) ingestAs(data map[string]any) string {
	s.t.Helper()
	var answer ingested
	s.call("memory/knowledge/ingest", data, &answer)
	require.Equal(s.t, "processing", answer.Status)
	return answer.SourceID
}

func (s *scene) status(sourceID string) ingestStatus {
	s.t.Helper()
	var status ingestStatus
	s.call("memory/knowledge/ingest-status", map[string]any{"sourceId": sourceID}, &status)
	return status
}

// broughtIn waits until a source's ingestion has ended.
func (s *scene) broughtIn(sourceID, status string) ingestStatus {
	s.t.Helper()
	var last ingestStatus
	done := 0
	within(s.t, ingestionTime, "the source "+sourceID+" is "+status, func() bool {
		last = s.status(sourceID)
		require.GreaterOrEqual(s.t, last.Progress.ChunksDone, done, "progress never falls")
		done = last.Progress.ChunksDone
		return last.Status != "processing"
	})
	require.Equal(s.t, status, last.Status, "%+v", last)
	return last
}

// search asks a question; change adds further fields.
func (s *scene) search(query string, change ...map[string]any) knowledgeAnswer {
	s.t.Helper()
	data := map[string]any{"query": query}
	for _, fields := range change {
		maps.Copy(data, fields)
	}
	var answer knowledgeAnswer
	require.NoError(s.t, json.Unmarshal(s.byMeaning(data), &answer))
	require.Len(s.t, answer.Results, answer.RecordsSearched)
	return answer
}

// busyMoments is how often a machine that is too busy for a moment may answer with
// the newest items. Each such answer has taken the whole time of a question.
const busyMoments = 3

// byMeaning asks a question that has to be answered by meaning.
func (s *scene) byMeaning(data map[string]any) (result json.RawMessage) {
	s.t.Helper()
	for range busyMoments {
		asked := time.Now()
		how, answer := s.question(data)
		if how == "" {
			return answer
		}
		require.Greater(s.t, time.Since(asked), time.Second, "answered by %s although there was time to embed the question", how)
	}
	require.FailNow(s.t, "the question is not answered by meaning")
	return nil
}

// question asks one and gives the answer, and what kept it from being one by
// meaning.
func (s *scene) question(data map[string]any) (how string, result json.RawMessage) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(s.t, err)
	reply, err := s.keyed.Send(s.ctx, "/v2/memory/knowledge/search", body, nil)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	var envelope struct{ Result json.RawMessage }
	require.NoError(s.t, json.Unmarshal(reply.Body, &envelope))
	return reply.Header.Get("x-svc-degraded"), envelope.Result
}

const housePaper = "# Payment\n\nBills are due thirty days after they were sent. You must pay in full.\n\n# Doors\n\nThe gate is closed at night.\n"

func TestKnowledge_AQuestionInOtherWordsFindsItsSentence(t *testing.T) {
	s := begin(t)
	source := s.ingest(housePaper)
	status := s.broughtIn(source, "completed")
	require.Equal(t, 1, status.Version)
	require.Equal(t, 1, *status.LiveVersion)
	require.Equal(t, 2, *status.ChunkCount)
	require.Equal(t, 1, *status.ExtractedRulesCount)
	require.Equal(t, 2, status.Progress.ChunksDone)
	require.Equal(t, map[string]any{"encoding": "utf-8"}, status.Metadata)

	found := s.search("How long may I take to settle an invoice?")
	require.Equal(t, "Bills are due thirty days after they were sent. You must pay in full.", found.Results[0].Text)
	require.NotNil(t, found.Results[0].Score)
	require.Empty(t, found.Results[0].Kind)
	require.Equal(t, found, s.search("How long may I take to settle an invoice?"))

	both := s.search("How long may I take to settle an invoice?", map[string]any{"includeRules": true})
	require.Len(t, both.Results, 3)
	require.Equal(t, "chunk", both.Results[0].Kind)
	rule := both.Results[slices.IndexFunc(both.Results, func(h knowledgeHit) bool { return h.Kind == "rule" })]
	require.Equal(t, "You must pay in full.", rule.Text)
	require.Equal(t, "Payment", *rule.Category)
	require.NotEmpty(t, rule.RuleID)
	require.True(t, slices.IsSortedFunc(both.Results, func(a, b knowledgeHit) int { return int((*a.Score - *b.Score) * 1e6) }))
	require.Len(t, s.search("invoice", map[string]any{"includeRules": true, "limit": 1}).Results, 1)
}

func TestKnowledgeSearch_8_TheAnswerHasTheContractsKeysOnly(t *testing.T) {
	s := begin(t)
	s.broughtIn(s.ingest(housePaper), "completed")
	keys := func(data map[string]any) []string {
		var answer struct{ Results []map[string]any }
		require.NoError(t, json.Unmarshal(s.byMeaning(data), &answer))
		seen := map[string]bool{}
		for _, hit := range answer.Results {
			for key := range hit {
				seen[key] = true
			}
		}
		list := []string{}
		for key := range seen {
			list = append(list, key)
		}
		slices.Sort(list)
		return list
	}
	require.Equal(t, []string{"score", "sourceId", "text"}, keys(map[string]any{"query": "gate"}))
	require.Equal(t, []string{"category", "kind", "ruleId", "score", "sourceId", "text"}, keys(map[string]any{"query": "gate", "includeRules": true}))
}

func TestKnowledgeSearch_1_WhatIsNotAllowedIsRefused(t *testing.T) {
	s := begin(t)
	many := make([]string, 31)
	for i := range many {
		many[i] = fmt.Sprint("src_", i)
	}
	for _, change := range []map[string]any{
		{"includeRules": "true"},
		{"includeRules": 1},
		{"includeRules": nil},
		{"sourceId": []string{}},
		{"sourceId": []string{"a"}},
		{"sourceId": many},
		{"sourceId": ""},
		{"sourceId": []string{"a", ""}},
		{"sourceId": 7},
		{"sourceId": "a\x00"},
		{"sourceId": []string{"a", "b\x00"}},
		{"sourceId": " "},
		{"sourceId": []string{"a", " "}},
		{"organizationId": "o"},
		{"documentId": "d"},
		{"limit": 0},
		{"limit": 51},
		{"limit": 2.5},
		{"query": " "},
		{"query": nil},
		{"query": strings.Repeat("a", 8001)},
	} {
		data := map[string]any{"query": "x"}
		maps.Copy(data, change)
		failure := s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/search", data)
		require.Equal(t, http.StatusBadRequest, failure.HTTP, "%v", change)
	}
	require.Empty(t, s.search("x").Results)
}

func TestKnowledgeSearch_5_UnknownIdsContributeNothing(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	foreign := other.ingest(housePaper)
	other.broughtIn(foreign, "completed")
	own := s.ingest(housePaper)
	second := s.ingest("# Garden\n\nThe roses are watered every morning.\n")
	s.broughtIn(own, "completed")
	s.broughtIn(second, "completed")

	require.Len(t, s.search("invoice", map[string]any{"sourceId": nil, "limit": nil}).Results, 3, "null is absent")
	alone := s.search("invoice", map[string]any{"sourceId": own})
	require.Len(t, alone.Results, 2)
	require.Equal(t, alone, s.search("invoice", map[string]any{"sourceId": []string{own, foreign, "src_unknown", own}}))
	require.Empty(t, s.search("invoice", map[string]any{"sourceId": []string{foreign, "src_unknown"}}).Results)
	require.Empty(t, s.search("invoice", map[string]any{"sourceId": foreign}).Results)
	require.Len(t, s.search("invoice", map[string]any{"sourceId": []string{own, second}}).Results, 3)
	for _, hit := range s.search("invoice", map[string]any{"limit": 50}).Results {
		require.NotEqual(t, foreign, hit.SourceID)
	}
	failure := s.refusedAs("NOT_FOUND", "memory/knowledge/ingest-status", map[string]any{"sourceId": foreign})
	require.Equal(t, "unknown-source", failure.Reason)
}

func TestKnowledgeSearch_7_OneSentenceAsChunkAndRule(t *testing.T) {
	s := begin(t)
	s.broughtIn(s.ingest("Every door must be locked at night."), "completed")
	both := s.search("doors", map[string]any{"includeRules": true}).Results
	require.Len(t, both, 2)
	require.Equal(t, []string{"chunk", "rule"}, []string{both[0].Kind, both[1].Kind})
	require.Equal(t, both[0].Text, both[1].Text)
	require.InDelta(t, *both[0].Score, *both[1].Score, 0, "the same text is equally near")
	alone := s.search("doors").Results
	require.Len(t, alone, 1)
	require.Empty(t, alone[0].Kind)
}

func TestIngest_1_SizesOfInlineFiles(t *testing.T) {
	s := begin(t)
	const largest = 5 << 20
	line := []byte("All work and no play makes a dull day. ")
	content := bytes.Repeat(line, largest/len(line)+1)[:largest]
	s.ingestAs(map[string]any{"source": "inline", "file": inlineFile(content, plainText)})
	failure := s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", map[string]any{"source": "inline", "file": inlineFile(append(content, 'x'), plainText)})
	require.Equal(t, http.StatusBadRequest, failure.HTTP)
	require.Contains(t, failure.Message, "upload the file instead", "a hint how it can be brought in")
	wrong := inlineFile(append(content, 'x'), plainText)
	wrong["fileSize"] = largest
	require.Contains(t, s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", map[string]any{"source": "inline", "file": wrong}).Message, "upload the file instead")
	wrong = inlineFile([]byte("hello"), plainText)
	wrong["fileSize"] = 6
	s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", map[string]any{"source": "inline", "file": wrong})
}

func TestIngest_2_BytesThatContradictTheirType(t *testing.T) {
	s := begin(t)
	for mimeType, content := range map[string]string{plainText: "%PDF-1.4 and so on", pdfType: "PK\x03\x04zipped"} {
		s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", map[string]any{"source": "inline", "file": inlineFile([]byte(content), mimeType)})
	}
	for _, data := range []map[string]any{
		{"source": "inline"},
		{"source": "inline", "file": inlineFile([]byte("a b"), plainText), "fileRef": "gs://knowledge/x"},
		{"source": "other"},
		{"source": "fileRef", "fileRef": "gs://knowledge/x"},
		{"source": "fileRef", "fileRef": "gs://elsewhere/x", "mimeType": plainText},
		{"source": "inline", "file": inlineFile([]byte("a b"), plainText), "documentId": "d"},
		{"source": "inline", "file": map[string]any{"base64": "?", "mimeType": plainText, "fileName": "a", "fileSize": 1}},
		{"source": "inline", "file": map[string]any{"base64": "YQ==", "mimeType": plainText, "fileName": " ", "fileSize": 1}},
	} {
		s.refusedAs("INVALID_ARGUMENT", "memory/knowledge/ingest", data)
	}
	wide := []byte{0xff, 0xfe, 'h', 0, 'e', 0, 'l', 0, 'l', 0, 'o', 0, ' ', 0, 'y', 0, 'o', 0, 'u', 0}
	status := s.broughtIn(s.ingestAs(map[string]any{"source": "inline", "file": inlineFile(wide, plainText)}), "completed")
	require.Equal(t, "utf-16le", status.Metadata["encoding"])
	s.broughtIn(s.ingest("# Formats\n\nA file of this kind begins with a line of its own:\n\n%PDF-1.7\n"), "completed")
}

func TestIngest_3_RacingReuseMakesOneSource(t *testing.T) {
	s := begin(t)
	data := ingestData("The very same bytes must be one source.")
	data["onDuplicate"] = "reuse"
	ids := make([]string, 20)
	var callers sync.WaitGroup
	for i := range ids {
		callers.Go(func() {
			answer, err := client.Call[ingested](s.ctx, s.keyed, "memory/knowledge/ingest", data)
			if err == nil {
				ids[i] = answer.SourceID
			}
		})
	}
	callers.Wait()
	require.NotEmpty(t, ids[0])
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids))), 1)
	again := s.ingest("The very same bytes must be one source.")
	require.NotEqual(t, ids[0], again)
	require.Equal(t, ids[0], s.status(again).DedupOf)
}

func TestIngest_7_ProseWithoutRulesAndABareChecklist(t *testing.T) {
	s := begin(t)
	prose := s.ingest("The river rises in the hills and flows into the sea.")
	list := s.ingest("- [ ] Sign the contract\n- [ ] File the copy\n")
	status := s.broughtIn(prose, "completed")
	require.Equal(t, []int{0, 1}, []int{*status.ExtractedRulesCount, *status.ChunkCount})
	status = s.broughtIn(list, "completed")
	require.Equal(t, []int{2, 1}, []int{*status.ExtractedRulesCount, *status.ChunkCount})
}

func TestIngest_8_FaultyFilesFailWithTheirOwnReason(t *testing.T) {
	s := begin(t)
	scan := "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n" +
		"3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >> endobj\ntrailer << /Root 1 0 R /Size 4 >>\n%%EOF\n"
	locked := strings.Replace(scan, "/Size 4", "/Size 4 /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <"+
		strings.Repeat("01", 32)+"> /U <"+strings.Repeat("02", 32)+"> >>", 1)
	whole, err := os.ReadFile("../internal/extract/pdf/testdata/weather-station.pdf")
	require.NoError(t, err)
	sources := map[string]string{}
	for reason, content := range map[string][]byte{"no-text-layer": []byte(scan), "file-encrypted": []byte(locked), "file-corrupt": whole[:3000]} {
		sources[reason] = s.ingestAs(map[string]any{"source": "inline", "file": inlineFile(content, pdfType)})
	}
	sources["empty-file"] = s.ingest(" \n\t \n")
	for reason, source := range sources {
		status := s.broughtIn(source, "failed")
		require.Equal(t, reason, status.FailureReason)
		require.NotEmpty(t, status.FailureMessage)
		require.Nil(t, status.LiveVersion)
		require.Equal(t, "failed", status.Progress.Stage)
	}
	s.broughtIn(s.ingest(housePaper), "completed")
	require.Len(t, s.search("gate").Results, 2)
}
