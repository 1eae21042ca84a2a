package collaboration

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// write is a call that changes something in acme, which has the documents d and e and
// the folders f and g.
type write struct {
	operation string
	data      map[string]any
}

// writes are n calls of all kinds.
func writes(n int) []write {
	note := func() []any { return []any{kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "a", kit.Loud))} }
	all := make([]write, 0, n+10)
	for i := 0; len(all) < n; i++ {
		all = append(all,
			write{client.AddAnnotations, kit.Doc("d", map[string]any{"commentAnnotations": note()})},
			write{client.AddAnnotations, kit.Doc(fmt.Sprint("new", i), map[string]any{"createDocument": true, "commentAnnotations": note()})},
			write{client.AddFolders, kit.AcmeWith("folders", []any{kit.Folder(fmt.Sprintf("h%d in g", i))})},
			write{client.AddDocuments, kit.InAcme(map[string]any{"folderId": "g", "documents": []any{map[string]any{"documentId": fmt.Sprint("in", i)}}})},
			write{client.AddPermissions, kit.Granting(fmt.Sprint("user", i), kit.Resource("document", "d"), kit.Resource("folder", "g"))},
			write{client.MoveDocuments, kit.Move([]string{"f", "g", "root"}[i%3], "d", "e")},
			write{client.Migrate, kit.PairOf("e", fmt.Sprint("moved", i))},
			write{client.AddUsers, kit.Acme(map[string]any{"createOrganization": false}, kit.Users(fmt.Sprint("person", i))...)},
			write{client.AddGroups, kit.Groups("acme", "legal", fmt.Sprint("group", i))},
			write{client.AddGroupUsers, kit.InGroup("legal", "ann", fmt.Sprint("person", i))},
		)
	}
	return all[:n]
}

// try makes the call. It succeeds, or what it names is not there any more; a second
// migration of a document may be refused as well.
func (w write) try(env *kit.Env) (missed bool) {
	_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, w.operation, w.data)
	failure := redline.AsError(err)
	if failure == nil {
		return !kit.NoError(env.T, err)
	}
	missed = failure.Status == "NOT_FOUND"
	if !missed && (w.operation != client.Migrate || failure.Status != "ABORTED") {
		kit.NoError(env.T, err)
	}
	return missed
}

// All who write into an organization while it is deleted are refused, or what they
// wrote goes with it; nothing of it is seen in the one that has the id next, and no row
// of it stays.
func TestOrganizations_4_ManyWritersWhileItIsDeleted(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.TwoProcesses)
	flow := kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	whole := map[string]any{"organizationIds": []string{"acme"}}
	for range 3 {
		kit.Folders(env, "f", "g in f")
		kit.AddToFolder(env, "f", "d", "e")
		kit.Fill(env, "d", 20)
		kit.Items(env, client.AddGroups, kit.Groups("acme", "legal", "press"))
		kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann")...))
		kit.Joins(env, "legal", "ann")
		kit.Joins(env, "press", "ann")
		r := kit.Dispatch(env, flow, kit.At("acme", "d"))
		r.WaitsAt("review")
		all := append(writes(80), write{client.DeleteOrganizations, whole})
		missed := make([]bool, len(all))
		kit.Concurrently(len(all), func(i int) { missed[i] = all[i].try(env) })
		require.False(t, missed[len(all)-1])
		r.Decide("review", "ann", "approve", "late") // it goes on, and makes no judgment
		r.Ends("completed")

		kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
		kit.SeesNothing(env, "d")
		require.Empty(t, kit.Walked(env, client.GetDocuments, kit.InAcme()))
		require.Empty(t, kit.Tree(env))
		require.Empty(t, kit.GroupsOf(env, "acme"))
		require.Empty(t, kit.RecordedReasons(env, kit.InAcme()))
		require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.UpdateUsers, kit.Acme(nil, kit.Users("ann")...))["ann"].Code)
		require.True(t, kit.Items(env, client.DeleteOrganizations, whole)["acme"].Success)
	}
	emptyOf(isolated, "organizations", "folders", "document_rows", "document_migrations", "profiles", "grants", "user_groups", "user_group_members", "annotations", "comments", "read_marks", "document_read_marks",
		"notifications", "notification_recipients", "activities", "deleted_annotations", "judgments")
	isolated.AtRest()
}

// emptyOf waits until no job is left and then proves that tables are empty.
func emptyOf(isolated *kit.IsolatedStack, tables ...string) {
	isolated.T.Helper()
	jobsEnd(isolated)
	rows := isolated.DB()
	for _, table := range tables {
		var left int
		require.NoError(isolated.T, rows.QueryRow(isolated.T.Context(), `SELECT count(*) FROM `+table+` WHERE $1 IN ('', workspace_id)`, isolated.WorkspaceID).Scan(&left))
		require.Zero(isolated.T, left, table)
	}
}
