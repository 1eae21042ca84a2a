package search_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

// The nearest rule counts that is of a live version and of the organization, or of none.
func TestTheCategoryOfTheNearestRule(t *testing.T) {
	l := modelstest.NewLibrary(t)
	category := func(x *modelstest.Index, organizationID string) string {
		t.Helper()
		found, err := l.CategoryOfNearestRule(t.Context(), "ws_one", x, search.NearRule{Vector: []float32{1}, OrganizationID: organizationID, Within: 0.4})
		require.NoError(t, err)
		return found
	}
	require.Empty(t, category(&modelstest.Index{Err: map[vector.Corpus]error{vector.Rules: errors.New("nothing is asked without rules")}}, ""))
	ofAcme, ofBolt, ofNone, ended := l.Live("ws_one", "a"), l.Live("ws_one", "b"), l.Live("ws_one", "c", "d"), l.Live("ws_one", "e")
	for organizationID, v := range map[string]knowledge.VersionRef{"acme": ofAcme, "bolt": ofBolt} {
		l.Exec(`UPDATE sources SET organization_key = (SELECT o.organization_key FROM open_subjects('ws_one', $1, NULL) o) WHERE id = $2`, organizationID, v.SourceID)
		l.Exec(`UPDATE rules SET category = $1 WHERE source_id = $2`, organizationID, v.SourceID)
	}
	l.Exec(`UPDATE rules SET category = NULL WHERE source_id = $1 AND ordinal = 1`, ofNone.SourceID)
	l.Exec(`UPDATE sources SET removed = true, live = NULL WHERE id = $1`, ended.SourceID)
	x := &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Rules: {
		modelstest.RuleHit(ended, 0, 0.05), modelstest.RuleHit(ofBolt, 0, 0.1), modelstest.RuleHit(ofAcme, 0, 0.2), modelstest.RuleHit(ofNone, 0, 0.4),
	}}}
	require.Equal(t, "acme", category(x, "acme"))
	require.Equal(t, "bolt", category(x, "bolt"))
	require.Equal(t, "c", category(x, ""), "of the workspace as a whole: those of no organization")
	require.Equal(t, "c", category(x, "unknown"))
	x.Hits[vector.Rules][3].Distance = 0.41
	require.Empty(t, category(x, ""))
	x.Hits[vector.Rules][3] = modelstest.RuleHit(ofNone, 1, 0.3)
	require.Empty(t, category(x, ""), "the nearest one has none")
	many := []vector.Hit{}
	for range 30 {
		many = append(many, modelstest.RuleHit(ofBolt, 0, 0.1))
	}
	x.Hits[vector.Rules] = append(many, modelstest.RuleHit(ofAcme, 0, 0.2))
	require.Equal(t, "acme", category(x, "acme"), "however many of others are nearer")
	x.Err = map[vector.Corpus]error{vector.Rules: errors.New("away")}
	_, err := l.CategoryOfNearestRule(t.Context(), "ws_one", x, search.NearRule{Vector: []float32{1}, Within: 0.4})
	require.ErrorContains(t, err, "away")
}
