package tests

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	migrate       = "organizations/documents/migrate"
	migrateStatus = "organizations/documents/migrate/status"
)

type migratingView struct {
	MigrationID string `json:"migrationId"`
}

type migrationView struct {
	MigrationID   string `json:"migrationId"`
	Status        string `json:"status"`
	DocumentID    string `json:"documentId"`
	NewDocumentID string `json:"newDocumentId"`
	CreatedAt     int64  `json:"createdAt"`
	CompletedAt   *int64 `json:"completedAt"`
	Error         *struct{ Code, Message string }
}

func pairOf(from, to string) map[string]any { return doc(from, map[string]any{"newDocumentId": to}) }

// migrates asks for a migration and gives its id.
func (s *scene) migrates(from, to string) string {
	s.t.Helper()
	var accepted client.Wrapped[migratingView]
	s.call(migrate, pairOf(from, to), &accepted)
	require.Regexp(s.t, "^mig_", accepted.Data.MigrationID)
	return accepted.Data.MigrationID
}

func (s *scene) migration(id string) migrationView {
	s.t.Helper()
	var found client.Wrapped[migrationView]
	s.call(migrateStatus, map[string]any{"organizationId": "acme", "migrationId": id}, &found)
	return found.Data
}

// migrated waits for the end of a migration and gives how it ended.
func (s *scene) migrated(id string) migrationView {
	s.t.Helper()
	var last migrationView
	within(s.t, patience, "the migration has ended", func() bool {
		last = s.migration(id)
		return last.Status == "completed" || last.Status == "failed"
	})
	require.NotNil(s.t, last.CompletedAt)
	return last
}

// fill adds annotations to a document, 100 a call.
func (s *scene) fill(documentID string, n int) {
	s.t.Helper()
	for from := 0; from < n; from += 100 {
		var list []map[string]any
		for i := from; i < min(from+100, n); i++ {
			list = append(list, annotated(unique("note"), wrote("ann", "A remark.")))
		}
		require.Len(s.t, s.annotate(made(documentID, list...)), len(list))
	}
}

// total is how many annotations a document has.
func (s *scene) total(documentID string) int { return s.counts("ann", documentID)[documentID][0] }

func TestMigrate_1_ManyCallsForOnePairAreOneMigration(t *testing.T) {
	s, _ := beginAt(t, undriven) // the migration stays open
	s.fill("old", 1)
	var ids sync.Map
	together(100, func(int) {
		accepted, err := client.Call[client.Wrapped[migratingView]](s.ctx, s.keyed, migrate, pairOf("old", "new"))
		if fine(t, err) {
			ids.Store(accepted.Data.MigrationID, true)
		}
	})
	found := []any{}
	ids.Range(func(id, _ any) bool { found = append(found, id); return true })
	require.Equal(t, []any{s.migrates("old", "new")}, found)

	s.fill("third", 1)
	require.Equal(t, "aborted", s.refusedAs("ABORTED", migrate, pairOf("old", "another")).Reason)
	require.Equal(t, "aborted", s.refusedAs("ABORTED", migrate, pairOf("third", "new")).Reason)
	require.Equal(t, "already-exists", s.refusedAs("ALREADY_EXISTS", migrate, pairOf("third", "old")).Reason)
	s.refusedAs("INVALID_ARGUMENT", migrate, pairOf("third", "third"))
	s.refusedAs("NOT_FOUND", migrate, pairOf("unknown", "elsewhere"))
	elsewhere := pairOf("old", "new")
	elsewhere["organizationId"] = "another"
	s.refusedAs("NOT_FOUND", migrate, elsewhere)
}

func TestMigrate_2andStatus_1and2_ReadersSeeAllOrNothing(t *testing.T) {
	s := begin(t)
	const annotations, rounds = 400, 4
	s.fill("d0", annotations)
	for round := range rounds {
		from, to := fmt.Sprint("d", round), fmt.Sprint("d", round+1)
		var over atomic.Bool
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for !over.Load() {
					found := s.counts("ann", from, to)
					assert.Equal(t, annotations, found[from][0]+found[to][0], "never half, never twice")
					assert.Contains(t, []int{0, annotations}, found[from][0])
				}
			})
		}
		id := s.migrates(from, to)
		order := map[string]int{"pending": 0, "in_progress": 1, "completed": 2}
		reached := 0
		within(t, patience, "the migration has ended", func() bool {
			status := s.migration(id).Status
			require.Contains(t, order, status)
			require.GreaterOrEqual(t, order[status], reached, "a status never goes back")
			reached = order[status]
			return reached == 2
		})
		require.Equal(t, annotations, s.total(to), "completed: so it can be read")
		over.Store(true)
		readers.Wait()
		require.Zero(t, s.total(from))
	}
	again := s.refusedAs("NOT_FOUND", migrate, pairOf("d0", "d1"))
	require.Regexp(t, "^mig_", again.MigrationID, "who asks again for a pair finds its migration")
	s.fill("d0", 3) // the old id is free and names a new document
	require.Equal(t, 3, s.total("d0"))
}

func TestMigrate_3_EverybodyDiesAfterTheAnswer(t *testing.T) {
	l := newLab(t)
	api := l.start("api")
	s := l.begin(api)
	s.fill("old", 5)
	id := s.migrates("old", "new")
	require.Equal(t, "pending", s.migration(id).Status)
	api.Kill()
	s = s.through(l.start("serve").URL)
	require.Equal(t, "completed", s.migrated(id).Status)
	require.Equal(t, map[string][2]int{"old": {0, 0}, "new": {5, 5}}, s.counts("bob", "old", "new"))
	l.atRest()
}

func TestMigrate_4andStatus_3_EngineAway(t *testing.T) {
	l := newLab(t)
	engine := beforePart(t, "REDLINE_TEMPORAL_ADDR")
	s := l.begin(l.start("serve", "REDLINE_TEMPORAL_ADDR="+engine.Addr()))
	s.fill("old", 2)
	engine.Down()
	id := s.migrates("old", "new")
	s.fill("old", 1) // until the switch the document takes writes as ever
	require.Equal(t, "pending", s.migration(id).Status)
	require.Equal(t, 3, s.total("old"))
	require.NoError(t, engine.Up())
	require.Equal(t, "completed", s.migrated(id).Status)
	require.Equal(t, 3, s.total("new"))
}

func TestMigrate_6_OnAndOn(t *testing.T) {
	s := begin(t)
	s.fill("A", 3)
	first := s.migrates("A", "B")
	require.Equal(t, "completed", s.migrated(first).Status)
	require.Equal(t, "completed", s.migrated(s.migrates("B", "C")).Status)
	require.Equal(t, map[string][2]int{"A": {0, 0}, "B": {0, 0}, "C": {3, 3}}, s.counts("bob", "A", "B", "C"))
	view := s.migration(first)
	require.Equal(t, []string{"completed", "A", "B"}, []string{view.Status, view.DocumentID, view.NewDocumentID})
	other := s.elsewhere()
	other.refusedAs("NOT_FOUND", migrateStatus, map[string]any{"organizationId": "acme", "migrationId": first})
	s.refusedAs("NOT_FOUND", migrateStatus, map[string]any{"organizationId": "other", "migrationId": first})
	s.refusedAs("NOT_FOUND", migrateStatus, map[string]any{"organizationId": "acme", "migrationId": "mig_unknown"})
}

func TestMigrate_7_PageTokenFromBefore(t *testing.T) {
	s := begin(t)
	s.fill("old", 4)
	page := older[[]annotationView](s, getAnnotations, doc("old", map[string]any{"pageSize": 2}))
	require.Len(t, page.Data, 2)
	require.NotEmpty(t, page.NextPageToken)
	s.migrated(s.migrates("old", "new"))
	reply := s.olderReply(getAnnotations, doc("old", map[string]any{"pageSize": 2, "pageToken": page.NextPageToken}))
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	after := older[[]annotationView](s, getAnnotations, doc("old", map[string]any{"pageSize": 2, "pageToken": page.NextPageToken}))
	require.Empty(t, after.Data)
	require.Empty(t, after.NextPageToken)
}

// jobsEnd waits until no job is left that has not ended.
func (l *lab) jobsEnd() {
	l.t.Helper()
	rows := l.rows()
	within(l.t, patience, "no job is left", func() bool {
		var open int
		require.NoError(l.t, rows.QueryRow(l.t.Context(), `SELECT count(*) FROM jobs WHERE ended_at IS NULL AND $1 IN ('', workspace_id)`, l.workspaceID).Scan(&open))
		return open == 0
	})
}

// waitingForAWorker is a scene at a process without a worker, where a migration stays
// open.
func waitingForAWorker(t *testing.T) (*lab, *scene) {
	t.Helper()
	l := newLab(t)
	return l, l.begin(l.start("api"))
}

func TestMigrate_5_NobodyElseMakesTheNewId(t *testing.T) {
	l, s := waitingForAWorker(t)
	s.fill("old", 2)
	id := s.migrates("old", "new")
	note := annotated(unique("note"), wrote("ann", "Too early."))
	require.Equal(t, "migration-in-progress", s.refusedAs("ABORTED", addAnnotations, made("new", note)).Reason)
	s.otherFaultsFirst()
	people := doc("new", map[string]any{"createDocument": true, "users": users("ann")})
	require.Equal(t, "migration-in-progress", s.refusedAs("ABORTED", "users/add", people).Reason)
	added := s.items(addDocuments, inAcme(map[string]any{"documents": []map[string]any{{"documentId": "new"}, {"documentId": "beside"}}}))
	require.Equal(t, "in-progress", added["new"].Code)
	require.True(t, added["beside"].Success)
	require.Equal(t, "in-progress", s.items(deleteDocuments, inAcme(map[string]any{"documentIds": []string{"old"}}))["old"].Code)
	require.Equal(t, map[string][2]int{"old": {3, 3}, "new": {0, 0}}, s.counts("bob", "old", "new"), "no stray document")

	s = s.through(l.start("serve").URL)
	require.Equal(t, "completed", s.migrated(id).Status)
	s.annotate(doc("new", map[string]any{"commentAnnotations": []map[string]any{note}}))
	require.Equal(t, map[string][2]int{"old": {0, 0}, "new": {4, 4}}, s.counts("bob", "old", "new"))
	require.ElementsMatch(t, []string{"new", "beside"}, idsIn(s.walked(getDocuments, inAcme())))
}

// otherFaultsFirst proves that what else is wrong with an addition to the reserved
// document "new" is answered before that it is reserved.
func (s *scene) otherFaultsFirst() {
	s.t.Helper()
	nobody := map[string]any{"agentSource": "svc", "agentId": "nobody", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
	s.refusedAs("NOT_FOUND", addAnnotations, made("new", annotated(unique("note"), wrote("ann", "Unknown.", map[string]any{"agent": nobody}))))
	known := annotated(unique("note"), wrote("ann", "Here first."))
	s.annotate(doc("old", map[string]any{"commentAnnotations": []map[string]any{known}}))
	s.refusedAs("ALREADY_EXISTS", addAnnotations, made("new", known))
	s.call("users/add", inAcme(map[string]any{"users": []map[string]any{{"userId": "vic", "accessRole": "viewer"}}}), nil)
	denied := made("new", annotated(unique("note"), wrote("vic", "May I?")))
	denied["verifyUserPermissions"] = true
	s.refusedAs("PERMISSION_DENIED", addAnnotations, denied)
}

func TestMigrate_8_WhatIsDeletedMeanwhileIsNotMigrated(t *testing.T) {
	l, s := waitingForAWorker(t)
	s.topFolders("acme", "drafts")
	s.fill("old", 1)
	s.fill("kept", 1)
	s.call(moveDocuments, move("drafts", "old"), nil)
	failing, completing := s.migrates("old", "new"), s.migrates("kept", "moved")
	s.call(moveDocuments, move("drafts", "kept"), nil)
	s.call(moveDocuments, move("root", "kept"), nil)
	s.call(deleteFolder, inAcme(map[string]any{"folderId": "drafts"}), nil)
	s.topFolders("other", "any")
	s.annotate(map[string]any{"organizationId": "other", "documentId": "x", "createDocument": true, "commentAnnotations": []map[string]any{annotated("x", wrote("ann", "x"))}})
	var gone client.Wrapped[migratingView]
	s.call(migrate, map[string]any{"organizationId": "other", "documentId": "x", "newDocumentId": "y"}, &gone)
	require.True(t, s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"other"}})["other"].Success)
	asked := map[string]any{"organizationId": "other", "migrationId": gone.Data.MigrationID}
	s.refusedAs("NOT_FOUND", migrateStatus, asked)

	s = s.through(l.start("serve").URL)
	ended := s.migrated(failing)
	require.Equal(t, "failed", ended.Status)
	require.Equal(t, "NOT_FOUND", ended.Error.Code)
	require.Equal(t, "completed", s.migrated(completing).Status)
	require.Equal(t, 1, s.total("moved"), "the folder follows to the new id")
	s.fill("new", 1) // the reservation ended with the migration
	s.fill("old", 2)
	require.NotEqual(t, failing, s.migrates("old", "elsewhere"))
	s.refusedAs("NOT_FOUND", migrateStatus, asked)
	l.jobsEnd()
	l.atRest()
}

// What is deleted is removed in the end, with all that belongs to it, and nothing else.
func TestRemoval_NothingOfWhatIsDeletedStays(t *testing.T) {
	s, l := beginAt(t, twoProcesses)
	tables := []string{"organizations", "folders", "documents", "profiles", "grants", "annotations", "comments", "activities", "notifications", "judgments"}
	rows := l.rows()
	counted := func() map[string]int {
		found := map[string]int{}
		for _, table := range tables {
			var n int
			require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE workspace_id = $1`, s.workspace.ID).Scan(&n))
			found[table] = n
		}
		return found
	}
	fill := func(organization, document string) {
		s.items("users/add", map[string]any{"organizationId": organization, "documentId": document, "createDocument": true, "users": users("ann", "bob")})
		for range 3 {
			s.annotate(map[string]any{"organizationId": organization, "documentId": document, "commentAnnotations": []map[string]any{
				annotated(unique("note"), wrote("ann", "One."), wrote("bob", "Two.", loud)),
			}})
		}
	}
	fill("kept", "spring")
	before := counted()
	fill("acme", "spring")
	fill("acme", "summer")
	fill("acme", "autumn")
	s.topFolders("acme", "drafts", "old")
	s.call(moveDocuments, move("drafts", "summer"), nil)
	s.call(deleteFolder, inAcme(map[string]any{"folderId": "drafts"}), nil)
	s.items(deleteDocuments, inAcme(map[string]any{"documentIds": []string{"spring"}}))
	s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	fill("acme", "spring") // the ids are free at once
	within(t, patience, "what was deleted is gone", func() bool {
		var open, deleted int
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM jobs WHERE workspace_id = $1 AND ended_at IS NULL`, s.workspace.ID).Scan(&open))
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM organizations WHERE workspace_id = $1 AND organization_id IS NULL`, s.workspace.ID).Scan(&deleted))
		return open+deleted == 0
	})
	after := counted()
	for _, table := range tables {
		require.Equal(t, 2*before[table], after[table], table)
	}
	l.atRest()
}
