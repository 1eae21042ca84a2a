package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// changedActivities updates activities of acme and returns an entry for each.
func changedActivities(env *kit.Env, activities ...map[string]any) map[string]redline.Item {
	env.T.Helper()
	return kit.Items(env, client.UpdateActivities, kit.InAcme(map[string]any{"activities": activities}))
}

func deleteActivities(env *kit.Env, selectors map[string]any) (deleted redline.DeletedActivities) {
	env.T.Helper()
	env.Call(client.DeleteActivities, kit.InAcme(selectors), &deleted)
	return deleted
}

// withActivities makes acme with the documents d and e, and activities of d.
func withActivities(env *kit.Env, activities ...map[string]any) {
	env.T.Helper()
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "one"))))
	kit.Annotate(env, kit.Made("e", kit.Annotated("m", kit.Wrote("ann", "one"))))
	if len(activities) > 0 {
		kit.AddActivities(env, "d", activities...)
	}
}

func TestActivities_AnyJSONIsKept(t *testing.T) {
	env := newWorkspace(t)
	withActivities(env, kit.Activity("ann", "x", kit.Identified("a"), map[string]any{"entityData": []any{1.0}, "entityTargetData": "page", "immutable": true}))
	one := kit.Log(env)[0]
	require.JSONEq(t, `[1.0]`, string(one.EntityData))
	require.JSONEq(t, `"page"`, string(one.EntityTargetData))
	require.True(t, one.Immutable)
}

func TestActivitiesUpdate_1_TwoAtOnceOfDifferentFields(t *testing.T) {
	env := newWorkspace(t)
	withActivities(env, kit.Activity("ann", "x", kit.Identified("a"), map[string]any{"displayMessageTemplate": "{{actionUser.userId}} did"}))
	var calls sync.WaitGroup
	for _, fields := range []map[string]any{{"entityData": map[string]any{"a": 1}}, {"actionIcon": "i"}} {
		calls.Go(func() {
			_, err := client.Call[any](env.Ctx, env.Keyed, client.UpdateActivities, kit.InAcme(map[string]any{"activities": []any{kit.With(fields, kit.Identified("a"))}}))
			kit.NoError(t, err)
		})
	}
	calls.Wait()
	one := kit.Log(env)[0]
	require.JSONEq(t, `{"a":1}`, string(one.EntityData))
	require.Equal(t, "i", one.ActionIcon)
	require.Equal(t, "ann did", one.DisplayMessage)
	changedActivities(env, map[string]any{"id": "a", "displayMessageTemplate": "{{page}}", "displayMessageTemplateData": map[string]any{"page": "Roses"}, "entityData": nil})
	one = kit.Log(env)[0]
	require.Equal(t, "Roses", one.DisplayMessage)
	require.JSONEq(t, `{}`, string(one.EntityData))
}

func TestActivitiesUpdate_3_OneThatWouldBeTooLarge(t *testing.T) {
	env := newWorkspace(t)
	withActivities(env, kit.Activity("ann", "x", kit.Identified("a"), map[string]any{"entityData": strings.Repeat("x", 20<<10)}), kit.Activity("ann", "x", kit.Identified("b")))
	large := map[string]any{"changes": map[string]any{"text": map[string]any{"from": "", "to": strings.Repeat("y", 20<<10)}}}
	entries := changedActivities(env, kit.With(large, kit.Identified("a")), kit.With(large, kit.Identified("b")), kit.With(large, kit.Identified("c")))
	require.Equal(t, []string{"too-large", "", "not-found"}, []string{string(entries["a"].Code), string(entries["b"].Code), string(entries["c"].Code)})
	require.JSONEq(t, `{}`, string(kit.Log(env, map[string]any{"activityIds": []string{"a"}})[0].Changes), "it stays as it is")
}

func TestActivitiesDelete_2_ImmutableOnesAreKept(t *testing.T) {
	env := newWorkspace(t)
	var all []map[string]any
	for i := range 15 {
		all = append(all, kit.Activity("ann", "x", kit.Identified(fmt.Sprint("a", i)), map[string]any{"immutable": i >= 10}))
	}
	withActivities(env, all...)
	kit.AddActivities(env, "e", kit.Activity("ann", "x", kit.Identified("other")))
	deleted := deleteActivities(env, kit.InDocument("d"))
	require.Len(t, deleted.Data, 10)
	require.Equal(t, []any{int64(5), false}, []any{deleted.ImmutableKept, deleted.HasMore})
	named := deleteActivities(env, map[string]any{"activityIds": []string{"a10", "a1", "other"}}).Data
	require.Equal(t, []string{"immutable", "not-found", ""}, []string{string(named["a10"].Code), string(named["a1"].Code), string(named["other"].Code)})
	require.Equal(t, redline.ItemCodeImmutable, changedActivities(env, kit.With(map[string]any{"actionIcon": "i"}, kit.Identified("a10")))["a10"].Code)
	require.Len(t, kit.Log(env), 5)
	kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("d"))
	require.Empty(t, kit.Log(env), "they go with the document")
}

func TestActivitiesDelete_WhatTheServiceKeptIsImmutable(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "one", map[string]any{"triggerActivities": true}))))
	require.True(t, kit.Log(env)[0].Immutable)
	require.Equal(t, int64(1), deleteActivities(env, map[string]any{"targetEntityId": "n"}).ImmutableKept)
	require.Len(t, kit.Log(env), 1)
}

func TestActivitiesDelete_InPortions(t *testing.T) {
	env := newWorkspace(t)
	withActivities(env)
	for i := range 11 {
		var hundred []map[string]any
		for j := range 100 {
			hundred = append(hundred, kit.Activity("ann", "x", kit.Identified(fmt.Sprint(i, "-", j))))
		}
		kit.AddActivities(env, "d", hundred...)
	}
	deleted := deleteActivities(env, kit.InDocument("d"))
	require.Len(t, deleted.Data, 1000)
	require.True(t, deleted.HasMore)
	deleted = deleteActivities(env, map[string]any{"documentId": "d", "targetEntityId": "x"})
	require.Len(t, deleted.Data, 100)
	require.False(t, deleted.HasMore)
}

func TestActivitiesDelete_5_NoSelectorIsRefused(t *testing.T) {
	env := newWorkspace(t)
	withActivities(env, kit.Activity("ann", "x", kit.Identified("a")))
	for _, selectors := range []map[string]any{nil, {"documentId": nil, "activityIds": []string{"a"}}, {"activityIds": []string{}}} {
		env.RefusedAs("INVALID_ARGUMENT", client.DeleteActivities, kit.InAcme(selectors))
	}
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateActivities, kit.InAcme(map[string]any{"activities": []any{kit.Identified("a")}}))
	require.Equal(t, "document", kit.Details(env, client.DeleteActivities, kit.InAcme(kit.InDocument("unknown")))["resource"])
	require.Equal(t, "organization", kit.Details(env, client.DeleteActivities, map[string]any{"organizationId": "unknown", "documentId": "d"})["resource"])
	require.Empty(t, kit.Log(kit.Elsewhere(env)))
	require.Len(t, kit.Log(env), 1)
}
