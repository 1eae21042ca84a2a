package definition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/definition"
	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/modelstest"
)

// pages reads a whole list in small pages.
func (s *shelf) pages(f definitions.Filter, size int) []string {
	s.t.Helper()
	var ids []string
	var after *definitions.Position
	for {
		page, err := s.List(s.t.Context(), modelstest.Workspace, f, after, size)
		require.NoError(s.t, err)
		for _, v := range page.Items {
			ids = append(ids, v.DefinitionID)
		}
		if after = page.Next; after == nil {
			return ids
		}
	}
}

func TestListsOfDefinitions(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for i := range 9 {
		more := []string{
			`,"tags":["red","blue"],"scope":{"level":"organization","organizationId":"o1"}`,
			`,"tags":["blue"],"scope":{"level":"document","organizationId":"o1","documentId":"d1"}`, "",
		}[i%3]
		s.create(fmt.Sprintf("def-%d", i), more)
	}
	s.exec(`UPDATE definitions SET updated_at = '2026-01-01T00:00:00.123456Z'`)
	want := []string{"def-8", "def-7", "def-6", "def-5", "def-4", "def-3", "def-2", "def-1", "def-0"}
	for _, size := range []int{1, 2, 4, 500} {
		require.Equal(t, want, s.pages(definitions.Filter{}, size), "all have one updatedAt")
	}
	require.Equal(t, []string{"def-7", "def-6", "def-4", "def-3", "def-1", "def-0"}, s.pages(definitions.Filter{OrganizationID: "o1"}, 2))
	require.Equal(t, []string{"def-7", "def-4", "def-1"}, s.pages(definitions.Filter{OrganizationID: "o1", DocumentID: "d1"}, 2))
	require.Equal(t, []string{"def-7", "def-4", "def-1"}, s.pages(definitions.Filter{DocumentID: "d1"}, 2))
	require.Equal(t, []string{"def-6", "def-3", "def-0"}, s.pages(definitions.Filter{Tag: "red"}, 2))
	require.Empty(t, s.pages(definitions.Filter{Tag: "red", DocumentID: "d1"}, 2))

	require.NoError(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "def-8"}))
	_, err := s.update("def-0", "moved", "", 1)
	require.NoError(t, err)
	require.Equal(t, "def-0", s.pages(definitions.Filter{}, 3)[0], "the latest change is first")
	other, err := s.List(t.Context(), "ws_other", definitions.Filter{}, nil, 10)
	require.NoError(t, err)
	require.NotNil(t, other.Items)
	require.Empty(t, other.Items)
}

func TestAPageOfDefinitionsEndsEarlyWhenItIsLarge(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	node := `{"nodeId":"n","type":"human","config":{"reviewerIds":["u"],"commentBody":"` + strings.Repeat("x", 7900) + `"}}`
	nodes := make([]string, 90, 91)
	edges := make([]string, 90)
	for i := range nodes {
		nodes[i] = strings.Replace(node, `"n"`, fmt.Sprintf(`"n%d"`, i), 1)
		edges[i] = fmt.Sprintf(`{"from":"n%d","to":"end","on":"reject"}`, i)
	}
	nodes = append(nodes, `{"nodeId":"end","type":"agent","config":{"agentId":"__mock__"}}`)
	for i := range 13 {
		text := fmt.Sprintf(`{"definitionId":"big-%02d","name":"n","nodes":[%s],"edges":[%s]}`, i, strings.Join(nodes, ","), strings.Join(edges, ","))
		d, issues := definition.Parse([]byte(text), definition.Options{})
		require.Empty(t, issues)
		_, err := s.Create(t.Context(), modelstest.Workspace, d)
		require.NoError(t, err)
	}
	page, err := s.List(t.Context(), modelstest.Workspace, definitions.Filter{}, nil, 500)
	require.NoError(t, err)
	assert.NotNil(t, page.Next)
	assert.Len(t, page.Items, 11, "8 MiB of some 730 KiB each")
	require.Len(t, s.pages(definitions.Filter{}, 500), 13)
}
