package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// provider changes the permission provider.
func provider(env *kit.Env, data map[string]any) redline.Provider {
	env.T.Helper()
	var after, found redline.ProviderResult
	env.Call(client.UpdateProvider, data, &after)
	env.Call(client.GetProvider, map[string]any{}, &found)
	require.Equal(env.T, after.Data, found.Data)
	return after.Data
}

func providedBy(config map[string]any) map[string]any {
	return map[string]any{"usePermissionProvider": true, "permissionProviderConfig": config}
}

// asksProvider switches on a provider of the test's own that answers so.
func asksProvider(env *kit.Env, answer func(n int, asked []askedUser) receiver.Answer) {
	env.T.Helper()
	env.Receiver().AnswerBy("/access", func(n int, request receiver.Request) receiver.Answer {
		return answer(n, askedIn(env.T, request))
	})
	provider(env, providedBy(map[string]any{"permissionProviderUrl": env.Receiver().URL("/access"), "authToken": "open-sesame"}))
}

// askedUser is what a provider is asked about one user.
type askedUser struct {
	UserID   string            `json:"userId"`
	Resource map[string]string `json:"resource"`
}

func askedIn(t *testing.T, request receiver.Request) []askedUser {
	t.Helper()
	var body struct {
		Data struct {
			Requests []askedUser `json:"requests"`
		} `json:"data"`
	}
	if err := json.Unmarshal(request.Body, &body); err != nil {
		t.Error(err)
	}
	return body.Data.Requests
}

// grants answers that each user may write, changed as the test wants.
func grants(asked []askedUser, change func(userID string, entry map[string]any)) receiver.Answer {
	entries := []map[string]any{}
	for _, a := range asked {
		entry := map[string]any{
			"userId": a.UserID, "resourceId": a.Resource["id"], "type": "document", "organizationId": a.Resource["organizationId"], "hasAccess": true,
		}
		if change != nil {
			change(a.UserID, entry)
		}
		entries = append(entries, entry)
	}
	body, _ := json.Marshal(map[string]any{"data": entries})
	return receiver.JSON(string(body))
}

func allGranted(_ int, asked []askedUser) receiver.Answer { return grants(asked, nil) }

func TestProvider_DefaultsAndRefusals(t *testing.T) {
	env := newWorkspace(t)
	raw, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.GetProvider, map[string]any{})
	require.NoError(t, err)
	var fresh struct{ Data json.RawMessage }
	require.NoError(t, json.Unmarshal(raw, &fresh))
	require.JSONEq(t, `{"usePermissionProvider":false,"permissionProviderConfig":{"permissionProviderUrl":"","hasAuthToken":false}}`, string(fresh.Data))
	for name, data := range map[string]map[string]any{
		"nothing": {}, "an empty config": {"permissionProviderConfig": map[string]any{}},
		"another scheme":    providedBy(map[string]any{"permissionProviderUrl": "ftp://access.example.com"}),
		"one in the clear":  providedBy(map[string]any{"permissionProviderUrl": "http://access.example.com"}),
		"a metadata server": providedBy(map[string]any{"permissionProviderUrl": "http://169.254.169.254/latest"}),
		"a null address":    providedBy(map[string]any{"permissionProviderUrl": nil}),
		"a token of lines":  providedBy(map[string]any{"permissionProviderUrl": "https://access.example.com", "authToken": "a\r\nb: c"}),
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.UpdateProvider, data)
		require.False(t, provider(env, map[string]any{"usePermissionProvider": false}).UsePermissionProvider, name)
	}
	require.Equal(t, "no-provider-url", kit.Details(env, client.UpdateProvider, map[string]any{"usePermissionProvider": true})["reason"])
	provider(env, providedBy(map[string]any{"permissionProviderUrl": "https://access.example.com/a"}))
	require.Equal(t, "no-provider-url", kit.Details(env, client.UpdateProvider, map[string]any{"permissionProviderConfig": map[string]any{"permissionProviderUrl": ""}})["reason"])
	require.Equal(t, "https://access.example.com/a", provider(env, map[string]any{"usePermissionProvider": true}).PermissionProviderConfig.PermissionProviderURL)
}

// What a provider does not say is a no; who is not to be verified needs none.
func TestProvider_1_WhileItIsDownOnlyVerifiedAuthorsAreDenied(t *testing.T) {
	env := newWorkspace(t)
	for name, answer := range map[string]receiver.Answer{
		"fault":    receiver.Status(http.StatusInternalServerError),
		"redirect": {Status: http.StatusFound, Header: map[string]string{"location": env.Receiver().URL("/elsewhere")}},
		"words":    receiver.JSON(`{"data":"yes"}`), "nothing": receiver.JSON(`{"data":[]}`), "no answer": receiver.JSON(``),
	} {
		env.Receiver().Answer("/access", answer)
		provider(env, providedBy(map[string]any{"permissionProviderUrl": env.Receiver().URL("/access")}))
		refused := kit.Details(env, client.AddAnnotations, kit.Checked(kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")))))
		require.Equal(t, map[string]any{"reason": "provider-unreachable", "denied": []any{map[string]any{"index": 0.0, "userId": "ann"}}}, refused, name)
	}
	require.Empty(t, env.Receiver().Requests("/elsewhere"))
	gate := env.Receiver().Hold("/slow")
	defer gate.Release()
	provider(env, providedBy(map[string]any{"permissionProviderUrl": env.Receiver().URL("/slow")}))
	require.Equal(t, "provider-unreachable", kit.Details(env, client.AddAnnotations, kit.Checked(kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")))))["reason"])
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a"))))
	require.Equal(t, "provider-unreachable", kit.Details(env, client.AddComments, kit.Checked(map[string]any{
		"organizationId": "acme", "documentId": "d", "annotationId": "a", "commentData": []any{kit.Wrote("ann", "b")},
	}))["reason"])
}

func TestProvider_2_TenAuthorsAreOneQuestion(t *testing.T) {
	env := newWorkspace(t)
	asksProvider(env, allGranted)
	env.Call(client.AddDocuments, map[string]any{"organizationId": "acme", "createOrganization": true, "folderId": "f", "createFolder": true, "documents": []any{map[string]any{"documentId": "d"}}}, nil)
	var comments []map[string]any
	var want []any
	for _, user := range []string{"u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9", "u10"} {
		comments = append(comments, kit.Wrote(user, "a"), kit.Wrote(user, "again"))
		want = append(want, map[string]any{"userId": user, "resource": map[string]any{"type": "document", "id": "d", "organizationId": "acme", "parentFolderId": "f"}})
	}
	kit.Annotate(env, kit.Checked(kit.Made("d", kit.Annotated("a", comments...))))
	asked := env.Receiver().Requests("/access")
	require.Len(t, asked, 1)
	var body any
	require.NoError(t, json.Unmarshal(asked[0].Body, &body))
	require.Equal(t, map[string]any{"data": map[string]any{"requests": want}}, body)
	require.Equal(t, []string{"POST", "Bearer open-sesame", "application/json"}, []string{asked[0].Method, asked[0].Header.Get("authorization"), asked[0].Header.Get("content-type")})
	kit.Annotate(env, kit.Made("d", kit.Annotated("b", kit.Wrote("u1", "a"))))
	require.Len(t, env.Receiver().Requests("/access"), 1, "who is not to be verified is not asked about")
	require.Equal(t, "not-found", kit.Details(env, client.AddComments, kit.Checked(map[string]any{
		"organizationId": "acme", "documentId": "nowhere", "annotationId": "a", "commentData": []any{kit.Wrote("u1", "b")},
	}))["reason"], "nobody is asked about a document that is not there")
	require.Len(t, env.Receiver().Requests("/access"), 1)
}

func TestProvider_3_AnotherHostDropsTheToken(t *testing.T) {
	env := newWorkspace(t)
	at := func(url string, token ...string) redline.Provider {
		config := map[string]any{"permissionProviderUrl": url}
		if len(token) > 0 {
			config["authToken"] = token[0]
		}
		return provider(env, providedBy(config))
	}
	require.True(t, at("https://access.example.com/a", "secret").PermissionProviderConfig.HasAuthToken)
	require.True(t, at("https://access.example.com/b").PermissionProviderConfig.HasAuthToken, "another path of the same host")
	require.False(t, at("https://other.example.com/b").PermissionProviderConfig.HasAuthToken)
	require.True(t, at("https://third.example.com/b", "secret").PermissionProviderConfig.HasAuthToken)
	const listed = "://localhost:8443/b" // where plain http is allowed
	require.True(t, at("https"+listed, "secret").PermissionProviderConfig.HasAuthToken)
	require.False(t, at("http"+listed).PermissionProviderConfig.HasAuthToken, "what was sent encrypted is not sent in the clear")
	require.True(t, at("http"+listed, "secret").PermissionProviderConfig.HasAuthToken)
	require.False(t, provider(env, map[string]any{"permissionProviderConfig": map[string]any{"authToken": nil}}).PermissionProviderConfig.HasAuthToken)
	env.Receiver().Answer("/access", receiver.Status(500))
	at(env.Receiver().URL("/access"))
	require.Equal(t, "provider-unreachable", kit.Details(env, client.AddAnnotations, kit.Checked(kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")))))["reason"])
	require.Empty(t, env.Receiver().Requests("/access")[0].Header.Get("authorization"))
}

func TestProvider_4_WhatIsSaidOfOthersCountsForNobody(t *testing.T) {
	env := newWorkspace(t)
	for name, c := range map[string]struct {
		change func(userID string, entry map[string]any)
		reason string
	}{
		"another user":         {func(_ string, e map[string]any) { e["userId"] = "bob" }, "provider-unreachable"},
		"another document":     {func(_ string, e map[string]any) { e["resourceId"] = "other" }, "provider-unreachable"},
		"another organization": {func(_ string, e map[string]any) { e["organizationId"] = "other" }, "provider-unreachable"},
		"another type":         {func(_ string, e map[string]any) { e["type"] = "folder" }, "provider-unreachable"},
		"no word of access":    {func(_ string, e map[string]any) { delete(e, "hasAccess") }, "provider-unreachable"},
		"no access":            {func(_ string, e map[string]any) { e["hasAccess"] = false }, "permission-denied"},
		"a viewer":             {func(_ string, e map[string]any) { e["accessRole"] = "viewer" }, "permission-denied"},
		"access that is over":  {func(_ string, e map[string]any) { e["expiresAt"] = 1_000 }, "permission-denied"},
	} {
		asksProvider(env, func(_ int, asked []askedUser) receiver.Answer { return grants(asked, c.change) })
		require.Equal(t, c.reason, kit.Details(env, client.AddAnnotations, kit.Checked(kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")))))["reason"], name)
	}
	asksProvider(env, func(_ int, asked []askedUser) receiver.Answer {
		return grants(asked, func(user string, e map[string]any) {
			e["accessRole"], e["expiresAt"], e["hasAccess"] = "editor", 4_000_000_000_000, user != "eve"
		})
	})
	both := kit.Checked(kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")), kit.Annotated("b", kit.Wrote("eve", "b"))))
	require.Equal(t, map[string]any{"reason": "permission-denied", "denied": []any{map[string]any{"index": 1.0, "userId": "eve"}}}, kit.Details(env, client.AddAnnotations, both))
	require.Equal(t, [2]int{0, 0}, kit.Counts(env, "ann", "d")["d"], "nothing of it was written")
	kit.Annotate(env, kit.Checked(kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")))))
}

func TestProvider_5_SwitchedOffGrantsDecideAtOnce(t *testing.T) {
	env := newWorkspace(t)
	asksProvider(env, allGranted)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	require.True(t, kit.MayWrite(env, "nobody", "d"), "no grant is looked at")
	provider(env, map[string]any{"usePermissionProvider": false})
	require.False(t, kit.MayWrite(env, "nobody", "d"))
	require.Len(t, env.Receiver().Requests("/access"), 1)
	require.True(t, provider(env, map[string]any{"usePermissionProvider": true}).PermissionProviderConfig.HasAuthToken, "address and token stay")
	require.True(t, kit.MayWrite(env, "nobody", "d"))
}
