package job_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	jobs "github.com/redline-svc/redline/activities/job"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/job"
)

// rows plays the rows of one job.
type rows struct {
	job      *job.Job
	progress int64
	ended    bool
	// state is what it ends in, completed where it is empty.
	state string
}

func (r *rows) Begin(context.Context, string) (*job.Job, error) {
	if r.ended {
		return nil, nil //nolint:nilnil // as the rows do
	}
	return r.job, nil
}

func (r *rows) Progress(_ context.Context, _ string, n int64) error {
	r.progress += n
	return nil
}

func (r *rows) Complete(context.Context, string) (state string, err error) {
	r.ended = true
	return cmp.Or(r.state, "completed"), nil
}

func try(t *testing.T, r *rows, handlers map[string]jobs.Handler) (contract.JobResult, error) {
	t.Helper()
	return counted(t, r, handlers, telemetry.NewMetrics())
}

func counted(t *testing.T, r *rows, handlers map[string]jobs.Handler, m *telemetry.Metrics) (contract.JobResult, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	a := jobs.New(r, handlers, m)
	env.RegisterActivity(a.Work)
	value, err := env.ExecuteActivity(a.Work, contract.JobInput{ID: "rem_1"})
	var result contract.JobResult
	if err == nil {
		require.NoError(t, value.Get(&result))
	}
	return result, err
}

func TestAJobIsDoneInPortions(t *testing.T) {
	r := &rows{job: &job.Job{ID: "rem_1", Kind: "k"}}
	left := 3
	handle := func(context.Context, *job.Job) (int64, bool, error) {
		left--
		return 10, left > 0, nil
	}
	result, err := try(t, r, map[string]jobs.Handler{"k": handle})
	require.NoError(t, err)
	assert.Equal(t, contract.JobResult{Done: 30}, result)
	assert.EqualValues(t, 30, r.progress)
	assert.True(t, r.ended)
	result, err = try(t, r, nil)
	require.NoError(t, err)
	assert.Equal(t, contract.JobResult{}, result, "one that has ended has nothing to do")
}

func TestAJobRestsForHalfOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, broken := 3, errors.New("broken")
		handle := jobs.Rested(func(context.Context, *job.Job) (int64, bool, error) {
			time.Sleep(time.Second)
			left--
			if left < 0 {
				return 0, true, broken
			}
			return 10, left > 0, nil
		})
		began := time.Now()
		for more := true; more; {
			rows, again, err := handle(t.Context(), nil)
			require.NoError(t, err)
			require.EqualValues(t, 10, rows)
			more = again
		}
		require.Equal(t, 5*time.Second, time.Since(began), "nothing comes behind the last portion")
		_, _, err := handle(t.Context(), nil)
		require.ErrorIs(t, err, broken)
		require.Equal(t, 6*time.Second, time.Since(began))

		left = 3
		stopping, stop := context.WithCancel(t.Context())
		stop()
		_, more, err := handle(stopping, nil)
		require.NoError(t, err, "what it did is done")
		require.True(t, more)
		require.Equal(t, 7*time.Second, time.Since(began))
	})
}

func TestAFaultLeavesTheJobToTheNextTry(t *testing.T) {
	r := &rows{job: &job.Job{ID: "rem_1", Kind: "k"}}
	away := func(context.Context, *job.Job) (int64, bool, error) { return 0, false, errors.New("away") }
	_, err := try(t, r, map[string]jobs.Handler{"k": away})
	require.Error(t, err)
	_, err = try(t, r, map[string]jobs.Handler{})
	require.ErrorContains(t, err, "retryable: true", "a newer worker may know its kind")
	assert.False(t, r.ended)
}

func TestWhatAJobEndedAsIsCounted(t *testing.T) {
	m := telemetry.NewMetrics()
	handlers := map[string]jobs.Handler{job.Migration: func(context.Context, *job.Job) (int64, bool, error) { return 0, false, nil }}
	for _, state := range []string{"failed", "completed", "failed"} {
		_, err := counted(t, &rows{job: &job.Job{ID: "mig_1", Kind: job.Migration}, state: state}, handlers, m)
		require.NoError(t, err)
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.Contains(t, w.Body.String(), `redline_jobs_ended_total{kind="migration",state="failed"} 2`)
	assert.Contains(t, w.Body.String(), `redline_jobs_ended_total{kind="migration",state="completed"} 1`)
}

// heap plays what is left of a deletion: numbers of rows of each kind.
type heap struct{ named, scoped, contents, documents, rest int }

func take(of *int, most int) int64 {
	n := min(*of, most)
	*of -= n
	return int64(n)
}

func (h *heap) RemoveBatch(context.Context, string) (int, error) {
	return int(take(&h.scoped, 1000)), nil
}

func (h *heap) Free(_ context.Context, _ string, _ directory.Removal, limit int) (int64, error) {
	return take(&h.named, limit), nil
}

func (h *heap) Documents(context.Context, directory.Removal, int) ([]int64, error) {
	if h.named > 0 {
		return nil, errors.New("documents go after their ids")
	}
	return make([]int64, min(h.documents, 100)), nil
}

func (h *heap) RemoveOfDocuments(_ context.Context, _ []int64, limit int) (int64, error) {
	return take(&h.contents, limit), nil
}

func (h *heap) RemoveOfOrganizations(context.Context, []int64, int) (int64, error) { return 0, nil }

func (h *heap) RemoveDocuments(_ context.Context, keys []int64, _ int) (int64, error) {
	if h.contents > 0 {
		return 0, errors.New("documents go after what is in them")
	}
	return take(&h.documents, len(keys)), nil
}

func (h *heap) RemoveRest(_ context.Context, _ directory.Removal, limit int) (int64, error) {
	if h.documents > 0 {
		return 0, errors.New("an organization goes after its documents")
	}
	return take(&h.rest, limit), nil
}

func TestARemovalTakesEverythingFromTheInsideOut(t *testing.T) {
	h := &heap{named: 1200, scoped: 2500, contents: 3500, documents: 250, rest: 1500}
	r := &rows{job: &job.Job{ID: "rem_1", Kind: job.Removal, Input: []byte(`{"organizations":[1]}`)}}
	result, err := try(t, r, map[string]jobs.Handler{job.Removal: jobs.Remove(h, h, h)})
	require.NoError(t, err)
	assert.Equal(t, contract.JobResult{Done: 1200 + 2500 + 3500 + 250 + 1500}, result)
	assert.Equal(t, heap{}, *h)
}
