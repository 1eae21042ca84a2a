package api_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// invited adds an invitation, to the organization unless the call says more.
func invited(env *kit.Env, address string, more map[string]any) redline.Invitation {
	env.T.Helper()
	call := kit.With(acme("email", address, "type", "org_user", "accessRole", "viewer"), more)
	made, err := client.Call[redline.InvitationResult](env.Ctx, env.Keyed, client.AddInvitation, call)
	require.NoError(env.T, err)
	return made.Data
}

// responding is the call that gives an invitation to the organization this status; accepting it needs somebody and a token.
func responding(address, status string, more ...any) map[string]any {
	return acme(append([]any{"email", address, "type", "org_user", "status", status}, more...)...)
}

// proof is a token for a user and an e-mail.
func proof(env *kit.Env, userID, address string) string {
	env.T.Helper()
	token, _ := tokenOf(env, map[string]any{"userId": userID, "userProperties": map[string]any{"email": address}})
	return token
}

func accepting(env *kit.Env, userID, address string) map[string]any {
	env.T.Helper()
	return responding(address, "ACCEPTED", "user", map[string]any{"userId": userID, "name": "Bob"}, "authToken", proof(env, userID, address))
}

// invitationsOf are the statuses of the invitations that a list has, newest first.
func invitationsOf(env *kit.Env, operation string, call map[string]any) (statuses []string) {
	env.T.Helper()
	page, err := client.Call[redline.InvitationListResult](env.Ctx, env.Keyed, operation, call)
	require.NoError(env.T, err)
	for _, i := range page.Data {
		statuses = append(statuses, i.Email+" "+string(i.Status))
	}
	return statuses
}

// withAcme is a workspace with an organization that has a document and a folder.
func withAcme(t *testing.T) *kit.Env {
	t.Helper()
	env := newWorkspace(t)
	env.Call(client.AddUsers, acme("users", []any{map[string]any{"userId": "ann"}}), nil)
	kit.Items(env, client.AddDocuments, kit.Document("spring", map[string]any{"accessType": "organizationPrivate"}))
	kit.Items(env, client.AddFolders, acme("folders", []any{map[string]any{"folderId": "seasons"}}))
	return env
}

func TestInvitations_1_AcceptedAndWithdrawnAtOnce(t *testing.T) {
	env := withAcme(t)
	for n := range 10 {
		address := fmt.Sprintf("u%d@example.com", n)
		user := fmt.Sprint("u", n)
		invited(env, address, nil)
		calls := []map[string]any{accepting(env, user, address), responding(address, "WITHDRAWN")}
		errs := make([]error, 2)
		var all sync.WaitGroup
		for i, call := range calls {
			all.Go(func() {
				_, errs[i] = client.Call[redline.InvitationResult](env.Ctx, env.Keyed, client.RespondInvitation, call)
			})
		}
		all.Wait()
		loser := 0
		if errs[0] == nil {
			loser = 1
		}
		require.NoError(t, errs[1-loser])
		require.ErrorContains(t, errs[loser], "not pending")
		require.Equal(t, "not-pending", kit.Details(env, client.RespondInvitation, calls[loser])["reason"])
		member := len(listed(env, acme("userIds", []string{user}))) == 1
		require.Equal(t, loser == 1, member, "a withdrawn one grants nothing")
	}
}

func TestInvitations_2_ATokenOfSomebodyElse(t *testing.T) {
	env := withAcme(t)
	invited(env, "bob@example.com", nil)
	accept := accepting(env, "bob", "bob@example.com")
	for name, token := range map[string]string{
		"of another e-mail": proof(env, "bob", "eve@example.com"), "of another user": proof(env, "eve", "bob@example.com"),
		"of another workspace": proof(kit.Elsewhere(env), "bob", "bob@example.com"), "none": "a.b.c",
	} {
		call := kit.With(accept, map[string]any{"authToken": token})
		require.Equal(t, redline.ProblemStatusPermissionDenied, env.RefusedAs("PERMISSION_DENIED", client.RespondInvitation, call).Status, name)
		require.Equal(t, "token-refused", kit.Details(env, client.RespondInvitation, call)["reason"], name)
	}
	require.Equal(t, []string{"bob@example.com PENDING"}, invitationsOf(env, client.GetInvitations, acme()))
	env.Call(client.RespondInvitation, accept, nil)
	env.Call(client.RespondInvitation, accept, nil)
	require.Equal(t, []string{"bob@example.com ACCEPTED"}, invitationsOf(env, client.GetInvitations, acme()), "the status that it has is no change")
	again := accepting(env, "rob", "bob@example.com")
	require.Equal(t, "not-pending", kit.Details(env, client.RespondInvitation, again)["reason"], "somebody else has accepted it")
	require.Equal(t, "not-pending", kit.Details(env, client.RespondInvitation, responding("bob@example.com", "REJECTED"))["reason"])
	require.Equal(t, "not-found", kit.Details(env, client.RespondInvitation, responding("nobody@example.com", "REJECTED"))["reason"])
}

func TestInvitations_3_OneForAllSpellingsOfAnAddress(t *testing.T) {
	env := withAcme(t)
	first := invited(env, "A@Bücher.example", nil)
	second := invited(env, "a@xn--bcher-kva.example", map[string]any{"accessRole": "editor"})
	require.Equal(t, first.ID, second.ID)
	require.Equal(t, []string{"A@Bücher.example", "editor"}, []string{second.Email, string(second.AccessRole)}, "as sent, with the new role")
	require.Equal(t, []string{"A@Bücher.example PENDING"}, invitationsOf(env, client.GetInvitationsOf, acme("email", "A@BÜCHER.example")))
	env.Call(client.RespondInvitation, responding("a@bücher.example", "REJECTED"), nil)
	third := invited(env, "a@bücher.example", nil)
	require.NotEqual(t, first.ID, third.ID, "after an end there is a new one")
	require.Equal(t, []string{"a@bücher.example PENDING", "A@Bücher.example REJECTED"}, invitationsOf(env, client.GetInvitations, acme()))
	require.Equal(t, []string{"a@bücher.example PENDING"}, invitationsOf(env, client.GetInvitations, acme("isPendingUsersOnly", true)))
	require.Equal(t, []string{"A@Bücher.example REJECTED"}, invitationsOf(env, client.GetInvitationsOf, acme("email", "a@bücher.example", "status", "REJECTED")))
	require.Empty(t, invitationsOf(env, client.GetInvitationsOf, acme("email", "a@bücher.example", "type", "doc_user")))
	require.Empty(t, invitationsOf(env, client.GetInvitations, map[string]any{"organizationId": "gone"}))
}

func TestInvitations_4_OfADocumentOpensThatAlone(t *testing.T) {
	env := withAcme(t)
	kit.Items(env, client.AddDocuments, kit.Document("winter", map[string]any{"accessType": "organizationPrivate"}))
	kit.Items(env, client.AddDocuments, kit.Document("closed", map[string]any{"accessType": "restricted"}))
	for _, documentID := range []string{"spring", "closed"} {
		place := map[string]any{"type": "doc_user", "documentId": documentID}
		require.Equal(t, documentID, *invited(env, "bob@example.com", place).DocumentID)
		env.Call(client.RespondInvitation, kit.With(accepting(env, "bob", "bob@example.com"), place), nil)
	}
	var may redline.UserPermissionsByIDResult
	env.Call(client.GetPermissions, acme("userIds", []string{"bob"}, "documentIds", []string{"spring", "winter", "closed"}), &may)
	documents := may.Data["bob"].Documents
	require.Equal(t, redline.PermissionAccessRoleViewer, *documents["spring"].AccessRole)
	require.Equal(t, redline.PermissionAccessRoleViewer, *documents["closed"].AccessRole, "a restricted one opens as by any grant")
	require.Nil(t, documents["winter"].AccessRole)
	require.Empty(t, listed(env, acme("userIds", []string{"bob"})), "they are no member")

	invited(env, "eve@example.com", map[string]any{"type": "doc_user", "documentId": "winter"})
	invited(env, "eve@example.com", map[string]any{"type": "folder_user", "folderId": "seasons"})
	pending := func(kind string) int64 {
		n, err := client.Call[redline.CountOfResult](env.Ctx, env.Keyed, client.CountInvitations, acme("type", kind))
		require.NoError(t, err)
		return n.Data.Count
	}
	require.Equal(t, []int64{0, 1, 1}, []int64{pending("org_user"), pending("doc_user"), pending("folder_user")})
	env.Call(client.DeleteDocuments, acme("documentIds", []string{"winter"}), nil)
	env.Call(client.DeleteFolder, acme("folderId", "seasons"), nil)
	require.Equal(t, []int64{0, 0, 0}, []int64{pending("org_user"), pending("doc_user"), pending("folder_user")}, "it goes with its place")
	require.Empty(t, invitationsOf(env, client.GetInvitations, acme("email", "eve@example.com")))
}

func TestInvitations_5and6_OneMailForManyAdds(t *testing.T) {
	env := withAcme(t)
	require.Nil(t, invited(env, "early@example.com", nil).MailedAt, "without the service there is no mail")
	env.Call(client.UpdateEmails, map[string]any{"useEmailService": true}, nil)
	env.Call(client.AddDomains, map[string]any{"domains": []string{"app.example.com"}}, nil)
	more := map[string]any{
		"organizationName": "Acme\r\nBcc: eve@example.com <b>", "invitedBy": map[string]any{"userId": "ann", "name": "Ann"}, "url": "https://app.example.com/join?x=1&y=2",
	}
	ids := make([]string, 50)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = invited(env, "bob@example.com", more).ID })
	}
	all.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	require.NotNil(t, invited(env, "bob@example.com", more).MailedAt)
	var mails int
	var subject, html string
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT count(*), min(subject), min(body_html) FROM mails WHERE workspace_id = $1`, env.Workspace.ID).Scan(&mails, &subject, &html))
	require.Equal(t, 1, mails)
	require.Equal(t, "Ann invites you to “Acme Bcc: eve@example.com <b>”", subject, "one line")
	require.Contains(t, html, `<a href="https://app.example.com/join?x=1&amp;y=2">`)
	require.NotContains(t, html, "<b>")
	_, err := env.DB().Exec(env.Ctx, `UPDATE invitations SET mailed_at = mailed_at - interval '1 hour' WHERE workspace_id = $1 AND email = 'bob@example.com'`, env.Workspace.ID)
	require.NoError(t, err)
	invited(env, "bob@example.com", more)
	invited(env, "bob@example.com", more)
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT count(*) FROM mails WHERE workspace_id = $1`, env.Workspace.ID).Scan(&mails))
	require.Equal(t, 2, mails, "again after an hour")
	env.Call(client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"triggers": map[string]any{"user.invite": false}}}, nil)
	require.Nil(t, invited(env, "joe@example.com", nil).MailedAt)
	require.Nil(t, invited(env, "jim@example.com", map[string]any{"sendEmail": false}).MailedAt)
}

func TestInvitations_WhatIsRefused(t *testing.T) {
	env := withAcme(t)
	call := func(more ...any) map[string]any {
		return kit.With(acme("email", "bob@example.com", "type", "org_user"), acme(more...))
	}
	for _, c := range []struct {
		at, code  string
		operation string
		data      map[string]any
	}{
		{"email", "format", client.AddInvitation, call("email", "bob")},
		{"documentId", "required", client.AddInvitation, call("type", "doc_user")},
		{"documentId", "conflict", client.AddInvitation, call("documentId", "spring")},
		{"folderId", "conflict", client.AddInvitation, call("type", "doc_user", "documentId", "spring", "folderId", "seasons")},
		{"url", "address-refused", client.AddInvitation, call("url", "https://elsewhere.example.com")},
		{"url", "format", client.AddInvitation, call("url", "http://app.example.com")},
		{"status", "enum", client.RespondInvitation, call("status", "PENDING")},
		{"user", "required", client.RespondInvitation, call("status", "ACCEPTED", "authToken", "x")},
		{"documentId", "count", client.RespondInvitation, call("status", "REJECTED", "documentId", nil)},
		{"email", "required", client.GetInvitationsOf, acme()},
		{"type", "required", client.CountInvitations, acme()},
	} {
		require.Equal(t, c.at, refusedAt(env, c.code, c.operation, c.data), c.data)
	}
	for resource, data := range map[string]map[string]any{
		"document": call("type", "doc_user", "documentId", "gone"), "folder": call("type", "folder_user", "folderId", "gone"), "organization": call("organizationId", "gone"),
	} {
		require.Equal(t, resource, kit.Details(env, client.AddInvitation, data)["resource"])
	}
	invited(env, "bob@example.com", nil)
	_, err := env.DB().Exec(env.Ctx, `
INSERT INTO invitations (id, workspace_id, organization_key, email, email_key, role)
SELECT 'inv_' || n, workspace_id, organization_key, n || '@x.test', n || '@x.test', 'viewer' FROM invitations, generate_series(1, 9999) n WHERE workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	require.Equal(t, "invitation-quota", kit.Details(env, client.AddInvitation, call("email", "last@example.com"))["reason"])
	invited(env, "bob@example.com", nil)
	page, next := idsOf(env, client.GetInvitations, "email", acme())
	require.Len(t, page, 100)
	require.NotEmpty(t, next)
}
