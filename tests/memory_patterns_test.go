package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

const getPatterns = "memory/patterns/get"

type patternView struct {
	PatternID          string   `json:"patternId"`
	Scope              string   `json:"scope"`
	OrganizationID     *string  `json:"organizationId"`
	Decision           string   `json:"decision"`
	Description        string   `json:"description"`
	Category           string   `json:"category"`
	ContentType        *string  `json:"contentType"`
	Confidence         float64  `json:"confidence"`
	EnforcementRate    float64  `json:"enforcementRate"`
	SourceCount        int      `json:"sourceCount"`
	UniqueReviewers    int      `json:"uniqueReviewers"`
	TopSourceRecordIDs []string `json:"topSourceRecordIds"`
	DiscoveredAt       int64    `json:"discoveredAt"`
	UpdatedAt          int64    `json:"updatedAt"`
}

// patterns are all that the workspace is shown.
func (s *scene) patterns() (list []patternView) {
	s.t.Helper()
	s.call(getPatterns, map[string]any{}, &list)
	return list
}

// rest lets the time pass for which changes of judgments are gathered, and that for which
// what is gone is kept from the index, until the index has what was recorded and patterns
// are due.
func (s *scene) rest(rows *pgx.Conn) {
	s.t.Helper()
	within(s.t, patience, "the index has the judgments", func() bool {
		_, err := rows.Exec(s.ctx, `UPDATE judgment_index SET due = due - interval '1 minute' WHERE workspace_id = $1`, s.workspace.ID)
		require.NoError(s.t, err)
		return s.meets(rows, `NOT EXISTS (SELECT FROM judgment_index WHERE workspace_id = $1 AND due IS NOT NULL)`)
	})
	s.passMinute(rows)
}

// passMinute lets the minute pass for which changes of judgments are gathered.
func (s *scene) passMinute(rows *pgx.Conn) {
	s.t.Helper()
	_, err := rows.Exec(s.ctx, `UPDATE pattern_changes SET due = due - interval '1 minute', latest = latest - interval '1 minute' WHERE workspace_id = $1`, s.workspace.ID)
	require.NoError(s.t, err)
}

// meets is whether a condition is met by the rows of the workspace $1.
func (s *scene) meets(rows *pgx.Conn, condition string) (met bool) {
	s.t.Helper()
	require.NoError(s.t, rows.QueryRow(s.ctx, `SELECT `+condition, s.workspace.ID).Scan(&met))
	return met
}

// noDetection is met when patterns were looked for among all that has changed.
const noDetection = `NOT EXISTS (SELECT FROM pattern_changes WHERE workspace_id = $1 AND due <= clock_timestamp())
	AND NOT EXISTS (SELECT FROM jobs WHERE workspace_id = $1 AND kind = 'detection' AND ended_at IS NULL)`

// detected looks for patterns among all that was recorded so far, and gives those that
// are found.
func (s *scene) detected() []patternView {
	s.t.Helper()
	s.remembers()
	rows := s.rows()
	operate(s.t, "patterns", "detect", "--workspace", s.workspace.ID)
	within(s.t, patience, "the patterns are looked for", func() bool { return s.meets(rows, noDetection) })
	return s.patterns()
}

// in keeps the patterns of all content in an organization.
func patternsIn(all []patternView, organizationID string) []patternView {
	return slices.DeleteFunc(slices.Clone(all), func(p patternView) bool {
		return p.ContentType != nil || p.OrganizationID == nil || *p.OrganizationID != organizationID
	})
}

// overTheCap is why judgments of these stories reject, and by whom each is made.
const overTheCap = "Liability must be capped at the yearly fees. See the policy."

// opinions are judgments about liability, each by a reviewer of its own about a document
// of its own, from the one with that number on.
func opinions(from, count int, decision string, more ...map[string]any) []map[string]any {
	list := make([]map[string]any, count)
	for i := range list {
		n := from + i
		list[i] = about(fmt.Sprint("reviewer-", n), decision, liability, append([]map[string]any{on(fmt.Sprint("d", n)), because(overTheCap)}, more...)...)
	}
	return list
}

func TestPatterns_1and8_ThreePeopleAreAPatternAndTwoAreNot(t *testing.T) {
	s := begin(t)
	require.NotNil(t, s.patterns())
	require.Empty(t, s.patterns(), "there are no judgments")
	s.record(listed(opinions(0, 2, "rejected")...))
	require.Empty(t, s.detected())
	recorded := s.record(listed(opinions(2, 1, "declined", map[string]any{"category": "Liability"})...))
	all := s.detected()
	require.Len(t, all, 2, "of all content and of its type, and none of the workspace's")
	found := patternsIn(all, "acme")[0]
	require.Regexp(t, "^pat_", found.PatternID)
	require.Contains(t, found.TopSourceRecordIDs, recorded[0].RecordID)
	require.Len(t, found.TopSourceRecordIDs, 3)
	require.NotZero(t, found.DiscoveredAt)
	require.Equal(t, found.DiscoveredAt, found.UpdatedAt)
	acme := "acme"
	require.Equal(t, patternView{
		PatternID: found.PatternID, Scope: "org", OrganizationID: &acme, Decision: "reject", Description: found.Description, Category: "Liability",
		Confidence: 0.438, EnforcementRate: 1, SourceCount: 3, UniqueReviewers: 3, TopSourceRecordIDs: found.TopSourceRecordIDs,
		DiscoveredAt: found.DiscoveredAt, UpdatedAt: found.UpdatedAt,
	}, found)
	require.True(t, strings.HasPrefix(found.Description, "Usually rejected (3 of 3): Liability must be capped at the yearly fees."), found.Description)
	require.Equal(t, len(s.patterns()), s.stats()[2], "and they are counted")
	stranger := s.elsewhere()
	require.Empty(t, stranger.patterns())
}

func TestPatterns_2_TenByOnePersonOnOneDocumentAreNone(t *testing.T) {
	s := begin(t)
	for range 10 {
		s.record(about("ann", "reject", liability, on("d"), because(overTheCap)))
	}
	require.Empty(t, s.detected())
}

func TestPatterns_3and4_RunAgainNothingChangesAndWhatJoinsKeepsTheID(t *testing.T) {
	s := begin(t)
	s.record(listed(opinions(0, 19, "reject")...))
	before := s.detected()
	require.Len(t, before, 2)
	require.Equal(t, before, s.detected())
	s.record(listed(opinions(19, 1, "reject")...))
	was, joined := patternsIn(before, "acme")[0], patternsIn(s.detected(), "acme")[0]
	require.Equal(t, was.PatternID, joined.PatternID)
	require.Equal(t, was.DiscoveredAt, joined.DiscoveredAt)
	require.Greater(t, joined.UpdatedAt, was.UpdatedAt)
	require.Greater(t, joined.Confidence, was.Confidence)
	require.Equal(t, 20, joined.SourceCount)
	require.Len(t, joined.TopSourceRecordIDs, 5)
}

func TestPatterns_5_DeletingAPersonTakesWhatRestedOnThem(t *testing.T) {
	s := begin(t)
	s.call("users/add", map[string]any{"organizationId": "acme", "createOrganization": true, "users": []any{map[string]any{"userId": "reviewer-0"}}}, nil)
	s.record(listed(opinions(0, 3, "reject")...))
	require.Len(t, patternsIn(s.detected(), "acme"), 1)
	s.call("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"reviewer-0"}}, nil)
	s.forgets("reviewer-0")
	require.Empty(t, s.detected())
}

// forgets waits until the judgments of a user who left are removed, which marks the patterns
// that rested on them.
func (s *scene) forgets(user string) {
	s.t.Helper()
	rows := s.rows()
	within(s.t, patience, "their judgments are removed", func() bool {
		return s.meets(rows, `NOT EXISTS (SELECT FROM judgments WHERE workspace_id = $1 AND user_id = '`+user+`')`)
	})
}

// What rested on a person's judgments goes while the index is away, and the index follows
// when it is back. Other patterns stay as they are, with the category of the rule that is
// nearest.
func TestPatterns_5_DoNotWaitForTheIndex(t *testing.T) {
	l := newLab(t)
	index, searches := beforePart(t, "REDLINE_WEAVIATE_ADDR"), beforePart(t, "REDLINE_WEAVIATE_GRPC_ADDR")
	s := l.begin(l.start("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr(), "REDLINE_WEAVIATE_GRPC_ADDR="+searches.Addr()))
	s.broughtIn(s.ingest("# Liability\n\n"+overTheCap+"\n"), "completed")
	s.call("users/add", map[string]any{"organizationId": "acme", "createOrganization": true, "users": []any{map[string]any{"userId": "reviewer-0"}}}, nil)
	s.record(listed(append(opinions(0, 3, "reject"), opinions(3, 3, "reject", map[string]any{"organizationId": "apex"})...)...))
	rows := l.rows()
	s.rest(rows)
	within(t, patience, "the patterns are found", func() bool { return len(s.patterns()) == 6 })
	index.Down()
	searches.Down()
	before := patternsIn(s.patterns(), "apex")
	require.Equal(t, "Liability", before[0].Category)
	s.call("users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"reviewer-0"}}, nil)
	s.forgets("reviewer-0")
	s.passMinute(rows)
	within(t, patience, "the pattern goes", func() bool { return len(patternsIn(s.patterns(), "acme")) == 0 })
	within(t, patience, "the patterns are looked for", func() bool { return s.meets(rows, noDetection) })
	require.Equal(t, before, patternsIn(s.patterns(), "apex"))
	require.True(t, s.meets(rows, `EXISTS (SELECT FROM judgment_index WHERE workspace_id = $1 AND due IS NOT NULL)`), "the index has the judgment")
	require.NoError(t, index.Up())
	require.NoError(t, searches.Up())
	s.rest(rows)
	report, err := l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, []int{5, 0, 0}, []int{report.Judgments, report.Missing, report.Surplus})
	l.atRest()
}

func TestPatterns_6_APracticeThatTurnsIsAnotherPattern(t *testing.T) {
	s := begin(t)
	then := map[string]any{"createdAt": time.Now().Add(-300 * 24 * time.Hour).UnixMilli()}
	s.record(listed(opinions(0, 3, "approve", then)...))
	old := patternsIn(s.detected(), "acme")
	require.Len(t, old, 1)
	require.Equal(t, "approve", old[0].Decision)
	s.record(listed(opinions(3, 12, "reject")...))
	turned := patternsIn(s.detected(), "acme")
	require.Len(t, turned, 1)
	require.Equal(t, "reject", turned[0].Decision)
	require.NotEqual(t, old[0].PatternID, turned[0].PatternID)
	require.Greater(t, turned[0].DiscoveredAt, old[0].DiscoveredAt)
}

func TestPatterns_7_AnOrganizationsPatternsHaveNoWordsOfAnother(t *testing.T) {
	s := begin(t)
	word := map[string]string{"acme": "Quillwort", "bolt": "Zephyrine"}
	for organizationID, own := range word {
		said := map[string]any{"organizationId": organizationID, "reasoning": own + " says that liability must be capYearly."}
		s.record(listed(opinions(0, 3, "reject", said)...))
	}
	all := s.detected()
	for organizationID, own := range word {
		found := patternsIn(all, organizationID)
		require.Len(t, found, 1)
		require.Contains(t, found[0].Description, own)
		for _, p := range found {
			for other, foreign := range word {
				require.Equal(t, other == organizationID, strings.Contains(p.Description, foreign), p.Description)
			}
			require.Equal(t, 3, p.SourceCount)
		}
	}
	shared := slices.DeleteFunc(slices.Clone(all), func(p patternView) bool { return p.Scope != "apiKey" || p.ContentType != nil })
	require.Len(t, shared, 1, "both decide so")
	require.Nil(t, shared[0].OrganizationID)
	require.Equal(t, 6, shared[0].SourceCount)
}

// Patterns of a removed organization are hidden with the answer.
func TestPatterns_OfARemovedOrganizationAreHiddenAtOnce(t *testing.T) {
	s := begin(t)
	s.items(addOrganizations, organization("acme", nil))
	s.record(listed(opinions(0, 3, "reject")...))
	require.Len(t, patternsIn(s.detected(), "acme"), 1)
	s.call("organizations/delete", map[string]any{"organizationIds": []string{"acme"}}, nil)
	require.Empty(t, patternsIn(s.patterns(), "acme"))
	require.Empty(t, patternsIn(s.detected(), "acme"))
}

// While the engine is away patterns are read as they were; what is due is looked for when
// it is back.
func TestPatterns_TheEngineAway(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	rows := l.rows()
	l.Engine.Down()
	s.record(listed(opinions(0, 3, "reject")...))
	s.rest(rows)
	require.False(t, s.meets(rows, noDetection))
	require.Empty(t, s.patterns())
	require.NoError(t, l.Engine.Up())
	within(t, patience, "the pattern is found", func() bool { return len(s.patterns()) == 2 })
	l.atRest()
}

// Without anybody's asking patterns come and go with the judgments that they rest on,
// though the service is killed while it looks for them.
func TestPatterns_ComeAndGoByThemselves(t *testing.T) {
	l := newLab(t)
	service := l.start("serve")
	s := l.begin(service)
	var ids []string
	for _, recorded := range s.record(listed(opinions(0, 3, "reject")...)) {
		ids = append(ids, recorded.RecordID)
	}
	rows := l.rows()
	s.rest(rows)
	within(t, patience, "a run begins", func() bool {
		return s.meets(rows, `EXISTS (SELECT FROM jobs WHERE workspace_id = $1 AND kind = 'detection')`)
	})
	service.Kill()
	l.again(service)
	within(t, patience, "the pattern is found", func() bool { return len(s.patterns()) == 2 })
	s.forget(ids[0])
	s.rest(rows)
	within(t, patience, "it goes", func() bool { return len(s.patterns()) == 0 })
	s.record(listed(opinions(3, 20, "reject")...))
	s.rest(rows)
	within(t, patience, "they are looked for", func() bool { return s.meets(rows, noDetection) })
	found := s.patterns()
	require.Len(t, found, 2, "each once")
	for _, p := range found {
		require.Equal(t, 22, p.SourceCount)
	}
	l.atRest()
}
