package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// shut switches access to the document d off.
func shut(env *kit.Env) {
	env.T.Helper()
	env.Call(client.DisableDocuments, map[string]any{"organizationId": "acme", "documentIds": []string{"d"}, "disabled": true}, nil)
}

// What waits for somebody on a document that is shut is decided all the same, and the decision is found.
func TestDisable_5_AStepThatWaitsIsDecided(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	r := kit.Dispatch(env, kit.SignOff(env), kit.At("acme", "d"))
	r.WaitsAt("review")
	shut(env)
	r.Decide("review", "ann", "approve", "Good as it is.")
	r.Ends("completed")
	var found []string
	for _, one := range kit.Judgments(env, map[string]any{"organizationId": "acme", "documentId": "d"}).Results {
		found = append(found, one.ActionUser.UserID)
	}
	require.Contains(t, found, "ann")
	kit.Dispatch(env, kit.SignOff(env), kit.At("acme", "d")).WaitsAt("review")
}

// What waits to be mailed about a document is judged when it leaves: nobody is told of one that is shut by then.
func TestDisable_AMailThatWaitsIsDropped(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{})
	leaves(env, map[string]any{"delayConfig": map[string]any{"isEnabled": true, "delaySeconds": 600}})
	to := kit.Mailbox()
	mentions(env, to, 2)
	shut(env)
	atOnce(env)
	rows := env.DB()
	kit.RequireEventually(t, "both have ended", func() (ended bool) {
		const all = `SELECT count(*) = 2 FROM mails WHERE workspace_id = $1 AND result = 'disabled' AND class = 'not-visible'`
		require.NoError(t, rows.QueryRow(env.Ctx, all, env.Workspace.ID).Scan(&ended))
		return ended
	})
	marker := kit.Mailbox()
	kit.Mention(env, "marker", marker)
	kit.Mails(env, marker, 1)
	require.Empty(t, kit.Mails(env, to, 0))
}

func TestDisable_6_AMigratedDocumentKeepsItsSwitch(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	shut(env)
	kit.Migrated(env, kit.Migrates(env, "d", "moved"))
	var page redline.DocumentListResult
	env.Call(client.GetDocuments, map[string]any{"organizationId": "acme", "documentIds": []string{"moved"}}, &page)
	require.True(t, page.Data[0].Disabled)
	require.Equal(t, [2]int{0, 0}, kit.Counts(env, "ann", "moved")["moved"])
	reply := kit.Doc("moved", map[string]any{"annotationId": "n", "commentData": []any{kit.Wrote("ann", "two")}})
	require.Equal(t, redline.ErrorDetailsReasonAccessDisabled, env.RefusedAs("FAILED_PRECONDITION", client.AddComments, reply).Reason)
}
