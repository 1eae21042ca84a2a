package memory

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	judgments "github.com/redline-svc/redline/models/judgment"
)

// The table of scopes: what is given, what is used, what is missing.
func TestTheScopeOfASearch(t *testing.T) {
	const thread = "thread"
	for _, c := range []struct {
		scope, organization, document, annotation string
		used                                      string
		filter                                    judgments.Filter
		missing                                   []string
	}{
		{used: scopeKey},
		{organization: "o", used: scopeOrganization, filter: judgments.Filter{OrganizationID: "o"}},
		{organization: "o", document: "d", used: scopeDocument, filter: judgments.Filter{OrganizationID: "o", DocumentID: "d"}},
		{document: "d", missing: []string{"organizationId"}},
		{scope: scopeKey, used: scopeKey},
		{scope: scopeKey, organization: "o", used: scopeKey},
		{scope: scopeKey, organization: "o", document: "d", used: scopeKey},
		{scope: scopeKey, document: "d", missing: []string{"organizationId"}},
		{scope: scopeOrganization, organization: "o", document: "d", used: scopeOrganization, filter: judgments.Filter{OrganizationID: "o"}},
		{scope: scopeOrganization, missing: []string{"organizationId"}},
		{scope: scopeOrganization, document: "d", missing: []string{"organizationId"}},
		{scope: scopeDocument, organization: "o", document: "d", used: scopeDocument, filter: judgments.Filter{OrganizationID: "o", DocumentID: "d"}},
		{scope: scopeDocument, organization: "o", missing: []string{"documentId"}},
		{scope: scopeDocument, missing: []string{"organizationId", "documentId"}},
		{
			scope: scopeDocument, organization: "o", annotation: thread, used: scopeDocument,
			filter: judgments.Filter{OrganizationID: "o", AnnotationID: thread},
		},
		{
			scope: scopeKey, organization: "o", document: "d", annotation: thread, used: scopeKey,
			filter: judgments.Filter{OrganizationID: "o", AnnotationID: thread},
		},
		{annotation: thread, missing: []string{"organizationId"}},
	} {
		req := SearchJudgments{Scope: c.scope, OrganizationID: c.organization, DocumentID: c.document, Filters: JudgmentFilters{AnnotationID: c.annotation}}
		var missing []string
		for _, issue := range req.Validate() {
			missing = append(missing, strings.Join(issue.Path, "."))
		}
		require.Equal(t, c.missing, missing, "%+v", c)
		if missing == nil {
			require.Equal(t, c.used, req.scope(), "%+v", c)
			require.Equal(t, c.filter, req.filter(), "%+v", c)
		}
	}
}

// A thread has its range and no recent days, what is recent has its days and no range.
func TestTheTimesOfASearch(t *testing.T) {
	start := time.UnixMilli(5).UTC()
	of := JudgmentFilters{DateRange: &DateRange{Start: &DateBound{at: &start}}}
	req := SearchJudgments{OrganizationID: "o", RecencyDays: 3, Filters: of}
	require.Equal(t, judgments.Filter{OrganizationID: "o", RecentDays: 3}, req.filter())
	req.Filters.AnnotationID = "a"
	require.Equal(t, judgments.Filter{OrganizationID: "o", AnnotationID: "a", From: &start}, req.filter())
	req = SearchJudgments{Filters: of}
	require.Equal(t, judgments.Filter{From: &start}, req.filter())
}

func TestEndsOfARange(t *testing.T) {
	day := time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string][2]time.Time{
		`"2026-02-28"`:                    {day, day.Add(24*time.Hour - time.Millisecond)},
		`"2026-02-28T00:00:00Z"`:          {day, day},
		`"2026-02-28T01:00:00.000+01:00"`: {day, day},
		`1772236800000`:                   {day, day},
	} {
		var b DateBound
		require.NoError(t, json.Unmarshal([]byte(text), &b), text)
		require.True(t, want[0].Equal(*b.first()), "%s: %s", text, b.first())
		require.True(t, want[1].Equal(*b.last()), "%s: %s", text, b.last())
	}
	for _, text := range []string{`"2026-02-30"`, `"2026-02-28T00:00:00"`, `"yesterday"`, `1.5`, `true`, `-62167219200001`, `[]`} {
		require.Error(t, json.Unmarshal([]byte(text), new(DateBound)), text)
	}
}
