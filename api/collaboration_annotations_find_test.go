package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsFind_1_AWalkUnderConcurrentAdds(t *testing.T) {
	env := newWorkspace(t)
	var there []map[string]any
	var want []string
	for i := range 60 {
		want = append(want, fmt.Sprintf("there %02d", i))
		there = append(there, kit.ChangedAt(want[i], 1000+i/4))
	}
	kit.Annotate(env, kit.Made("d", there...))
	for round, order := range []string{"desc", "asc"} {
		added, halfway := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(added)
			for i := range 30 {
				_, err := kit.TryOlder[json.RawMessage](env, "/v2/"+client.AddAnnotations, kit.Made("d", kit.ChangedAt(fmt.Sprint("new ", round, " ", i), 1000+i%20)))
				kit.NoError(t, err)
				if i == 15 {
					close(halfway)
				}
			}
		}()
		ids := kit.Walks(env, kit.Doc("d", map[string]any{"pageSize": 7, "order": order}), func(page int) {
			if page == 3 {
				<-halfway
			}
		})
		<-added
		seen := map[string]int{}
		for _, id := range ids {
			seen[id]++
			require.Equal(t, 1, seen[id], "%s twice in %s", id, order)
		}
		require.Subset(t, ids, want, order)
	}
}

func TestAnnotationsFind_2_AChangedOneIsMetAgainAtTheEnd(t *testing.T) {
	env := newWorkspace(t)
	var notes []map[string]any
	for i := range 10 {
		notes = append(notes, kit.ChangedAt(fmt.Sprint("a", i), 1000+i))
	}
	kit.Annotate(env, kit.Made("d", notes...))
	change := func(id string) {
		kit.Reply(env, kit.With(kit.Replying(kit.Wrote("bob", "b")), map[string]any{"annotationId": id}))
	}
	ids := kit.Walks(env, kit.Doc("d", map[string]any{"pageSize": 3, "order": "asc"}), func(page int) {
		if page == 1 {
			change("a1")
			change("a8")
		}
	})
	require.Equal(t, []string{"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a9", "a1", "a8"}, ids)
	ids = kit.Walks(env, kit.Doc("d", map[string]any{"pageSize": 3}), func(page int) {
		if page == 1 {
			change("a0")
		}
	})
	require.Equal(t, []string{"a8", "a1", "a9", "a7", "a6", "a5", "a4", "a3", "a2"}, ids, "it may be missed the other way round")
}

// What a page reads of its document is counted where the statements are made; here every
// page of many is there, in either order, and nothing twice.
func TestAnnotationsFind_4_TheHundredthPage(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.ChangedAt("n", 1000)))
	kit.Copies(env, "n", 1000)
	_, err := env.DB().Exec(env.Ctx, `UPDATE annotations SET updated_ms = 1000 + split_part(annotation_id, ' ', 2)::bigint / 3
WHERE workspace_id = $1 AND annotation_id LIKE 'n %'`, env.Workspace.ID)
	require.NoError(t, err)
	walked := map[string][]string{}
	for _, order := range []string{"desc", "asc"} {
		pages := 1
		walked[order] = kit.Walks(env, kit.Doc("d", map[string]any{"pageSize": 10, "order": order}), func(page int) { pages++ })
		require.Equal(t, 101, pages)
		require.Len(t, walked[order], 1001)
	}
	slices.Reverse(walked["asc"])
	require.Equal(t, walked["desc"], walked["asc"])
	slices.Sort(walked["desc"])
	require.Len(t, slices.Compact(walked["desc"]), 1001)
}

func TestAnnotationsFind_5_OfWhatAViewerMaySee(t *testing.T) {
	env := newWorkspace(t)
	hidden := kit.ChangedAt("hidden", 1)
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"cat"}}
	ours := kit.ChangedAt("ours", 2)
	ours["visibility"] = map[string]any{"type": "organizationPrivate", "organizationId": "acme"}
	kit.Annotate(env, kit.Made("d", hidden, ours, kit.ChangedAt("open", 3)))
	kit.Annotate(env, kit.Made("e", kit.ChangedAt("elsewhere", 4)))
	in := func(viewer string, more ...map[string]any) []string {
		data := kit.InAcme(append(more, map[string]any{"viewerUserId": viewer})...)
		return kit.Notes(env, data)
	}
	require.Equal(t, []string{"elsewhere", "open"}, in("bob"))
	require.Equal(t, []string{"elsewhere", "open", "hidden"}, in("cat"))
	require.Equal(t, []string{"elsewhere", "open", "ours", "hidden"}, in("ann"), "the author sees their own")
	require.Equal(t, []string{"open"}, in("bob", map[string]any{"documentId": "d"}, map[string]any{"userIds": []string{"ann"}}), "a viewer decides alone")
	require.Equal(t, []string{"-", "open"}, in("bob", map[string]any{"annotationIds": []string{"hidden", "open"}}))
	kit.AddPeople(env, kit.User("bob", "Bob", kit.Mailbox()))
	require.Equal(t, []string{"elsewhere", "open", "ours"}, in("bob"), "from the next read on")
	setDocumentAccess(env, "d", "restricted")
	require.Equal(t, []string{"elsewhere"}, in("bob"))
	require.Empty(t, in("bob", map[string]any{"documentId": "d"}))
	require.Equal(t, []string{"-"}, in("ann", map[string]any{"documentId": "d", "annotationIds": []string{"open"}}), "nor the author")
	require.Len(t, kit.Notes(env, kit.Doc("d", map[string]any{"userIds": []string{"ann"}})), 3, "who is not read for sees all")
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "documentId": "d", "users": kit.Users("cat")})
	require.Equal(t, []string{"open", "hidden"}, in("cat", map[string]any{"documentId": "d"}))
}

func TestAnnotationsFind_6_ManyOfOneTime(t *testing.T) {
	env := newWorkspace(t)
	var want []string
	for range 2 {
		notes := make([]map[string]any, 100)
		for i := range notes {
			want = append(want, fmt.Sprintf("a%03d", len(want)))
			notes[i] = kit.ChangedAt(want[len(want)-1], 5000)
		}
		kit.Annotate(env, kit.Made("d", notes...))
	}
	ids := kit.Walks(env, kit.Doc("d", map[string]any{"pageSize": 7, "order": "asc"}), func(int) {})
	require.Equal(t, want, ids, "each once, by their ids")
	slices.Reverse(want)
	require.Equal(t, want, kit.Walks(env, kit.Doc("d", map[string]any{"pageSize": 7}), func(int) {}))
}

// An answer ends by what is written of it, also where that is not in the comments.
func TestAnnotationsFind_APageEndsByWhatIsWritten(t *testing.T) {
	env := newWorkspace(t)
	var want []string
	for range 12 {
		notes := make([]map[string]any, 25)
		for i := range notes {
			want = append(want, fmt.Sprintf("a%03d", len(want)))
			notes[i] = kit.ChangedAt(want[len(want)-1], 5000)
			notes[i]["context"] = map[string]any{"text": strings.Repeat("x", 32<<10-100)}
		}
		kit.Annotate(env, kit.Made("d", notes...))
	}
	data := kit.Doc("d", map[string]any{"order": "asc"})
	reply := kit.OlderReply(env, kit.FindAnnotations, data)
	require.LessOrEqual(t, len(reply.Body), 8<<20)
	require.Greater(t, len(reply.Body), 7<<20, "not much earlier than it has to")
	require.Equal(t, want, kit.Walks(env, data, func(int) {}))
	slots := kit.Doc("d", map[string]any{"annotationIds": []string{"a299", "x", "a000"}, "pageSize": 2})
	require.Equal(t, []string{"a299", "-", "a000"}, kit.Walks(env, slots, func(int) {}))
}

func TestAnnotationsFind_3_TokensOfOtherFiltersAndWorkspaces(t *testing.T) {
	env := newWorkspace(t)
	stranger := kit.Elsewhere(env)
	add := kit.Made("d", kit.ChangedAt("a", 1), kit.ChangedAt("b", 2), kit.ChangedAt("c", 3))
	kit.Annotate(env, add)
	kit.Annotate(stranger, add)
	data := kit.Doc("d", map[string]any{"pageSize": 1})
	data["pageToken"] = kit.Older[[]*redline.WholeAnnotation](env, kit.FindAnnotations, data).NextPageToken
	require.Equal(t, []string{"b"}, kit.Notes(env, data))
	require.Equal(t, []string{"b", "a"}, kit.Notes(env, kit.With(data, map[string]any{"pageSize": 5})), "how long pages are is no filter")
	for field, value := range map[string]any{
		"documentId": "e", "folderId": "f", "locationIds": []string{"l"}, "annotationIds": []string{"b"}, "userIds": []string{"ann"},
		"mentionedUserIds": []string{"ann"}, "statusIds": []string{"OPEN"}, "resolvedBy": "ann", "type": "comment", "updatedAfter": 1,
		"updatedBefore": 9, "createdAfter": 1, "createdBefore": 9, "viewerUserId": "ann", "order": "asc", "agentId": "a", "executionId": "e",
		"agentType": "custom", "agentSource": "svc", "agentSuggestions": true, "agentComments": true, "organizationId": "other", "pageToken": "none",
	} {
		failure := kit.OlderRefused(env, "INVALID_ARGUMENT", kit.FindAnnotations, kit.With(data, map[string]any{field: value}))
		require.Equal(t, []string{"pageToken"}, failure.Issues[0].Path, field)
	}
	kit.OlderRefused(stranger, "INVALID_ARGUMENT", kit.FindAnnotations, data)
	delete(data, "documentId")
	kit.OlderRefused(env, "INVALID_ARGUMENT", kit.FindAnnotations, data)
	kit.OlderRefused(env, "INVALID_ARGUMENT", kit.GetAnnotations, kit.With(data, map[string]any{"documentId": "d"}))
}
