package tests

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestDocumentsMove_6_DuringAMigration(t *testing.T) {
	l, s := waitingForAWorker(t)
	s.private()
	s.folders("from", "to")
	s.put("from", "old")
	s.fill("old", 2)
	s.grants("guest", resource("folder", "to"))
	id := s.migrates("old", "new")
	require.Equal(t, "permission_denied organizationPrivate", s.ofDocument("guest", "old"))
	s.call(moveDocuments, move("to", "old"), nil)
	require.Equal(t, "pending", s.migration(id).Status)
	require.Equal(t, "editor organizationPrivate", s.ofDocument("guest", "old"), "it holds at once")
	require.Equal(t, []string{"old"}, s.in("to"))
	unknown := map[string]any{"reason": "not-found", "documentIds": []any{"new"}}
	require.Equal(t, unknown, s.details(moveDocuments, move("to", "new")), "the new id names nothing yet")

	s = s.through(l.start("serve").URL)
	require.Equal(t, "completed", s.migrated(id).Status)
	require.Equal(t, []string{"new"}, s.in("to"))
	require.Empty(t, s.in("from"))
	require.Equal(t, "editor organizationPrivate", s.ofDocument("guest", "new"))
	require.Equal(t, map[string][2]int{"old": {}, "new": {2, 2}}, s.counts("guest", "old", "new"))
	l.atRest()
}

// until repeats a call about a document, of which the first was acknowledged, until the
// document is not there any more. It gives the numbers of those that were acknowledged.
func (s *scene) until(gone string, call func(n int) write) (acknowledged []int) {
	acknowledged = []int{0}
	for deadline, n := time.Now().Add(patience), 1; time.Now().Before(deadline); n++ {
		w := call(n)
		raw, err := client.Call[json.RawMessage](s.ctx, s.keyed, w.operation, w.data)
		if failure := client.Refusal(err); failure != nil && failure.Status == "NOT_FOUND" {
			return acknowledged
		}
		var entries itemsView
		if !fine(s.t, err) {
			return acknowledged
		}
		if w.operation == updateDocuments && fine(s.t, json.Unmarshal(raw, &entries)) && !entries.Data[gone].Success {
			return acknowledged
		}
		acknowledged = append(acknowledged, n)
	}
	assert.Fail(s.t, "the document is there for ever")
	return acknowledged
}

// Whatever was acknowledged about a document up to the moment of its switch holds under
// the new id; after it the old one names nothing.
func TestMigrate_ChangesUpToTheMomentOfTheSwitch(t *testing.T) {
	s := begin(t)
	s.private()
	folders := []string{"f", "g"}
	s.folders(folders...)
	s.put("f", "d0")
	written := 0
	for round := range 10 {
		from, to := fmt.Sprint("d", round), fmt.Sprint("d", round+1)
		user := func(n int) string { return fmt.Sprintf("user %d of %s", n, from) }
		name := func(n int) string { return fmt.Sprintf("name %d of %s", n, from) }
		calls := []func(n int) write{
			func(n int) write { return write{moveDocuments, move(folders[n%2], from)} },
			func(n int) write {
				return write{updateDocuments, document(from, map[string]any{"documentName": name(n)})}
			},
			func(n int) write { return write{addPermissions, granting(user(n), resource("document", from))} },
			func(int) write {
				return write{addAnnotations, doc(from, map[string]any{"commentAnnotations": []any{annotated(unique("note"), wrote("ann", "a"))}})}
			},
		}
		for _, call := range calls {
			s.call(call(0).operation, call(0).data, nil)
		}
		done := make([][]int, len(calls))
		id := ""
		together(len(calls)+1, func(i int) {
			if i < len(calls) {
				done[i] = s.until(from, calls[i])
				return
			}
			accepted, err := client.Call[client.Wrapped[migratingView]](s.ctx, s.keyed, migrate, pairOf(from, to))
			fine(t, err)
			id = accepted.Data.MigrationID
		})
		require.Equal(t, "completed", s.migrated(id).Status)
		require.Empty(t, s.paged(getDocuments, theseDocuments(from)).Data)
		last := func(i int) int { return done[i][len(done[i])-1] }
		require.Equal(t, []string{to}, s.in(folders[last(0)%2]))
		require.Equal(t, name(last(1)), s.oneDocument(to).DocumentName)
		for _, n := range done[2] {
			require.Equal(t, "editor organizationPrivate", s.ofDocument(user(n), to))
		}
		written += len(done[3])
		require.Equal(t, [2]int{written, written}, s.counts(user(0), to)[to])
		require.Equal(t, written, s.judgments(inAcme(map[string]any{"documentId": to})).Total)
	}
	t.Logf("%d annotations", written)
}

// Two documents take each other's ids by way of a third, and each keeps what is its.
func TestMigrate_TwoDocumentsSwapTheirIds(t *testing.T) {
	s := begin(t)
	flow := s.define([]client.Node{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	runs, definitions := map[string]*run{}, map[string]string{}
	for _, id := range []string{"left", "right"} {
		s.annotate(made(id, annotated("note of "+id, wrote("ann", "remark of "+id))))
		runs[id], definitions[id] = s.dispatch(flow, at("acme", id)), unique("definition")
		s.created(definitions[id], map[string]any{"scope": map[string]any{"level": "document", "organizationId": "acme", "documentId": id}})
		runs[id].waitsAt("review")
	}
	s.follows("left", "aside")
	s.follows("right", "left")
	s.follows("aside", "right")
	for was, is := range map[string]string{"left": "right", "right": "left"} {
		found := older[[]annotationView](s, getAnnotations, doc(is)).Data
		require.Equal(t, []any{1, "note of " + was}, []any{len(found), found[0].AnnotationID})
		require.Equal(t, []string{runs[was].id}, s.waitsAbout(is))
		runs[was].decide("review", "ann", "approve", "decided of "+was)
		require.Equal(t, []string{is, is}, runs[was].about()[:2])
		require.Equal(t, []string{"remark of " + was, "decided of " + was}, s.reasonsAt(is))
		s.dispatch(definitions[was], at("acme", is)).ends("completed")
		s.refusedAs("INVALID_ARGUMENT", "workflow/executions/dispatch", client.Dispatch{DefinitionID: definitions[was], OrganizationID: "acme", DocumentID: was})
	}
	require.Empty(t, s.reasonsAt("aside"))
	require.Empty(t, s.waitsAbout("aside"))
}
