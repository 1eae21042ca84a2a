package pattern_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/modelstest"
	patterns "github.com/redline-svc/redline/models/pattern"
)

// of keeps the patterns of an organization, "" for the workspace as a whole, and of a
// content type, "" for all.
func of(all []patterns.View, organizationID, contentType string) []patterns.View {
	is := func(value *string, want string) bool {
		return (value == nil) == (want == "") && (value == nil || *value == want)
	}
	return slices.DeleteFunc(slices.Clone(all), func(v patterns.View) bool {
		return !is(v.OrganizationID, organizationID) || !is(v.ContentType, contentType)
	})
}

// Each organization has its own patterns, and so has each content type. The workspace has
// what more than one of them decide, or none.
func TestPatternsHaveAScope(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3, in("acme"), typed("article"))...)
	d.review(alike("b", 3, in("bolt"), typed("design"), elsewhere, rejecting)...)
	all := d.detect()
	require.Len(t, of(all, "acme", ""), 1)
	require.Len(t, of(all, "acme", "article"), 1)
	require.Len(t, of(all, "bolt", "design"), 1)
	require.Len(t, all, 4, "what one organization decides is none of the workspace's")
	bolt := of(all, "bolt", "")[0]
	require.Equal(t, "reject", bolt.Decision)
	require.Equal(t, "Usually rejected (3 of 3): Well sourced. Common terms: sourced, well", bolt.Description)
	require.Equal(t, []int{3, 3, 3}, []int{bolt.Votes, bolt.Agreeing, bolt.UniqueReviewers})
	d.review(alike("c", 1, in("bolt"), typed("article"))...)
	shared := d.detect()
	require.Len(t, of(shared, "", ""), 1)
	require.Len(t, of(shared, "", "article"), 1)
	require.Equal(t, 4, of(shared, "", "article")[0].Votes)
}

// Run again on the same judgments nothing is written. What joins keeps the pattern; what
// turns over makes another one.
func TestAPatternKeepsItsIDAsLongAsItIsTheSame(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3)...)
	before := d.detect()
	written := `SELECT string_agg(id || xmin::text, ',' ORDER BY id) FROM patterns`
	var first, second string
	require.NoError(t, d.db.Pool.QueryRow(t.Context(), written).Scan(&first))
	require.Equal(t, before, d.detect())
	require.NoError(t, d.db.Pool.QueryRow(t.Context(), written).Scan(&second))
	require.Equal(t, first, second)
	d.review(alike("b", 1)...)
	joined := of(d.detect(), "", "")[0]
	was := of(before, "", "")[0]
	require.Equal(t, was.ID, joined.ID)
	require.Equal(t, was.DiscoveredAt, joined.DiscoveredAt)
	require.Greater(t, joined.Confidence, was.Confidence)
	require.True(t, joined.UpdatedAt.After(was.UpdatedAt))
	d.exec(`UPDATE judgments SET created_at = created_at - interval '366 days'`)
	d.review(alike("c", 4, rejecting)...)
	turned := of(d.detect(), "", "")
	require.Len(t, turned, 1)
	require.Equal(t, "reject", turned[0].Decision)
	require.NotEqual(t, was.ID, turned[0].ID)
}

// Of many patterns one grows and one goes: all others stay as they were, and looking at all of them
// again changes nothing.
func TestPatternsStayWhileOthersGrowAndGo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	group := func(n int) func(*modelstest.Review) {
		return func(r *modelstest.Review) {
			angle := float64(n/2) * math.Pi / 2
			r.Review = []float32{float32(math.Cos(angle)), float32(math.Sin(angle))}
		}
	}
	const groups, grows, goes = 8, 2, 5
	for n := range groups {
		d.review(alike(fmt.Sprintf("group%d-", n), 3+n%3, group(n), in([]string{"acme", "bolt"}[n%2]))...)
	}
	before := d.detect()
	require.Greater(t, len(before), groups)
	d.exec(`UPDATE pattern_scopes SET looked = NULL`)
	require.Equal(t, before, d.detect(), "all of them are looked for again")
	d.review(alike("more", 2, group(grows), in("acme"))...)
	d.exec(`DELETE FROM judgments WHERE record_id LIKE $1`, fmt.Sprintf("group%d-%%", goes))
	changed := d.detect()
	stay := func(views []patterns.View) map[string]patterns.View {
		found := map[string]patterns.View{}
		for _, v := range of(views, "acme", "") {
			if !strings.HasPrefix(v.Top[0], fmt.Sprintf("group%d", grows)) && !strings.HasPrefix(v.Top[0], "more") {
				found[v.ID] = v
			}
		}
		return found
	}
	require.Len(t, stay(before), groups/2-1)
	require.Equal(t, stay(before), stay(changed))
	require.Len(t, of(changed, "bolt", ""), groups/2-1)
	require.Equal(t, changed, d.detect())
}

// What rested on judgments that are gone goes, though its scope has none left.
func TestAPatternGoesWithItsJudgments(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3, in("acme"))...)
	require.Len(t, d.detect(), 2)
	d.exec(`DELETE FROM judgments WHERE user_id = 'user-0'`)
	require.Empty(t, d.detect())
	require.True(t, d.answers(`SELECT NOT EXISTS (SELECT FROM patterns)`))
}

// Patterns of a removed organization are hidden at once, and its judgments count for
// nothing any more, nor do those of a removed document.
func TestPatternsOfWhatIsRemoved(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3, in("acme"))...)
	d.review(alike("b", 3, in("bolt"))...)
	require.Len(t, d.detect(), 6)
	modelstest.RemoveOrganization(t, d.db, modelstest.Workspace, "acme")
	require.Len(t, d.list(), 4)
	left := d.detect()
	require.Len(t, left, 2)
	require.Len(t, of(left, "bolt", ""), 1)
	d.review(alike("c", 3, in("acme"), func(r *modelstest.Review) { r.DocumentID = "spring" })...)
	require.Len(t, of(d.detect(), "acme", ""), 1, "of the organization that has the id now")
	modelstest.Remove(t, d.db, modelstest.Workspace, "spring")
	require.Empty(t, of(d.detect(), "acme", ""))
}

// Only decisions of the last year count, and only those that the index has as they are.
func TestWhatPatternsAreFoundAmong(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 6, in("acme"))...)
	d.exec(`UPDATE judgments SET decision = 'comment' WHERE record_id = 'a00'`)
	d.exec(`UPDATE judgments SET created_at = created_at - interval '365 days' WHERE record_id = 'a01'`)
	d.exec(`UPDATE judgment_index SET revision = 2 WHERE key = (SELECT key FROM judgments WHERE record_id = 'a02')`)
	d.exec(`UPDATE judgment_vectors SET model = 'former' WHERE key = (SELECT key FROM judgments WHERE record_id = 'a03')`)
	d.exec(`UPDATE judgments SET judge_type = 'agent', category = 'Sources',
		agent = '{"agentId":"checker","agentFields":{"reason":{"issueType":"citation"}}}' WHERE record_id = 'a04'`)
	s := d.next(d.opened())
	members, err := d.Members(t.Context(), s)
	require.NoError(t, err)
	require.Len(t, members, 2)
	require.Equal(t, "user/user-5", members[1].ReviewerID)
	agent := members[0]
	require.Equal(t, []string{"agent/checker", "acme", "", "Sources", "citation"},
		[]string{agent.ReviewerID, agent.OrganizationID, agent.DocumentID, agent.Category, agent.IssueType})
	require.True(t, agent.Approves)
	require.Equal(t, []float32{1, 0}, agent.Review)
	require.Nil(t, agent.Content)
}

// Two that work on one job, because the first was taken for dead, store once. Whoever
// comes after the end of the job stores nothing.
func TestTwoTriesOfOneJobStoreOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3)...)
	former := d.opened()
	slow, quick := d.next(former), d.next(former)
	found := d.find(slow)
	errs := modelstest.AtOnce(2, func(i int) error {
		return d.Keep(t.Context(), []*patterns.Scope{slow, quick}[i], found)
	})
	require.Equal(t, []error{nil, nil}, errs)
	require.Len(t, d.list(), 1)
	late := d.next(former)
	found = d.find(late)
	d.finish(former)
	whole := d.list()
	require.Len(t, whole, 2)
	d.keep(late, nil)
	require.Equal(t, whole, d.list())
	require.Nil(t, d.next(former))
	latter := d.opened()
	open := d.next(latter)
	require.Nil(t, d.next(former), "another one is open")
	d.keep(late, nil)
	require.Equal(t, whole, d.list())
	d.keep(open, d.find(open))
	require.Equal(t, 1, d.finish(latter))
	require.Equal(t, whole, d.list())
}

// What a try left is gone on with by the next one.
func TestADetectionGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, organization := range []string{"acme", "bolt", "crow"} {
		d.review(alike(organization, 3, in(organization))...)
	}
	j := d.opened()
	for range 3 {
		s := d.next(j)
		d.keep(s, d.find(s))
	}
	require.Equal(t, 8-3, d.finish(j), "the workspace and three organizations, all content and one type")
	require.Len(t, d.list(), 8)
}

// A change costs what it is about: what has the same judgments as the last time is looked
// through again after a day, or when an operator wants it.
func TestWhatHasNotChangedIsLeftOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("none", 3)...)
	for _, organization := range []string{"acme", "bolt", "crow"} {
		d.review(alike(organization, 3, in(organization))...)
	}
	changed := func() int {
		d.note(patterns.Changed, modelstest.Workspace)
		d.pass("1 minute")
		require.Equal(t, 1, d.begin())
		return d.finish(d.open())
	}
	const all, ofWorkspace, ofAcme = 8, 2, 2
	require.Equal(t, all, changed())
	before := d.list()
	require.Zero(t, changed())
	require.Equal(t, before, d.list())
	d.review(alike("more", 1, in("acme"))...)
	require.Equal(t, ofWorkspace+ofAcme, changed())
	d.exec(`UPDATE judgment_index SET revision = 2 WHERE key = (SELECT key FROM judgments WHERE record_id = 'none00')`)
	require.Equal(t, ofWorkspace, changed())
	d.exec(`DELETE FROM judgments WHERE organization_key = (SELECT key FROM subjects WHERE id = 'acme')`)
	require.Equal(t, ofWorkspace+ofAcme, changed())
	require.Empty(t, of(d.list(), "acme", ""))
	require.Zero(t, changed())
	require.True(t, d.answers(`SELECT count(*) = 6 FROM pattern_scopes`), "what has nothing left is forgotten")
	d.exec(`UPDATE pattern_scopes SET looked_at = looked_at - interval '23 hours 30 minutes'`)
	require.Equal(t, all-ofAcme, changed())
	require.Equal(t, all-ofAcme, d.finish(d.opened()))
}

// However many organizations there are with however many kinds of content, a job looks through 200 scopes,
// and the next one through the rest.
func TestAJobLooksThroughSoManyScopes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for n := range 100 {
		organization := fmt.Sprint("o", n)
		d.review(alike(organization, 3, in(organization))...)
	}
	require.Equal(t, 200, d.finish(d.opened()))
	d.pass("1 minute")
	require.Equal(t, 1, d.begin())
	require.Equal(t, 2, d.finish(d.open()), "the workspace and each organization, all content and one type")
	require.Len(t, d.list(), 100)
	d.pass("1 hour")
	require.Zero(t, d.begin())
}

// When vectors of another model serve, everything is looked through by those at once, though
// no judgment has changed; another generation of the same model changes nothing.
func TestPatternsAreLookedForByTheModelThatServes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3)...)
	d.review(alike("b", 3, elsewhere, typed("letter"))...)
	require.Len(t, d.detect(), 4, "two clusters, each of all content and of its type")
	require.Zero(t, d.begin())
	switched := func(model string) {
		d.exec(`UPDATE index_generations SET state = 'retired', retired_at = clock_timestamp() WHERE state = 'serving'`)
		d.exec(`INSERT INTO index_generations (id, suffix, state, identity, probe, model) SELECT id || 'x', suffix || 'x', 'serving', $1, probe, $1
FROM index_generations ORDER BY length(id) DESC LIMIT 1`, model)
	}
	switched("m1")
	require.Zero(t, d.begin())
	d.exec(`INSERT INTO judgment_vectors (key, model, workspace_id, revision, review)
SELECT key, 'm2', workspace_id, revision, (SELECT review FROM judgment_vectors LIMIT 1) FROM judgment_vectors`)
	switched("m2")
	require.Equal(t, 1, d.begin())
	require.Equal(t, 3, d.finish(d.open()), "all content and two types")
	require.Len(t, d.list(), 3, "for this model they are all alike")
	require.Zero(t, d.begin())
	d.pass("23 hours")
	require.Zero(t, d.begin())
}

// What comes and goes between two lists, but was read between them, leaves nothing behind.
func TestWhatCameAndWentIsInNoPattern(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3)...)
	d.review(alike("b", 3, elsewhere, typed("letter"))...)
	j := d.opened()
	s := d.next(j)
	d.review(alike("brief", 1)...)
	d.keep(s, d.find(s))
	d.finish(j)
	require.Equal(t, []string{"a00", "a01", "a02", "brief00"}, slices.Sorted(slices.Values(d.list()[0].Top)))
	d.exec(`DELETE FROM judgments WHERE record_id = 'brief00'`)
	d.note(patterns.Removed, modelstest.Workspace)
	d.pass("1 minute")
	require.Equal(t, 1, d.begin())
	d.finish(d.open())
	for _, shown := range d.list() {
		require.NotContains(t, shown.Top, "brief00")
	}
}

// What was found without the index is looked through again in ten minutes, though nothing
// has changed, and its patterns give the categories meanwhile.
func TestWhatWasFoundWithoutTheIndexIsLookedThroughAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3)...)
	j := d.opened()
	s := d.next(j)
	category, err := d.Category(t.Context(), s, "a00")
	require.NoError(t, err)
	require.Empty(t, category, "it is in no pattern")
	s.Again = true
	d.keep(s, d.find(s))
	d.finish(j)
	category, err = d.Category(t.Context(), s, "a00")
	require.NoError(t, err)
	require.Equal(t, d.list()[0].Category, category)
	d.pass("10 minutes")
	require.Equal(t, 1, d.begin())
	require.Equal(t, 1, d.finish(d.open()))
	d.pass("23 hours")
	require.Zero(t, d.begin())
}

// At most 100 are shown, the most confident ones, the newest first.
func TestTheMostConfidentPatternsAreShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(`INSERT INTO patterns (id, workspace_id, decision, description, category, confidence, votes, agreeing, unique_reviewers, members, top,
       discovered_at, updated_at)
SELECT 'pat_' || lpad(n::text, 3, '0'), $1, 'approve', '', 'general', n / 1000.0, 3, 3, 3, '{}', '{}', now(), timestamptz '2026-01-01' + n % 2 * interval '1 day'
FROM generate_series(1, 120) n`, modelstest.Workspace)
	shown := d.list()
	require.Len(t, shown, 100)
	require.Equal(t, []string{"pat_021", "pat_119", "pat_022", "pat_120"}, []string{shown[0].ID, shown[49].ID, shown[50].ID, shown[99].ID})
	require.Equal(t, 24*time.Hour, shown[0].UpdatedAt.Sub(shown[50].UpdatedAt))
	others, err := d.List(t.Context(), "ws_other")
	require.NoError(t, err)
	require.NotNil(t, others)
	require.Empty(t, others)
}
