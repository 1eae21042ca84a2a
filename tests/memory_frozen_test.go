package tests

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/stack"
)

// frozenSearches are twice as many as a process has connections to its rows.
const frozenSearches = 40

// searching begins that many searches and gives their answers as they come; after
// the last the channel is closed.
func (s *scene) searching(n int, query string) <-chan *client.Reply {
	answers := make(chan *client.Reply, n)
	var open sync.WaitGroup
	for range n {
		open.Go(func() {
			reply, err := s.keyed.Send(s.ctx, "/v2/memory/knowledge/search", []byte(`{"data":{"query":"`+query+`"}}`), nil)
			if fine(s.t, err) {
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

// besideFrozen makes searches at an index that is frozen, and tells whether
// others were answered before the first of them was.
func (s *scene) besideFrozen(process *stack.Service) bool {
	s.t.Helper()
	answers := s.searching(frozenSearches, "gate")
	eventually(s.t, "all searches are under way", func() bool {
		return scrape(s.t, process.Ops)["redline_http_in_flight"] >= frozenSearches || len(answers) > 0
	})
	for range 10 {
		s.call(listDefinitions, map[string]any{}, nil)
	}
	before := len(answers) == 0
	ended := 0
	for reply := range answers {
		require.Equal(s.t, http.StatusOK, reply.HTTP, "%s", reply.Body)
		require.Equal(s.t, "recency", reply.Header.Get("x-svc-degraded"))
		var answer struct{ Result knowledgeAnswer }
		require.NoError(s.t, json.Unmarshal(reply.Body, &answer))
		require.Len(s.t, answer.Result.Results, 2)
		require.Nil(s.t, answer.Result.Results[0].Score)
		ended++
	}
	require.Equal(s.t, frozenSearches, ended)
	return before
}

// A round in which the machine was too busy to answer others in the time that
// searches wait proves nothing and is made again. Were searches to hold all
// connections, no round would prove it.
func TestStatus_2_AnIndexThatHangsIsNoticedBySearchesOnly(t *testing.T) {
	l := newLab(t)
	index, searches := beforePart(t, "REDLINE_WEAVIATE_ADDR"), beforePart(t, "REDLINE_WEAVIATE_GRPC_ADDR")
	process := l.start("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr(), "REDLINE_WEAVIATE_GRPC_ADDR="+searches.Addr(),
		"REDLINE_EMBEDDER=lexical", "REDLINE_RATE_MEMORY_READ_PER_MIN=0")
	s := l.begin(process)
	s.broughtIn(s.ingest(housePaper), "completed")
	require.Len(t, s.search("gate").Results, 2)
	eventually(t, "others are answered while all searches wait", func() bool {
		index.Freeze()
		searches.Freeze()
		beside := s.besideFrozen(process)
		index.Thaw()
		searches.Thaw()
		found := s.search("gate")
		require.Len(t, found.Results, 2)
		require.NotNil(t, found.Results[0].Score)
		return beside
	})
}
