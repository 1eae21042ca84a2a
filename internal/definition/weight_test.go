package definition

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// heavy are snapshots that take much more memory than their text, by what takes it.
func heavy() map[string]string {
	chain := func(when string) string {
		var nodes, edges []string
		for n := range 100 {
			nodes = append(nodes, mock(fmt.Sprint("n", n)))
			if n > 0 {
				edges = append(edges, edge(fmt.Sprint("n", n-1), fmt.Sprint("n", n), "custom", fmt.Sprintf(`"when":%q`, when)))
			}
		}
		return fmt.Sprintf(`{"name":"heavy","nodes":[%s],"edges":[%s]}`, strings.Join(nodes, ","), strings.Join(edges, ","))
	}
	return map[string]string{
		"patterns": chain(`{"op":"or","args":[{"op":"regex","args":[{"var":"output.x"},"(a{30}){33}"]},{"op":"regex","args":[{"var":"output.x"},"(b{30}){28}"]}]}`),
		"anchored": chain(`{"op":"regex","args":[{"var":"output.x"},"^(ab){450}$"]}`),
		"numbers":  chain(`{"op":"in","args":[{"var":"output.x"},[1` + strings.Repeat(",1", 190) + `]]}`),
	}
}

// It is not parallel, since it looks at the memory of the process.
func TestGraph_WeighsNoLessThanItTakes(t *testing.T) { //nolint:paralleltest // as said above
	for name, snapshot := range heavy() {
		const many = 20
		kept, weight := make([]*Graph, many), 0
		before := inUse()
		for i := range kept {
			var err error
			kept[i], err = GraphOf([]byte(snapshot))
			require.NoError(t, err, name)
			weight += kept[i].Weight(len(snapshot))
		}
		taken := inUse() - before
		t.Logf("%s: %d bytes take %d and weigh %d", name, len(snapshot), taken/many, weight/many)
		require.Greater(t, taken, many*20*len(snapshot), name)
		require.LessOrEqual(t, taken, weight, name)
		runtime.KeepAlive(kept)
	}
}

func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
