package definition

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
)

// workedExample is the example of the interface: an asynchronous hand-in, an
// agent, a group of three of which two must agree, a loop, a deadline.
func workedExample(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/marketing-copy-approval.json")
	require.NoError(t, err)
	return string(text)
}

// codes returns the codes of the issues, in their order.
func codes(issues []fault.Issue) []string {
	list := []string{}
	for _, i := range issues {
		list = append(list, i.Code)
	}
	return list
}

// full parses with every feature of the language.
func full(text string) (*Definition, []fault.Issue) {
	return Parse([]byte(text), Options{})
}

func TestTheWorkedExampleIsRight(t *testing.T) {
	t.Parallel()
	d, issues := full(workedExample(t))
	require.Empty(t, issues)
	require.Equal(t, "marketing-copy-approval", d.ID)
	require.Equal(t, []string{"author"}, d.Graph.Roots)
	require.Len(t, d.Graph.Loops, 1)
	loop := d.Graph.LoopFromGroup("reviewers")
	require.Equal(t, []string{"author", "ai-check", "brand", "product", "regional"}, loop.BodyNodeIDs)
	require.Equal(t, 3, loop.MaxIterations)
	require.Len(t, d.Graph.FromGroup("reviewers"), 2)
	require.Equal(t, loop.ID, d.Graph.FromGroup("reviewers")[1].LoopID)
	require.Empty(t, d.Graph.From("brand"))

	compiled, err := json.Marshal(d.Graph.Compile())
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/marketing-copy-approval.compiled.json")
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(compiled))

	again, err := GraphOf(d.Snapshot)
	require.NoError(t, err)
	require.Equal(t, d.Graph.Nodes, again.Nodes)
	require.Equal(t, d.Graph.Groups, again.Groups)
	require.Equal(t, d.Graph.Loops, again.Loops)
	require.Equal(t, d.Graph.Roots, again.Roots)
	second, err := json.Marshal(again.Compile())
	require.NoError(t, err)
	require.Equal(t, string(compiled), string(second))
}

func TestTheWorkedExampleIsValid(t *testing.T) {
	t.Parallel()
	_, issues := Parse([]byte(workedExample(t)), Options{})
	require.Empty(t, issues)
}
