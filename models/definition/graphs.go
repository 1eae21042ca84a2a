package definition

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/redline-svc/redline/internal/definition"
)

const (
	// graphsWeigh is what the graphs that are kept weigh together at most.
	graphsWeigh = 128 << 20
	// graphsKept is how many they are at most.
	graphsKept = 4096
)

// graphCache keeps the graphs of versions, which never change, those that were asked for
// last. Their weight bounds it and not their number: the patterns of a definition of 20 KB may
// take 8 MB.
type graphCache struct {
	mu    sync.Mutex
	kept  *simplelru.LRU[string, weighedGraph]
	weigh int
}

type weighedGraph struct {
	*definition.Graph

	weight int
}

func newGraphCache() *graphCache {
	c := &graphCache{}
	c.kept, _ = simplelru.NewLRU(graphsKept, func(_ string, g weighedGraph) { c.weigh -= g.weight }) // fails for a size of none alone
	return c
}

func (c *graphCache) get(versionID string) (*definition.Graph, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, known := c.kept.Get(versionID)
	return g.Graph, known
}

// put keeps a graph, and lets go of those that were not asked for the longest.
func (c *graphCache) put(versionID string, g *definition.Graph, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept.Contains(versionID) {
		return // others read it at the same time
	}
	c.kept.Add(versionID, weighedGraph{g, weight})
	for c.weigh += weight; c.weigh > graphsWeigh; {
		c.kept.RemoveOldest()
	}
}
