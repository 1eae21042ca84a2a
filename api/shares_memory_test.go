package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// mostAbove is how much memory a process takes at most beside what it has at rest, whatever
// one workspace sends.
const mostAbove = 512 << 20

// atOnce is how many calls a caller sends side by side.
const atOnce = 16

// memory is what the process holds, in bytes: what it got from the system and did not give
// back.
func memory() int64 {
	found := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(found)
	return int64(found[0].Value.Uint64() - found[1].Value.Uint64())
}

// requireBounded wants that work, of which the test is the only one, keeps the memory of the
// process within bounds.
func requireBounded(t *testing.T, work func()) {
	t.Helper()
	debug.FreeOSMemory()
	before := memory()
	var most atomic.Int64
	ended, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for every := time.NewTicker(2 * time.Millisecond); ; {
			select {
			case <-every.C:
				most.Store(max(most.Load(), memory()))
			case <-ended:
				return
			}
		}
	}()
	work()
	close(ended)
	<-looked
	above := most.Load() - before
	t.Logf("%d MiB above before", above>>20)
	require.Less(t, above, int64(mostAbove))
}

// sideBySide makes as many calls at once and wants none of them to fail on our side.
func sideBySide(env *kit.Env, atOnce int, operation string, data func(i int) map[string]any) {
	env.T.Helper()
	codes := make(chan int, atOnce)
	var calls sync.WaitGroup
	for i := range atOnce {
		calls.Go(func() { codes <- codeOf(env, operation, data(i)) })
	}
	calls.Wait()
	for range atOnce {
		require.Contains(env.T, []int{http.StatusOK, http.StatusTooManyRequests}, <-codes)
	}
}

// codeOf makes a call whose answer is not decoded, and returns its code; 0 where none
// came.
func codeOf(env *kit.Env, operation string, data map[string]any) int {
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return 0
	}
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+operation, body, nil)
	if err != nil {
		return 0
	}
	return reply.HTTP
}

// flaggedThreads are annotations with as many flagged comments each as one may have.
func flaggedThreads(annotations, comments int) map[string]any {
	var all []map[string]any
	for range annotations {
		var thread []map[string]any
		for range comments {
			thread = append(thread, kit.Wrote("ann", "hi", map[string]any{"triggerNotification": true}))
		}
		all = append(all, kit.Annotated(kit.Unique("n"), thread...))
	}
	return kit.Made("d", all...)
}

func TestLong_ManyWhoWantEveryCommentOfManyTakeLittleMemory(t *testing.T) {
	s := handlerServer(t, "REDLINE_DATABASE_MAX_CONNS=20")
	env := kit.NewWorkspaceAt(t, s.URL)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	for i := range 50 {
		users := make([]string, 100)
		for j := range users {
			users[j] = fmt.Sprintf("%s%d-%d", strings.Repeat("long", 20), i, j)
		}
		kit.Wants(env, map[string]any{"inbox": "ALL", "email": "ALL"}, users)
	}
	requireBounded(t, func() {
		sideBySide(env, 4, client.AddAnnotations, func(int) map[string]any { return flaggedThreads(10, 100) })
	})
}

// Each event of a comment describes its document and its organization, whatever they hold.
func TestLong_EventsInADocumentWithMuchDataTakeLittleMemory(t *testing.T) {
	s := handlerServer(t, "REDLINE_DATABASE_MAX_CONNS=20")
	env := kit.NewWorkspaceAt(t, s.URL)
	env.Call(client.AddDocuments, kit.AcmeWith("documents", []any{map[string]any{"documentId": "d", "own": strings.Repeat("x", 30_000)}}, map[string]any{"createOrganization": true}), nil)
	kit.Endpoint(kit.Hooked(env), "https://receiver.test/events")
	requireBounded(t, func() {
		sideBySide(env, atOnce, client.AddAnnotations, func(int) map[string]any { return flaggedThreads(10, 100) })
	})
}

// discussed makes 960 annotations of ten comments each in document d, with contexts of 30 KB.
func discussed(env *kit.Env) {
	env.T.Helper()
	kit.Discuss(env, kit.Wrote("ann", "one"))
	own := `{"own":"` + strings.Repeat("x", 30_000) + `"}`
	for _, statement := range []string{
		`INSERT INTO annotations (workspace_id, annotation_id, document_key, author_id, author, kind, comment_type, status_id, status, visibility,
			created_ms, updated_ms, comment_count, last_seq, last_author, other_seq, thread_bytes)
		 SELECT a.workspace_id, 'many' || i, a.document_key, a.author_id, a.author, a.kind, a.comment_type, a.status_id, a.status, a.visibility,
			a.created_ms, a.updated_ms, 10, 10, a.last_author, 0, 10 * length($2) FROM annotations a, generate_series(1, 960) i WHERE a.workspace_id = $1`,
		`INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, status, comment_text, comment_html, text_available, resolver_used,
			author_id, author, context, created_ms, updated_ms, judged)
		 SELECT m.key, i AS seq, i AS id, c.workspace_id, c.status, c.comment_text, c.comment_html, c.text_available, c.resolver_used,
			c.author_id, c.author, $2::json, c.created_ms, c.updated_ms, false
		 FROM comments c JOIN annotations m ON m.workspace_id = c.workspace_id AND m.annotation_id LIKE 'many%', generate_series(1, 10) i WHERE c.workspace_id = $1`,
	} {
		_, err := env.DB().Exec(env.Ctx, statement, env.Workspace.ID, own)
		require.NoError(env.T, err)
	}
}

func TestLong_ThreadsWithLargeContextsTakeLittleMemory(t *testing.T) {
	s := handlerServer(t, "REDLINE_DATABASE_MAX_CONNS=20")
	env := kit.NewWorkspaceAt(t, s.URL)
	env.Database = s.Database
	discussed(env)
	all := kit.Doc("d", map[string]any{"allAnnotations": true})
	for name, c := range map[string]struct {
		operation string
		data      func(i int) map[string]any
	}{
		"reads": {client.GetAnnotations, func(int) map[string]any { return kit.Doc("d", map[string]any{"pageSize": 1000}) }},
		"updates": {client.UpdateAnnotations, func(i int) map[string]any {
			return kit.With(all, map[string]any{"updatedData": map[string]any{"priority": kit.PriorityOf(fmt.Sprint("P", i))}, "triggerActivities": true})
		}},
		"deletions": {client.DeleteAnnotations, func(int) map[string]any { return kit.With(all, map[string]any{"triggerActivities": true}) }},
	} {
		t.Run(name, func(t *testing.T) {
			requireBounded(t, func() { sideBySide(env, atOnce, c.operation, c.data) })
		})
	}
}

// The name of somebody is two hundred times as long as a tag, and in JSON some characters six times as long as in a comment: what
// an edit of a whole thread says for its judgments and activities is many times what it is called with.
func TestLong_EditsOfAWholeThreadTakeLittleMemory(t *testing.T) {
	s := handlerServer(t, "REDLINE_DATABASE_MAX_CONNS=20")
	env := kit.NewWorkspaceAt(t, s.URL)
	var thread []map[string]any
	for i := range 60 {
		thread = append(thread, kit.Wrote("ann", fmt.Sprint("No. ", i)))
	}
	kit.Discuss(env, thread...)
	kit.Endpoint(kit.Hooked(env), "https://receiver.test/events")
	for name, said := range map[string]func(i int) map[string]any{
		"tags": func(i int) map[string]any {
			return map[string]any{
				"commentText": " ", "commentHtml": strings.Repeat("{{a}}", 26_000) + strconv.Itoa(i),
				"taggedUserContacts": []any{map[string]any{"userId": "a", "contact": map[string]any{"userId": "a", "name": strings.Repeat("\U0001F5BC", 200)}}},
			}
		},
		"escapes": func(i int) map[string]any {
			return map[string]any{"commentText": strings.Repeat("\x01", 60_000) + strconv.Itoa(i), "taggedUserContacts": nil}
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, http.StatusOK, codeOf(env, client.UpdateComments, editing(said(-1))))
			requireBounded(t, func() {
				sideBySide(env, 4, client.UpdateComments, func(i int) map[string]any { return editing(said(i)) })
			})
		})
	}
}

// editing gives all comments of the thread new fields, and has that recorded.
func editing(fields map[string]any) map[string]any {
	return kit.Doc("d", map[string]any{"annotationId": "n", "allComments": true, "updatedData": fields, "triggerActivities": true})
}
