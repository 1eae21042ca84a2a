package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// write is a call that changes something in acme, which has the documents d and e and
// the folders f and g.
type write struct {
	operation string
	data      map[string]any
}

// writes are n calls of all kinds.
func writes(n int) []write {
	note := func() []any { return []any{annotated(unique("note"), wrote("ann", "a", loud))} }
	all := make([]write, 0, n+10)
	for i := 0; len(all) < n; i++ {
		all = append(all,
			write{addAnnotations, doc("d", map[string]any{"commentAnnotations": note()})},
			write{addAnnotations, doc(fmt.Sprint("new", i), map[string]any{"createDocument": true, "commentAnnotations": note()})},
			write{addFolders, acmeWith("folders", []any{folder(fmt.Sprintf("h%d in g", i))})},
			write{addDocuments, inAcme(map[string]any{"folderId": "g", "documents": []any{map[string]any{"documentId": fmt.Sprint("in", i)}}})},
			write{addPermissions, granting(fmt.Sprint("user", i), resource("document", "d"), resource("folder", "g"))},
			write{moveDocuments, move([]string{"f", "g", "root"}[i%3], "d", "e")},
			write{migrate, pairOf("e", fmt.Sprint("moved", i))},
			write{"users/add", acme(map[string]any{"createOrganization": false}, users(fmt.Sprint("person", i))...)},
			write{addGroups, groups("acme", "legal", fmt.Sprint("group", i))},
			write{addGroupUsers, inGroup("legal", "ann", fmt.Sprint("person", i))},
		)
	}
	return all[:n]
}

// try makes the call. It succeeds, or what it names is not there any more; a second
// migration of a document may be refused as well.
func (w write) try(s *scene) (missed bool) {
	_, err := client.Call[json.RawMessage](s.ctx, s.keyed, w.operation, w.data)
	failure := client.Refusal(err)
	if failure == nil {
		return !fine(s.t, err)
	}
	missed = failure.Status == "NOT_FOUND"
	if !missed && (w.operation != migrate || failure.Status != "ABORTED") {
		fine(s.t, err)
	}
	return missed
}

// All who write into an organization while it is deleted are refused, or what they
// wrote goes with it; nothing of it is seen in the one that has the id next, and no row
// of it stays.
func TestOrganizations_4_ManyWritersWhileItIsDeleted(t *testing.T) {
	s, l := beginAt(t, twoProcesses)
	flow := s.define([]client.Node{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	whole := map[string]any{"organizationIds": []string{"acme"}}
	for range 3 {
		s.folders("f", "g in f")
		s.put("f", "d", "e")
		s.fill("d", 20)
		s.items(addGroups, groups("acme", "legal", "press"))
		s.items("users/add", acme(nil, users("ann")...))
		s.joins("legal", "ann")
		s.joins("press", "ann")
		r := s.dispatch(flow, at("acme", "d"))
		r.waitsAt("review")
		all := append(writes(80), write{deleteOrganizations, whole})
		missed := make([]bool, len(all))
		together(len(all), func(i int) { missed[i] = all[i].try(s) })
		require.False(t, missed[len(all)-1])
		r.decide("review", "ann", "approve", "late") // it goes on, and makes no judgment
		r.ends("completed")

		s.items(addOrganizations, organizations("acme"))
		s.seesNothing("d")
		require.Empty(t, s.walked(getDocuments, inAcme()))
		require.Empty(t, s.tree())
		require.Empty(t, s.groupsOf("acme"))
		require.Empty(t, s.recorded(inAcme()))
		require.Equal(t, "not-found", s.items("users/update", acme(nil, users("ann")...))["ann"].Code)
		require.True(t, s.items(deleteOrganizations, whole)["acme"].Success)
	}
	l.emptyOf("organizations", "folders", "documents", "document_migrations", "profiles", "grants", "user_groups", "user_group_members", "annotations", "comments", "read_marks", "document_read_marks",
		"notifications", "notification_recipients", "activities", "deleted_annotations", "judgments")
	l.atRest()
}

// emptyOf waits until no job is left and then proves that tables are empty.
func (l *lab) emptyOf(tables ...string) {
	l.t.Helper()
	l.jobsEnd()
	rows := l.rows()
	for _, table := range tables {
		var left int
		require.NoError(l.t, rows.QueryRow(l.t.Context(), `SELECT count(*) FROM `+table+` WHERE $1 IN ('', workspace_id)`, l.workspaceID).Scan(&left))
		require.Zero(l.t, left, table)
	}
}
