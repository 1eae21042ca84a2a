package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnnotationsFind_1_AWalkUnderConcurrentAdds(t *testing.T) {
	s := begin(t)
	var there []map[string]any
	var want []string
	for i := range 60 {
		want = append(want, fmt.Sprintf("there %02d", i))
		there = append(there, changedAt(want[i], 1000+i/4))
	}
	s.annotate(made("d", there...))
	for round, order := range []string{"desc", "asc"} {
		added, halfway := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(added)
			for i := range 30 {
				_, err := tryOlder[json.RawMessage](s, "/v2/"+addAnnotations, made("d", changedAt(fmt.Sprint("new ", round, " ", i), 1000+i%20)))
				fine(t, err)
				if i == 15 {
					close(halfway)
				}
			}
		}()
		ids := s.walks(doc("d", map[string]any{"pageSize": 7, "order": order}), func(page int) {
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
	s := begin(t)
	var notes []map[string]any
	for i := range 10 {
		notes = append(notes, changedAt(fmt.Sprint("a", i), 1000+i))
	}
	s.annotate(made("d", notes...))
	change := func(id string) {
		s.reply(with(replying(wrote("bob", "b")), map[string]any{"annotationId": id}))
	}
	ids := s.walks(doc("d", map[string]any{"pageSize": 3, "order": "asc"}), func(page int) {
		if page == 1 {
			change("a1")
			change("a8")
		}
	})
	require.Equal(t, []string{"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a9", "a1", "a8"}, ids)
	ids = s.walks(doc("d", map[string]any{"pageSize": 3}), func(page int) {
		if page == 1 {
			change("a0")
		}
	})
	require.Equal(t, []string{"a8", "a1", "a9", "a7", "a6", "a5", "a4", "a3", "a2"}, ids, "it may be missed the other way round")
}

// What a page reads of its document is counted where the statements are made; here every
// page of many is there, in either order, and nothing twice.
func TestAnnotationsFind_4_TheHundredthPage(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", changedAt("n", 1000)))
	s.copies("n", 1000)
	_, err := s.rows().Exec(s.ctx, `UPDATE annotations SET updated_ms = 1000 + split_part(annotation_id, ' ', 2)::bigint / 3
WHERE workspace_id = $1 AND annotation_id LIKE 'n %'`, s.workspace.ID)
	require.NoError(t, err)
	walked := map[string][]string{}
	for _, order := range []string{"desc", "asc"} {
		pages := 1
		walked[order] = s.walks(doc("d", map[string]any{"pageSize": 10, "order": order}), func(page int) { pages++ })
		require.Equal(t, 101, pages)
		require.Len(t, walked[order], 1001)
	}
	slices.Reverse(walked["asc"])
	require.Equal(t, walked["desc"], walked["asc"])
	slices.Sort(walked["desc"])
	require.Len(t, slices.Compact(walked["desc"]), 1001)
}

func TestAnnotationsFind_5_OfWhatAViewerMaySee(t *testing.T) {
	s := begin(t)
	hidden := changedAt("hidden", 1)
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"cat"}}
	ours := changedAt("ours", 2)
	ours["visibility"] = map[string]any{"type": "organizationPrivate", "organizationId": "acme"}
	s.annotate(made("d", hidden, ours, changedAt("open", 3)))
	s.annotate(made("e", changedAt("elsewhere", 4)))
	in := func(viewer string, more ...map[string]any) []string {
		data := inAcme(append(more, map[string]any{"viewerUserId": viewer})...)
		return s.notes(data)
	}
	require.Equal(t, []string{"elsewhere", "open"}, in("bob"))
	require.Equal(t, []string{"elsewhere", "open", "hidden"}, in("cat"))
	require.Equal(t, []string{"elsewhere", "open", "ours", "hidden"}, in("ann"), "the author sees their own")
	require.Equal(t, []string{"open"}, in("bob", map[string]any{"documentId": "d"}, map[string]any{"userIds": []string{"ann"}}), "a viewer decides alone")
	require.Equal(t, []string{"-", "open"}, in("bob", map[string]any{"annotationIds": []string{"hidden", "open"}}))
	s.people(user("bob", "Bob", mailbox()))
	require.Equal(t, []string{"elsewhere", "open", "ours"}, in("bob"), "from the next read on")
	s.setDocumentAccess("d", "restricted")
	require.Equal(t, []string{"elsewhere"}, in("bob"))
	require.Empty(t, in("bob", map[string]any{"documentId": "d"}))
	require.Equal(t, []string{"-"}, in("ann", map[string]any{"documentId": "d", "annotationIds": []string{"open"}}), "nor the author")
	require.Len(t, s.notes(doc("d", map[string]any{"userIds": []string{"ann"}})), 3, "who is not read for sees all")
	s.items("users/add", map[string]any{"organizationId": "acme", "documentId": "d", "users": users("cat")})
	require.Equal(t, []string{"open", "hidden"}, in("cat", map[string]any{"documentId": "d"}))
}

func TestAnnotationsFind_6_ManyOfOneTime(t *testing.T) {
	s := begin(t)
	var want []string
	for range 2 {
		notes := make([]map[string]any, 100)
		for i := range notes {
			want = append(want, fmt.Sprintf("a%03d", len(want)))
			notes[i] = changedAt(want[len(want)-1], 5000)
		}
		s.annotate(made("d", notes...))
	}
	ids := s.walks(doc("d", map[string]any{"pageSize": 7, "order": "asc"}), func(int) {})
	require.Equal(t, want, ids, "each once, by their ids")
	slices.Reverse(want)
	require.Equal(t, want, s.walks(doc("d", map[string]any{"pageSize": 7}), func(int) {}))
}

// An answer ends by what is written of it, also where that is not in the comments.
func TestAnnotationsFind_APageEndsByWhatIsWritten(t *testing.T) {
	s := begin(t)
	var want []string
	for range 12 {
		notes := make([]map[string]any, 25)
		for i := range notes {
			want = append(want, fmt.Sprintf("a%03d", len(want)))
			notes[i] = changedAt(want[len(want)-1], 5000)
			notes[i]["context"] = map[string]any{"text": strings.Repeat("x", 32<<10-100)}
		}
		s.annotate(made("d", notes...))
	}
	data := doc("d", map[string]any{"order": "asc"})
	reply := s.olderReply(findAnnotations, data)
	require.LessOrEqual(t, len(reply.Body), 8<<20)
	require.Greater(t, len(reply.Body), 7<<20, "not much earlier than it has to")
	require.Equal(t, want, s.walks(data, func(int) {}))
	slots := doc("d", map[string]any{"annotationIds": []string{"a299", "x", "a000"}, "pageSize": 2})
	require.Equal(t, []string{"a299", "-", "a000"}, s.walks(slots, func(int) {}))
}
