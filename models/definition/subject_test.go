package definition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

const ofSpring = `,"scope":{"level":"document","organizationId":"acme","documentId":"spring"}`

func (s *shelf) dispatch(definitionID, documentID string) error {
	_, err := s.executions.Dispatch(s.t.Context(), modelstest.Workspace, execution.Dispatch{
		DefinitionID: definitionID, KeySpace: contract.KeysOfCallers, OrganizationID: "acme", DocumentID: documentID,
	})
	return err
}

func ofDocument(documentID string) definitions.Filter {
	return definitions.Filter{OrganizationID: "acme", DocumentID: documentID}
}

// Every version of a definition carries the id that its document has now.
func TestDefinitionsGoAlongWithTheirDocument(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.create("one", ofSpring)
	_, err := s.update("one", "second", ofSpring, 1)
	require.NoError(t, err)
	modelstest.Rename(t, s.db, modelstest.Workspace, "spring", "summer")
	for version := 1; version <= 2; version++ {
		read, err := s.Version(t.Context(), modelstest.Workspace, "one", version)
		require.NoError(t, err)
		require.Equal(t, "summer", *read.Scope.DocumentID)
		require.Equal(t, "acme", *read.Scope.OrganizationID)
	}
	require.Equal(t, []string{"one"}, s.pages(ofDocument("summer"), 5))
	require.Empty(t, s.pages(ofDocument("spring"), 5))
	require.NoError(t, s.dispatch("one", "summer"))
	refused := s.dispatch("one", "spring")
	require.True(t, fault.Is(refused, fault.StatusInvalidArgument), "%v", refused)
	s.create("two", ofSpring)
	require.Equal(t, []string{"two"}, s.pages(ofDocument("spring"), 5), "the old id names something new")
}

// Definitions stay when what they are scoped to is removed.
func TestDefinitionsOfWhatIsRemovedStay(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.create("one", ofSpring)
	modelstest.Remove(t, s.db, modelstest.Workspace, "spring")
	s.create("two", ofSpring)
	modelstest.RemoveOrganization(t, s.db, modelstest.Workspace, "acme")
	s.create("three", ofSpring)
	require.Equal(t, []string{"three", "two", "one"}, s.pages(ofDocument("spring"), 2))
	for _, name := range []string{"one", "two", "three"} {
		read, err := s.Get(t.Context(), modelstest.Workspace, name)
		require.NoError(t, err)
		require.Equal(t, "spring", *read.Scope.DocumentID)
		require.NoError(t, s.dispatch(name, "spring"))
	}
}
