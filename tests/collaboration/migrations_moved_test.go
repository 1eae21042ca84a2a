package collaboration

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDocumentsMove_6_DuringAMigration(t *testing.T) {
	isolated, env := waitingForAWorker(t)
	kit.Private(env)
	kit.Folders(env, "from", "to")
	kit.AddToFolder(env, "from", "old")
	kit.Fill(env, "old", 2)
	kit.Grant(env, "guest", kit.Resource("folder", "to"))
	id := kit.Migrates(env, "old", "new")
	require.Equal(t, "permission_denied organizationPrivate", kit.OfDocument(env, "guest", "old"))
	env.Call(client.MoveDocuments, kit.Move("to", "old"), nil)
	require.Equal(t, redline.MigrationStatusPending, kit.Migration(env, id).Status)
	require.Equal(t, "editor organizationPrivate", kit.OfDocument(env, "guest", "old"), "it holds at once")
	require.Equal(t, []string{"old"}, kit.In(env, "to"))
	unknown := map[string]any{"reason": "not-found", "documentIds": []any{"new"}}
	require.Equal(t, unknown, kit.Details(env, client.MoveDocuments, kit.Move("to", "new")), "the new id names nothing yet")

	env = env.Through(isolated.StartProcess("serve").URL)
	require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, id).Status)
	require.Equal(t, []string{"new"}, kit.In(env, "to"))
	require.Empty(t, kit.In(env, "from"))
	require.Equal(t, "editor organizationPrivate", kit.OfDocument(env, "guest", "new"))
	require.Equal(t, map[string][2]int{"old": {}, "new": {2, 2}}, kit.Counts(env, "guest", "old", "new"))
	isolated.AtRest()
}

// until repeats a call about a document, of which the first was acknowledged, until the
// document is not there any more. It returns the numbers of those that were acknowledged.
func until(env *kit.Env, gone string, call func(n int) write) (acknowledged []int) {
	acknowledged = []int{0}
	for deadline, n := time.Now().Add(kit.Patience), 1; time.Now().Before(deadline); n++ {
		w := call(n)
		raw, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, w.operation, w.data)
		if failure := redline.AsError(err); failure != nil && failure.Status == "NOT_FOUND" {
			return acknowledged
		}
		var entries redline.ItemByIDResult
		if !kit.NoError(env.T, err) {
			return acknowledged
		}
		if w.operation == client.UpdateDocuments && kit.NoError(env.T, json.Unmarshal(raw, &entries)) && !entries.Data[gone].Success {
			return acknowledged
		}
		acknowledged = append(acknowledged, n)
	}
	assert.Fail(env.T, "the document is there for ever")
	return acknowledged
}

// Whatever was acknowledged about a document up to the moment of its switch holds under
// the new id; after it the old one names nothing.
func TestMigrate_ChangesUpToTheMomentOfTheSwitch(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Private(env)
	folders := []string{"f", "g"}
	kit.Folders(env, folders...)
	kit.AddToFolder(env, "f", "d0")
	written := 0
	for round := range 10 {
		from, to := fmt.Sprint("d", round), fmt.Sprint("d", round+1)
		user := func(n int) string { return fmt.Sprintf("user %d of %s", n, from) }
		name := func(n int) string { return fmt.Sprintf("name %d of %s", n, from) }
		calls := []func(n int) write{
			func(n int) write { return write{client.MoveDocuments, kit.Move(folders[n%2], from)} },
			func(n int) write {
				return write{client.UpdateDocuments, kit.Document(from, map[string]any{"documentName": name(n)})}
			},
			func(n int) write {
				return write{client.AddPermissions, kit.Granting(user(n), kit.Resource("document", from))}
			},
			func(int) write {
				return write{client.AddAnnotations, kit.Doc(from, map[string]any{"commentAnnotations": []any{kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "a"))}})}
			},
		}
		for _, call := range calls {
			env.Call(call(0).operation, call(0).data, nil)
		}
		done := make([][]int, len(calls))
		id := ""
		kit.Concurrently(len(calls)+1, func(i int) {
			if i < len(calls) {
				done[i] = until(env, from, calls[i])
				return
			}
			accepted, err := client.Call[redline.MigrationIDResult](env.Ctx, env.Keyed, client.Migrate, kit.PairOf(from, to))
			kit.NoError(t, err)
			id = accepted.Data.MigrationID
		})
		require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, id).Status)
		require.Empty(t, kit.Paged(env, client.GetDocuments, kit.TheseDocuments(from)).Data)
		last := func(i int) int { return done[i][len(done[i])-1] }
		require.Equal(t, []string{to}, kit.In(env, folders[last(0)%2]))
		require.Equal(t, name(last(1)), kit.OneDocument(env, to).DocumentName)
		for _, n := range done[2] {
			require.Equal(t, "editor organizationPrivate", kit.OfDocument(env, user(n), to))
		}
		written += len(done[3])
		require.Equal(t, [2]int{written, written}, kit.Counts(env, user(0), to)[to])
		require.EqualValues(t, written, kit.Judgments(env, kit.InAcme(map[string]any{"documentId": to})).Total)
	}
	t.Logf("%d annotations", written)
}

// Two documents take each other's ids by way of a third, and each keeps what is its.
func TestMigrate_TwoDocumentsSwapTheirIds(t *testing.T) {
	env := kit.NewWorkspace(t)
	flow := kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	runs, definitions := map[string]*kit.Run{}, map[string]string{}
	for _, id := range []string{"left", "right"} {
		kit.Annotate(env, kit.Made(id, kit.Annotated("note of "+id, kit.Wrote("ann", "remark of "+id))))
		runs[id], definitions[id] = kit.Dispatch(env, flow, kit.At("acme", id)), kit.Unique("definition")
		kit.Created(env, definitions[id], map[string]any{"scope": map[string]any{"level": "document", "organizationId": "acme", "documentId": id}})
		runs[id].WaitsAt("review")
	}
	kit.Follows(env, "left", "aside")
	kit.Follows(env, "right", "left")
	kit.Follows(env, "aside", "right")
	for was, is := range map[string]string{"left": "right", "right": "left"} {
		found := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc(is)).Data
		require.Equal(t, []any{1, "note of " + was}, []any{len(found), found[0].AnnotationID})
		require.Equal(t, []string{runs[was].ID}, waitsAbout(env, is))
		runs[was].Decide("review", "ann", "approve", "decided of "+was)
		require.Equal(t, []string{is, is}, about(runs[was])[:2])
		require.Equal(t, []string{"remark of " + was, "decided of " + was}, reasonsAt(env, is))
		kit.Dispatch(env, definitions[was], kit.At("acme", is)).Ends("completed")
		env.RefusedAs("INVALID_ARGUMENT", client.StartExecution, redline.DispatchRequest{DefinitionID: definitions[was], OrganizationID: new("acme"), DocumentID: client.Given(was)})
	}
	require.Empty(t, reasonsAt(env, "aside"))
	require.Empty(t, waitsAbout(env, "aside"))
}
