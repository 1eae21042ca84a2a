package collaboration

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// total is how many annotations a document has.
func total(env *kit.Env, documentID string) int {
	return kit.Counts(env, "ann", documentID)[documentID][0]
}

func TestMigrate_2andStatus_1and2_ReadersSeeAllOrNothing(t *testing.T) {
	env := kit.NewWorkspace(t)
	const annotations, rounds = 400, 4
	kit.Fill(env, "d0", annotations)
	for round := range rounds {
		from, to := fmt.Sprint("d", round), fmt.Sprint("d", round+1)
		var over atomic.Bool
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for !over.Load() {
					found := kit.Counts(env, "ann", from, to)
					assert.Equal(t, annotations, found[from][0]+found[to][0], "never half, never twice")
					assert.Contains(t, []int{0, annotations}, found[from][0])
				}
			})
		}
		id := kit.Migrates(env, from, to)
		order := map[string]int{"pending": 0, "in_progress": 1, "completed": 2}
		reached := 0
		kit.RequireWithin(t, kit.Patience, "the migration has ended", func() bool {
			status := kit.Migration(env, id).Status
			require.Contains(t, order, string(status))
			require.GreaterOrEqual(t, order[string(status)], reached, "a status never goes back")
			reached = order[string(status)]
			return reached == 2
		})
		require.Equal(t, annotations, total(env, to), "completed: so it can be read")
		over.Store(true)
		readers.Wait()
		require.Zero(t, total(env, from))
	}
	again := env.RefusedAs("NOT_FOUND", client.Migrate, kit.PairOf("d0", "d1"))
	require.Regexp(t, "^mig_", again.Details.MigrationID, "who asks again for a pair finds its migration")
	kit.Fill(env, "d0", 3) // the old id is free and names a new document
	require.Equal(t, 3, total(env, "d0"))
}

func TestMigrate_3_EverybodyDiesAfterTheAnswer(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api")
	env := isolated.NewWorkspace(api)
	kit.Fill(env, "old", 5)
	id := kit.Migrates(env, "old", "new")
	require.Equal(t, redline.MigrationStatusPending, kit.Migration(env, id).Status)
	api.Kill()
	env = env.Through(isolated.StartProcess("serve").URL)
	require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, id).Status)
	require.Equal(t, map[string][2]int{"old": {0, 0}, "new": {5, 5}}, kit.Counts(env, "bob", "old", "new"))
	isolated.AtRest()
}

func TestMigrate_4andStatus_3_TemporalAway(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	engine := kit.BeforePart(t, "REDLINE_TEMPORAL_ADDR")
	env := isolated.NewWorkspace(isolated.StartProcess("serve", "REDLINE_TEMPORAL_ADDR="+engine.Addr()))
	kit.Fill(env, "old", 2)
	engine.Down()
	id := kit.Migrates(env, "old", "new")
	kit.Fill(env, "old", 1) // until the switch the document takes writes as ever
	require.Equal(t, redline.MigrationStatusPending, kit.Migration(env, id).Status)
	require.Equal(t, 3, total(env, "old"))
	require.NoError(t, engine.Up())
	require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, id).Status)
	require.Equal(t, 3, total(env, "new"))
}

func TestMigrate_6_OnAndOn(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Fill(env, "A", 3)
	first := kit.Migrates(env, "A", "B")
	require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, first).Status)
	require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, kit.Migrates(env, "B", "C")).Status)
	require.Equal(t, map[string][2]int{"A": {0, 0}, "B": {0, 0}, "C": {3, 3}}, kit.Counts(env, "bob", "A", "B", "C"))
	view := kit.Migration(env, first)
	require.Equal(t, []string{"completed", "A", "B"}, []string{string(view.Status), view.DocumentID, view.NewDocumentID})
	other := kit.Elsewhere(env)
	other.RefusedAs("NOT_FOUND", client.MigrateStatus, map[string]any{"organizationId": "acme", "migrationId": first})
	env.RefusedAs("NOT_FOUND", client.MigrateStatus, map[string]any{"organizationId": "other", "migrationId": first})
	env.RefusedAs("NOT_FOUND", client.MigrateStatus, map[string]any{"organizationId": "acme", "migrationId": "mig_unknown"})
}

func TestMigrate_7_PageTokenFromBefore(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Fill(env, "old", 4)
	page := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("old", map[string]any{"pageSize": 2}))
	require.Len(t, page.Data, 2)
	require.NotEmpty(t, page.NextPageToken)
	kit.Migrated(env, kit.Migrates(env, "old", "new"))
	reply := kit.OlderReply(env, kit.GetAnnotations, kit.Doc("old", map[string]any{"pageSize": 2, "pageToken": page.NextPageToken}))
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	after := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("old", map[string]any{"pageSize": 2, "pageToken": page.NextPageToken}))
	require.Empty(t, after.Data)
	require.Empty(t, after.NextPageToken)
}

// jobsEnd waits until no job is left that has not ended.
func jobsEnd(isolated *kit.IsolatedStack) {
	isolated.T.Helper()
	rows := isolated.DB()
	kit.RequireWithin(isolated.T, kit.Patience, "no job is left", func() bool {
		var open int
		require.NoError(isolated.T, rows.QueryRow(isolated.T.Context(), `SELECT count(*) FROM jobs WHERE ended_at IS NULL AND $1 IN ('', workspace_id)`, isolated.WorkspaceID).Scan(&open))
		return open == 0
	})
}

// waitingForAWorker is a workspace at a process without a worker, where a migration stays
// open.
func waitingForAWorker(t *testing.T) (*kit.IsolatedStack, *kit.Env) {
	t.Helper()
	isolated := kit.NewIsolatedStack(t)
	return isolated, isolated.NewWorkspace(isolated.StartProcess("api"))
}

func TestMigrate_5_NobodyElseMakesTheNewId(t *testing.T) {
	isolated, env := waitingForAWorker(t)
	kit.Fill(env, "old", 2)
	id := kit.Migrates(env, "old", "new")
	note := kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "Too early."))
	require.Equal(t, redline.ErrorDetailsReasonMigrationInProgress, env.RefusedAs("ABORTED", client.AddAnnotations, kit.Made("new", note)).Reason)
	reservedBeforeOtherFaults(env)
	people := kit.Doc("new", map[string]any{"createDocument": true, "users": kit.Users("ann")})
	require.Equal(t, redline.ErrorDetailsReasonMigrationInProgress, env.RefusedAs("ABORTED", client.AddUsers, people).Reason)
	added := kit.Items(env, client.AddDocuments, kit.InAcme(map[string]any{"documents": []map[string]any{{"documentId": "new"}, {"documentId": "beside"}}}))
	require.Equal(t, redline.ItemCodeInProgress, added["new"].Code)
	require.True(t, added["beside"].Success)
	require.Equal(t, redline.ItemCodeInProgress, kit.Items(env, client.DeleteDocuments, kit.InAcme(map[string]any{"documentIds": []string{"old"}}))["old"].Code)
	require.Equal(t, map[string][2]int{"old": {3, 3}, "new": {0, 0}}, kit.Counts(env, "bob", "old", "new"), "no stray document")

	env = env.Through(isolated.StartProcess("serve").URL)
	require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, id).Status)
	kit.Annotate(env, kit.Doc("new", map[string]any{"commentAnnotations": []map[string]any{note}}))
	require.Equal(t, map[string][2]int{"old": {0, 0}, "new": {4, 4}}, kit.Counts(env, "bob", "old", "new"))
	require.ElementsMatch(t, []string{"new", "beside"}, kit.IDsIn(kit.Walked(env, client.GetDocuments, kit.InAcme())))
}

// reservedBeforeOtherFaults proves that an addition to the reserved document "new" is answered
// that it is reserved before what else is wrong with it.
func reservedBeforeOtherFaults(env *kit.Env) {
	env.T.Helper()
	nobody := map[string]any{"agentSource": "svc", "agentId": "nobody", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
	env.RefusedAs("ABORTED", client.AddAnnotations, kit.Made("new", kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "Unknown.", map[string]any{"agent": nobody}))))
	known := kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "Here first."))
	kit.Annotate(env, kit.Doc("old", map[string]any{"commentAnnotations": []map[string]any{known}}))
	env.RefusedAs("ABORTED", client.AddAnnotations, kit.Made("new", known))
	env.Call(client.AddUsers, kit.InAcme(map[string]any{"users": []map[string]any{{"userId": "vic", "accessRole": "viewer"}}}), nil)
	denied := kit.Made("new", kit.Annotated(kit.Unique("note"), kit.Wrote("vic", "May I?")))
	denied["verifyUserPermissions"] = true
	env.RefusedAs("ABORTED", client.AddAnnotations, denied)
}

func TestMigrate_8_WhatIsDeletedMeanwhileIsNotMigrated(t *testing.T) {
	isolated, env := waitingForAWorker(t)
	kit.TopFolders(env, "acme", "drafts")
	kit.Fill(env, "old", 1)
	kit.Fill(env, "kept", 1)
	env.Call(client.MoveDocuments, kit.Move("drafts", "old"), nil)
	failing, completing := kit.Migrates(env, "old", "new"), kit.Migrates(env, "kept", "moved")
	env.Call(client.MoveDocuments, kit.Move("drafts", "kept"), nil)
	env.Call(client.MoveDocuments, kit.Move("root", "kept"), nil)
	env.Call(client.DeleteFolder, kit.InAcme(map[string]any{"folderId": "drafts"}), nil)
	kit.TopFolders(env, "other", "any")
	kit.Annotate(env, map[string]any{"organizationId": "other", "documentId": "x", "createDocument": true, "commentAnnotations": []map[string]any{kit.Annotated("x", kit.Wrote("ann", "x"))}})
	var gone redline.MigrationIDResult
	env.Call(client.Migrate, map[string]any{"organizationId": "other", "documentId": "x", "newDocumentId": "y"}, &gone)
	require.True(t, kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"other"}})["other"].Success)
	asked := map[string]any{"organizationId": "other", "migrationId": gone.Data.MigrationID}
	env.RefusedAs("NOT_FOUND", client.MigrateStatus, asked)

	env = env.Through(isolated.StartProcess("serve").URL)
	ended := kit.Migrated(env, failing)
	require.Equal(t, redline.MigrationStatusFailed, ended.Status)
	require.Equal(t, "NOT_FOUND", ended.Error.Code)
	require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, completing).Status)
	require.Equal(t, 1, total(env, "moved"), "the folder follows to the new id")
	kit.Fill(env, "new", 1) // the reservation ended with the migration
	kit.Fill(env, "old", 2)
	require.NotEqual(t, failing, kit.Migrates(env, "old", "elsewhere"))
	env.RefusedAs("NOT_FOUND", client.MigrateStatus, asked)
	jobsEnd(isolated)
	isolated.AtRest()
}

// What is deleted is removed in the end, with all that belongs to it, and nothing else.
func TestRemoval_NothingOfWhatIsDeletedStays(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.TwoProcesses)
	tables := []string{"organizations", "folders", "document_rows", "profiles", "grants", "annotations", "comments", "activities", "notifications", "judgments"}
	rows := isolated.DB()
	counted := func() map[string]int {
		found := map[string]int{}
		for _, table := range tables {
			var n int
			require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE workspace_id = $1`, env.Workspace.ID).Scan(&n))
			found[table] = n
		}
		return found
	}
	fill := func(organization, document string) {
		kit.Items(env, client.AddUsers, map[string]any{"organizationId": organization, "documentId": document, "createDocument": true, "users": kit.Users("ann", "bob")})
		for range 3 {
			kit.Annotate(env, map[string]any{"organizationId": organization, "documentId": document, "commentAnnotations": []map[string]any{
				kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "One."), kit.Wrote("bob", "Two.", kit.Loud)),
			}})
		}
	}
	fill("kept", "spring")
	before := counted()
	fill("acme", "spring")
	fill("acme", "summer")
	fill("acme", "autumn")
	kit.TopFolders(env, "acme", "drafts", "old")
	env.Call(client.MoveDocuments, kit.Move("drafts", "summer"), nil)
	env.Call(client.DeleteFolder, kit.InAcme(map[string]any{"folderId": "drafts"}), nil)
	kit.Items(env, client.DeleteDocuments, kit.InAcme(map[string]any{"documentIds": []string{"spring"}}))
	kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	fill("acme", "spring") // the ids are free at once
	kit.RequireWithin(t, kit.Patience, "what was deleted is gone", func() bool {
		var open, deleted int
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM jobs WHERE workspace_id = $1 AND ended_at IS NULL`, env.Workspace.ID).Scan(&open))
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM organizations WHERE workspace_id = $1 AND organization_id IS NULL`, env.Workspace.ID).Scan(&deleted))
		return open+deleted == 0
	})
	after := counted()
	for _, table := range tables {
		require.Equal(t, 2*before[table], after[table], table)
	}
	isolated.AtRest()
}
