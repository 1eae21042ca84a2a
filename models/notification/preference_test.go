package notification_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/notification"
)

// An organization has preferences of so many users and no more; those who have one may
// change it.
func TestPreferencesOfAnOrganizationAreThoseOfSoManyUsers(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "hi")))
	d.Exec(`INSERT INTO notification_preferences (workspace_id, organization_key, document_key, user_id, inbox)
		SELECT o.workspace_id, o.key, d.key, 'u' || i, 'ALL' FROM organizations o JOIN documents d ON d.organization_key = o.key, generate_series(1, 9999) i
		UNION ALL SELECT workspace_id, key, NULL, 'u' || i, 'ALL' FROM organizations, generate_series(1, 9999) i`)
	set := func(users ...string) error {
		return d.Notified.Set(t.Context(), modelstest.Workspace, notification.Setting{
			OrganizationID: "acme", UserIDs: users, Preference: notification.Preference{Inbox: notification.WantsNone},
		})
	}
	refused := fault.From(set("last", "beyond"))
	require.NotNil(t, refused)
	require.Equal(t, []any{fault.StatusResourceExhausted, "preference-quota"}, []any{refused.Status, refused.Reason})
	require.Empty(t, d.Rows(`SELECT user_id FROM notification_preferences WHERE user_id IN ('last', 'beyond')`), "all or nothing")
	require.NoError(t, set("last", "u1"))
	require.NoError(t, set("last", "u1"), "those who have one")
	require.True(t, fault.Is(set("beyond"), fault.StatusResourceExhausted))
}

// What holds for each of thousands is looked up, also while the planner knows nothing of the table: joined, they would be
// compared with one another.
func TestPreferencesOfManyAreLookedUp(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "hi")))
	plan := modelstest.KeyedPlan(t, d.DB, notification.ReadPreferencesStatement, []any{1, 1, []string{"ann"}})
	require.NotContains(t, plan, "Join Filter: (")
	require.Equal(t, 2, strings.Count(plan, "user_id = a.user_id")+strings.Count(plan, "user_id = notification_preferences"), plan)
}
