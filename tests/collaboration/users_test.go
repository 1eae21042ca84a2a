package collaboration

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestUsersUpdate_1and4_EntriesAndRefusals(t *testing.T) {
	env := kit.NewWorkspace(t)
	all := kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "acme", "users": kit.Users("ann", "bob")})
	require.Equal(t, []any{false, redline.ItemCodeNotFound, false}, []any{all["ann"].Success, all["ann"].Code, all["bob"].Success})
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("ann", "bob")})
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateUsers, map[string]any{"organizationId": "acme", "users": []map[string]any{
		{"userId": "ann", "name": "New"}, {"userId": "bob", "accessRole": "owner"},
	}})
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateUsers, map[string]any{"organizationId": "acme", "documentId": "d", "folderId": "f", "users": kit.Users("ann")})
	flow := kit.SignOff(env)
	kit.Reviewed(env, flow, "approve", "", kit.At("acme", ""))
	require.Equal(t, "Name of ann", kit.Judgments(env, nil).Results[0].ActionUser.Name, "nothing was changed for anyone")
}

func TestUsersUpdate_3_ConcurrentChangesSurvive(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("ann")})
	changes := []map[string]any{{"userId": "ann", "name": "Ann"}, {"userId": "ann", "email": "ann@example.com"}}
	kit.Concurrently(len(changes), func(i int) {
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.UpdateUsers, map[string]any{"organizationId": "acme", "users": changes[i : i+1]})
		require.NoError(t, err)
	})
	kit.Reviewed(env, kit.SignOff(env), "approve", "", kit.At("acme", ""))
	require.Equal(t, redline.ActionUser{UserID: "ann", Name: "Ann", Email: new("ann@example.com")}, kit.Judgments(env, nil).Results[0].ActionUser)
}

func TestUsersDelete_1to4(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "documentId": "d", "createDocument": true, "users": kit.Users("ann")})
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("bob")})
	removed := kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"ann", "ann", "eve"}})
	require.Len(t, removed, 2)
	require.True(t, removed["ann"].Success, "a user with document grants only")
	require.Equal(t, []any{false, redline.ItemCodeNotFound}, []any{removed["eve"].Success, removed["eve"].Code})
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("ann")})
	require.Equal(t, redline.ItemCodeNotMember, kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "acme", "documentId": "d", "users": kit.Users("ann")})["ann"].Code,
		"no old grant comes back")
	require.False(t, kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "nowhere", "userIds": []string{"bob"}})["bob"].Success)
	require.False(t, kit.Items(kit.Elsewhere(env), client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"bob"}})["bob"].Success)
	kit.Reviewed(env, kit.SignOff(env), "approve", "", kit.At("acme", ""))
	require.Equal(t, int64(1), kit.Judgments(env, nil).Total)
	require.True(t, kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"bob"}})["bob"].Success)
	require.Equal(t, int64(1), kit.Judgments(env, nil).Total, "who judged is still there")
	require.True(t, kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"ann"}})["ann"].Success)
	require.Equal(t, int64(0), kit.Judgments(env, nil).Total)
}

func TestUsersDelete_TakesTheJudgmentsOfTheOrganization(t *testing.T) {
	env := kit.NewWorkspace(t)
	flow := kit.SignOff(env)
	for _, organization := range []string{"acme", "other"} {
		kit.Items(env, client.AddUsers, map[string]any{"organizationId": organization, "users": kit.Users("ann")})
		kit.Reviewed(env, flow, "approve", "", kit.At(organization, ""))
	}
	require.Equal(t, int64(2), kit.Judgments(env, nil).Total)
	kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"ann"}})
	require.Equal(t, int64(1), kit.Judgments(env, nil).Total)
	require.Equal(t, int64(1), kit.Judgments(env, map[string]any{"organizationId": "other"}).Total)
}

func TestUsersDelete_DropsWhatWaitsInTheMail(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	kit.MailBy(env, config)
	gone, stays, later := kit.Mailbox(), kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("bob", "Bob", gone), kit.User("eve", "Eve", stays))
	env.Call(client.AddAnnotations, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "Hi {{bob}}, hi {{eve}}", kit.Loud))), nil)
	require.True(t, kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"bob"}})["bob"].Success)
	isolated.StartProcess("worker")
	kit.RequireEventually(t, "the mail to who stays", func() bool { return len(host.Letters()) > 0 })
	kit.Mention(env, "cat", later)
	kit.RequireEventually(t, "a later mail", func() bool { return len(host.Letters()) > 1 })
	require.Equal(t, []string{stays, later}, []string{host.Letters()[0].To, host.Letters()[1].To})
}
