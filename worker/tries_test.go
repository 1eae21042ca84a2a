package worker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/telemetry"
)

// anActivity is what the tests here try.
const anActivity = "an.activity"

func tryOnce(t *testing.T, seen *tries, fn func(context.Context) error) error {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{seen}})
	env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: anActivity})
	_, err := env.ExecuteActivity(anActivity)
	return err
}

func TestAPanicOfAnyActivityIsAnErrorOfItsTry(t *testing.T) {
	err := tryOnce(t, newTries(nil), func(context.Context) error { panic("a secret") })
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, activities.PanicType, app.Type())
	require.False(t, app.NonRetryable())
	require.NotContains(t, err.Error(), "secret")
	require.NoError(t, tryOnce(t, newTries(nil), func(context.Context) error { return nil }))
}

func TestActivitiesThatKeepFailingAreCountedUntilTheySucceedOrAreForgotten(t *testing.T) {
	m := telemetry.NewMetrics()
	seen := newTries(m)
	counted := func(want string) {
		t.Helper()
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		text, err := io.ReadAll(w.Body)
		require.NoError(t, err)
		require.Contains(t, string(text), `redline_activities_failing{activity="an.activity"} `+want+"\n")
	}
	try := func(id string, attempt int32, err error) {
		info := activity.Info{ActivityID: id, Attempt: attempt, ActivityType: activity.Type{Name: anActivity}}
		seen.begin(info)
		seen.end(info, err)
	}
	away := errors.New("away")
	for attempt := range int32(UsualAttempts) {
		try("a", attempt+1, away)
	}
	require.Empty(t, seen.failing, "so often is nothing out of the ordinary")
	try("a", UsualAttempts+1, away)
	try("a", UsualAttempts+2, away)
	try("b", UsualAttempts+1, away)
	counted("2")
	try("a", UsualAttempts+3, nil)
	counted("1")

	seen.begin(activity.Info{ActivityID: "b", Attempt: UsualAttempts + 2, ActivityType: activity.Type{Name: anActivity}})
	seen.forget(time.Now().Add(2 * failingFor))
	counted("1")
	try("b", UsualAttempts+2, away)
	seen.forget(time.Now().Add(2 * failingFor))
	counted("0")
}
