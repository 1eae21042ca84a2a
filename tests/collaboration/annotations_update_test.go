package collaboration

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// updateShown is what an event of an update says.
type updateShown struct {
	event             string
	CommentAnnotation map[string]any            `json:"commentAnnotation"`
	ActionUser        map[string]any            `json:"actionUser"`
	Changes           map[string]map[string]any `json:"changes"`
	OldAssignedTo     map[string]any            `json:"oldAssignedTo"`
	NewAssignedTo     map[string]any            `json:"newAssignedTo"`
	OldStatus         map[string]any            `json:"oldStatus"`
	NewStatus         map[string]any            `json:"newStatus"`
	OldPriority       map[string]any            `json:"oldPriority"`
	NewPriority       map[string]any            `json:"newPriority"`
	AccessDenied      []string                  `json:"accessDeniedUsers"`
	Visibility        map[string]any            `json:"visibility"`
}

func updatesShown(env *kit.Env, path string, n int) (shown []updateShown) {
	env.T.Helper()
	for _, m := range kit.Heard(env, path, n) {
		one := updateShown{event: strings.TrimPrefix(m.Event, "comment_annotation.")}
		require.NoError(env.T, json.Unmarshal(m.Data, &one))
		shown = append(shown, one)
	}
	return shown
}

func updatesOf(shown []updateShown) (names []string) {
	for _, one := range shown {
		names = append(names, one.event)
	}
	return names
}

func TestAnnotationsUpdate_2_OneAcceptsAndOneRejectsAtOnce(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	const rounds = 10
	decided := map[string]string{}
	for round := range rounds {
		id := fmt.Sprint("n", round)
		kit.Annotate(env, kit.Made("d", kit.With(kit.Suggesting(nil, kit.Wrote("ann", "Better so.")), map[string]any{"annotationId": id})))
		var entries [2]redline.Item
		kit.Concurrently(2, func(i int) {
			call := kit.Updating(kit.Decides([]string{"accepted", "rejected"}[i]), kit.DoneBy("kim"), map[string]any{"annotationIds": []string{id}})
			found, err := client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, client.UpdateAnnotations, call)
			if kit.NoError(t, err) {
				entries[i] = found.Data[id]
			}
		})
		late := redline.Item{ID: id, Message: "What the annotation suggests is decided otherwise already.", Code: "already-decided"}
		require.ElementsMatch(t, []redline.Item{kit.Given(id), late}, entries[:])
		decided[id] = map[bool]string{true: "accepted", false: "rejected"}[entries[0].Success]
	}
	kit.Settled(env)
	for _, shown := range updatesShown(env, "/told", rounds) {
		id := shown.CommentAnnotation["annotationId"].(string)
		require.Equal(t, map[string]string{"accepted": "suggestion_accept", "rejected": "suggestion_reject"}[decided[id]], shown.event)
		require.Equal(t, map[string]any{"status": decided[id]}, shown.CommentAnnotation["suggestion"])
		delete(decided, id)
	}
	require.Empty(t, decided, "each is told once")
	require.Len(t, kit.Heard(env, "/told", rounds), rounds)
}

func TestAnnotationsUpdate_3_TheSameAgain(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	kit.AddPeople(env, kit.User("bob", "Bob", "bob@example.com"))
	kit.Discuss(env, kit.Wrote("ann", "one"))
	fields := map[string]any{
		"status": kit.StatusOf("DONE", "terminal"), "priority": kit.PriorityOf("P1"), "assignedTo": map[string]any{"userId": "bob"},
		"location": map[string]any{"id": "p1"}, "targetElement": map[string]any{"targetText": "the year"}, "context": json.RawMessage(`{"n": 1.10}`),
		"visibility":            map[string]any{"type": "restricted", "userIds": []string{"bob", "eve"}},
		"statusUpdatedByUserId": "kim", "from": map[string]any{"userId": "ann"}, "createdAt": 1767225600000,
	}
	kit.Gives(env, kit.Updating(fields, kit.DoneBy("ann")))
	require.Equal(t, []string{"assign", "status_change", "priority_change", "update"}, updatesOf(updatesShown(env, "/told", 4)))
	before := kit.Discussion(env)
	kit.Gives(env, kit.Updating(fields, kit.DoneBy("kim"), map[string]any{"triggerNotification": true, "triggerActivities": true}))
	kit.Gives(env, kit.Updating(map[string]any{"status": fields["status"]}))
	kit.Gives(env, kit.Updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"eve", "bob"}}}))
	kit.Gives(env, kit.Updating(map[string]any{}))
	require.Equal(t, before, kit.Discussion(env), "also when it was changed")
	require.Empty(t, kit.Activities(env))
	require.Len(t, kit.Judgments(env, map[string]any{"decision": "resolve"}).Results, 1)
	kit.Settled(env)
	require.Len(t, kit.Heard(env, "/told", 4), 4)
}

func TestAnnotationsUpdate_6_WhileTheDocumentMigrates(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	done := untilTheSwitch(env, func(n int) write {
		return write{client.UpdateAnnotations, kit.Updating(map[string]any{"status": kit.StatusOf(fmt.Sprint("S", n), []string{"ongoing", "terminal"}[n%2])}, kit.DoneBy("kim"))}
	})
	found := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("e", map[string]any{"annotationIds": []string{"n"}})).Data
	require.Equal(t, fmt.Sprint("S", done[len(done)-1]), found[0].Status.ID)
	total := kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "e", "reviewerId": "kim"})).Total
	require.EqualValues(t, len(done)-1, total, "each was done once; the first of all is before the first call")
	require.Equal(t, "document", kit.Details(env, client.UpdateAnnotations, kit.Updating(map[string]any{"priority": nil}))["resource"])
}
