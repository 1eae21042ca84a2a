package job_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	jobs "github.com/redline-svc/redline/activities/job"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/person"
)

// forgetful plays an erasure whose last task is about runs: those that are left, and what was done, in order.
type forgetful struct {
	left   []person.NamedRuns
	done   []string
	broken error
}

func (f *forgetful) NamedRuns(context.Context, *job.Job) ([]person.NamedRuns, error) {
	return f.left, nil
}

func (f *forgetful) RunsForgotten(_ context.Context, _ *job.Job, runs []person.NamedRuns) error {
	f.done, f.left = append(f.done, "noted "+runs[len(runs)-1].ExecutionID), nil
	return nil
}

func (f *forgetful) EraseSome(context.Context, *job.Job) (int64, bool, error) {
	f.done = append(f.done, "erased")
	return 0, false, nil
}

func (f *forgetful) Forget(_ context.Context, executionID, workflowID string) error {
	f.done = append(f.done, "forgot "+executionID+" at "+workflowID)
	return f.broken
}

func TestAnErasureNotesRunsOnceTemporalHasForgottenThem(t *testing.T) {
	t.Parallel()
	f := &forgetful{left: []person.NamedRuns{{ExecutionID: "a", WorkflowID: "execution/a"}, {ExecutionID: "b", WorkflowID: "execution/b"}}, broken: errors.New("away")}
	erase := jobs.Erase(f, f)
	_, _, err := erase(t.Context(), &job.Job{})
	require.ErrorIs(t, err, f.broken)
	f.broken = nil
	for more := true; more; {
		_, more, err = erase(t.Context(), &job.Job{})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"forgot a at execution/a", "forgot a at execution/a", "forgot b at execution/b", "noted b", "erased"}, f.done)
}
