package memory

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// frozenSearches are twice as many as a process has connections to its rows.
const frozenSearches = 40

// searching begins that many searches and returns their answers as they come; after
// the last the channel is closed.
func searching(env *kit.Env, n int, query string) <-chan *client.Reply {
	answers := make(chan *client.Reply, n)
	var open sync.WaitGroup
	for range n {
		open.Go(func() {
			reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.SearchKnowledge, []byte(`{"data":{"query":"`+query+`"}}`), nil)
			if kit.NoError(env.T, err) {
				answers <- reply
			}
		})
	}
	go func() {
		open.Wait()
		close(answers)
	}()
	return answers
}

// besideFrozen makes searches at an index that is frozen, and reports whether
// others were answered before the first of them was.
func besideFrozen(env *kit.Env, process *stack.Service) bool {
	env.T.Helper()
	answers := searching(env, frozenSearches, "gate")
	kit.RequireEventually(env.T, "all searches are under way", func() bool {
		return kit.Scrape(env.T, process.Ops)["redline_http_in_flight"] >= frozenSearches || len(answers) > 0
	})
	for range 10 {
		env.Call(client.ListDefinitions, map[string]any{}, nil)
	}
	before := len(answers) == 0
	ended := 0
	for reply := range answers {
		require.Equal(env.T, http.StatusOK, reply.HTTP, "%s", reply.Body)
		require.Equal(env.T, "recency", reply.Header.Get("x-svc-degraded"))
		var answer struct{ Result redline.KnowledgeResults }
		require.NoError(env.T, json.Unmarshal(reply.Body, &answer))
		require.Len(env.T, answer.Result.Results, 2)
		require.Zero(env.T, answer.Result.Results[0].Score)
		ended++
	}
	require.Equal(env.T, frozenSearches, ended)
	return before
}

// A round in which the machine was too busy to answer others in the time that
// searches wait proves nothing and is made again. Were searches to hold all
// connections, no round would prove it.
func TestStatus_2_AnIndexThatHangsIsNoticedBySearchesOnly(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	index, searches := kit.BeforePart(t, "REDLINE_WEAVIATE_ADDR"), kit.BeforePart(t, "REDLINE_WEAVIATE_GRPC_ADDR")
	process := isolated.StartProcess("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr(), "REDLINE_WEAVIATE_GRPC_ADDR="+searches.Addr())
	env := isolated.NewWorkspace(process)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	require.Len(t, kit.Search(env, "gate").Results, 2)
	kit.RequireEventually(t, "others are answered while all searches wait", func() bool {
		index.Freeze()
		searches.Freeze()
		beside := besideFrozen(env, process)
		index.Thaw()
		searches.Thaw()
		found := kit.Search(env, "gate")
		require.Len(t, found.Results, 2)
		require.NotZero(t, found.Results[0].Score)
		return beside
	})
}
