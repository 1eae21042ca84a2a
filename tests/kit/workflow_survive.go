package kit

import (
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// Pipeline creates a definition of a call, a person and another call, and returns its id. The
// calls have ten seconds, so that no busy machine makes one of them twice.
func Pipeline(env *Env) string {
	env.T.Helper()
	return PipelineWithin(env, 10*time.Second)
}

// PipelineWithin is Pipeline with a limit of its calls: one that is cut off by a
// kill begins again ten seconds after it.
func PipelineWithin(env *Env, limit time.Duration) string {
	env.T.Helper()
	return Define(env,
		[]redline.NodeInput{
			client.With(client.Hook("before", env.Receiver().URL("/before")), "timeoutMs", limit.Milliseconds()),
			client.Human("review", "ann"),
			client.With(client.Hook("after", env.Receiver().URL("/after")), "timeoutMs", limit.Milliseconds()),
		},
		client.Always("before", "review"), client.Approve("review", "after"), client.Reject("review", "after"))
}

// CalledOnce requires that a path of the receiver was called for one thing only, n times, and
// returns the requests.
func CalledOnce(env *Env, path string, n int) []receiver.Request {
	env.T.Helper()
	requests := env.Receiver().Requests(path)
	require.Len(env.T, requests, n, path)
	for _, request := range requests {
		require.Equal(env.T, requests[0].Header.Get("x-svc-event-id"), request.Header.Get("x-svc-event-id"))
		require.Equal(env.T, string(requests[0].Body), string(request.Body))
	}
	return requests
}
