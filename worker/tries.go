package worker

import (
	"context"
	"maps"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/internal/telemetry"
)

const (
	// UsualAttempts is how often an activity may be tried as a matter of course: a
	// worker died, a part was away for a moment. One that is tried more often keeps
	// failing.
	UsualAttempts = 3
	// failingFor is for how long an activity counts as failing after a try has failed
	// here: longer than any pause between two tries, after which it may well have
	// succeeded elsewhere.
	failingFor = 5 * time.Minute
	// forgetFailing is how often those are looked for whose time is over.
	forgetFailing = 15 * time.Second
)

// tries sees every try of an activity in this worker. It makes panics errors and
// counts the activities that keep failing. Each process counts those that it has
// tried, so one may be counted by two of them.
type tries struct {
	interceptor.WorkerInterceptorBase

	metrics *telemetry.Metrics // nil for nobody

	mu      sync.Mutex
	failing map[triedActivity]time.Time // until when; zero while a try is under way
}

// triedActivity is an activity of a run.
type triedActivity struct{ runID, id, name string }

func newTries(metrics *telemetry.Metrics) *tries {
	return &tries{metrics: metrics, failing: map[triedActivity]time.Time{}}
}

// InterceptActivity puts the look at tries around each of them.
func (t *tries) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	seen := &seenTry{tries: t}
	seen.Next = next
	return seen
}

// seenTry is one try.
type seenTry struct {
	interceptor.ActivityInboundInterceptorBase

	tries *tries
}

// ExecuteActivity makes the try.
func (s *seenTry) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (result any, err error) {
	info := activity.GetInfo(ctx)
	s.tries.begin(info)
	defer func() {
		if cause := recover(); cause != nil {
			result, err = nil, activities.Panicked(ctx, cause)
		}
		s.tries.end(info, err)
	}()
	return s.Next.ExecuteActivity(ctx, in)
}

// begin notes a try that follows on as many failed ones as count as failing.
func (t *tries) begin(info activity.Info) {
	if info.Attempt > UsualAttempts {
		t.note(info, func(of triedActivity) { t.failing[of] = time.Time{} })
	}
}

// end notes what became of it.
func (t *tries) end(info activity.Info, err error) {
	if info.Attempt <= UsualAttempts {
		return
	}
	t.note(info, func(of triedActivity) {
		if err == nil {
			delete(t.failing, of)
		} else {
			t.failing[of] = time.Now().Add(failingFor)
		}
	})
}

func (t *tries) note(info activity.Info, change func(of triedActivity)) {
	of := triedActivity{info.WorkflowExecution.RunID, info.ActivityID, info.ActivityType.Name}
	t.mu.Lock()
	defer t.mu.Unlock()
	change(of)
	t.show(of.name)
}

// show sets the metric of the activities of that name.
func (t *tries) show(name string) {
	if t.metrics == nil {
		return
	}
	n := 0
	for of := range t.failing {
		if of.name == name {
			n++
		}
	}
	t.metrics.ActivitiesFailing.WithLabelValues(name).Set(float64(n))
}

// run forgets activities of which nothing was seen here for long, until ctx ends.
func (t *tries) run(ctx context.Context) {
	poll.New(forgetFailing).Run(ctx, func(context.Context) bool {
		t.forget(time.Now())
		return false
	})
}

func (t *tries) forget(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := map[string]bool{}
	maps.DeleteFunc(t.failing, func(of triedActivity, until time.Time) bool {
		gone := !until.IsZero() && now.After(until)
		names[of.name] = names[of.name] || gone
		return gone
	})
	for name := range names {
		t.show(name)
	}
}
