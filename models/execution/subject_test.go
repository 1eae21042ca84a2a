package execution_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

// about are the documents that an execution and its steps show.
func about(v *view.ExecutionView) []string {
	documents := []string{*v.DocumentID}
	for _, s := range v.Steps {
		documents = append(documents, *s.Metadata.DocumentID)
	}
	return documents
}

// stepsOf are the executions of the steps that a list shows of a document of acme.
func stepsOf(t *testing.T, b *modelstest.Bench, documentID string) []string {
	t.Helper()
	page, err := b.ListSteps(t.Context(), modelstest.Workspace, view.StepFilter{OrganizationID: "acme", DocumentID: documentID}, nil, 50)
	require.NoError(t, err)
	executions := []string{}
	for _, s := range page.Items {
		require.Equal(t, documentID, *s.Metadata.DocumentID)
		require.Equal(t, "acme", *s.Metadata.OrganizationID)
		executions = append(executions, s.ExecutionID)
	}
	return executions
}

// Executions and steps of a document that gets another id carry the new one, and so
// does what they make afterwards.
func TestExecutionsGoAlongWithTheirDocument(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	spring := execution.Dispatch{OrganizationID: "acme", DocumentID: "spring", FolderID: "f"}
	run := b.Waiting("k", spring)
	b.Decides(run, "ann", "approve", "before")
	modelstest.Rename(t, b.DB, modelstest.Workspace, "spring", "summer")
	require.Equal(t, []string{"summer", "summer"}, about(b.Read(run)))
	page, err := b.List(t.Context(), modelstest.Workspace, view.Filter{}, nil, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"summer", "summer"}, about(&page.Items[0]))
	require.Equal(t, "f", *page.Items[0].Steps[0].Metadata.FolderID)
	require.Equal(t, []string{run}, stepsOf(t, b, "summer"))
	require.Empty(t, stepsOf(t, b, "spring"))
	b.Decides(run, "bob", "approve", "after")
	require.Len(t, b.Judgments(judgment.Filter{OrganizationID: "acme", DocumentID: "summer"}), 2)
	require.Empty(t, b.Judgments(judgment.Filter{OrganizationID: "acme", DocumentID: "spring"}))
	require.Equal(t, []string{"summer", "summer", "summer"}, about(b.Read(run)), "the step that follows")
	again := b.Waiting("again", spring)
	require.Equal(t, []string{again}, stepsOf(t, b, "spring"), "the old id names something new")
}

// Executions of what is removed go on and stay readable with the id that it had; they
// make no judgments any more.
func TestExecutionsOfWhatIsRemovedGoOn(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	spring := execution.Dispatch{OrganizationID: "acme", DocumentID: "spring"}
	former := b.Waiting("former", spring)
	b.Decides(former, "ann", "approve", "before")
	modelstest.Remove(t, b.DB, modelstest.Workspace, "spring")
	require.Equal(t, []string{"spring", "spring"}, about(b.Read(former)))
	require.Equal(t, []string{former}, stepsOf(t, b, "spring"))
	require.Empty(t, b.Judgments(judgment.Filter{}))
	now := b.Waiting("now", spring)
	b.Decides(now, "ann", "approve", "of the new one")
	require.True(t, b.Decides(former, "bob", "approve", "late").Recorded)
	require.ElementsMatch(t, []string{former, former, now}, stepsOf(t, b, "spring"))
	require.Equal(t, "of the new one", b.Judgments(judgment.Filter{OrganizationID: "acme", DocumentID: "spring"})[0].Reasoning)
	require.Empty(t, b.Rows(`SELECT record_id FROM judgments WHERE reasoning = 'late'`))
	modelstest.RemoveOrganization(t, b.DB, modelstest.Workspace, "acme")
	require.Len(t, stepsOf(t, b, "spring"), 3)
	require.Empty(t, b.Judgments(judgment.Filter{}))
	require.Equal(t, "acme", *b.Read(now).OrganizationID)
}

// An execution may be about a document of no organization.
func TestExecutionsOfADocumentAlone(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	run := b.Waiting("k", execution.Dispatch{DocumentID: "spring"})
	b.Waiting("other", execution.Dispatch{OrganizationID: "acme", DocumentID: "spring"})
	b.Waiting("none", execution.Dispatch{})
	require.Nil(t, b.Read(run).OrganizationID)
	require.Equal(t, []string{"spring", "spring"}, about(b.Read(run)))
	page, err := b.ListSteps(t.Context(), modelstest.Workspace, view.StepFilter{DocumentID: "spring"}, nil, 10)
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	b.Decides(run, "ann", "approve", "")
	require.Equal(t, "spring", *b.Judgments(judgment.Filter{})[0].DocumentID)
}
