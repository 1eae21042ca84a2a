package kit

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/stack"
)

// Stopping sends SIGTERM to a process and returns once it says that it stops; how it
// ended is on the channel.
func Stopping(t *testing.T, process *stack.Service) <-chan error {
	t.Helper()
	stopped := make(chan error, 1)
	go func() { stopped <- process.Stop() }()
	RequireEventually(t, "the process says that it is stopping", func() bool {
		says, err := SaysThatItStops(t, process)
		return err != nil || says
	})
	return stopped
}

// SaysThatItStops tells what a process says of itself; a part that is away makes it unready,
// too. The error is that it does not serve.
func SaysThatItStops(t *testing.T, process *stack.Service) (bool, error) {
	t.Helper()
	answer, err := http.Get(process.Ops + "/readyz")
	if err != nil {
		return false, err
	}
	defer func() { require.NoError(t, answer.Body.Close()) }()
	var said struct{ Stopping bool }
	err = json.NewDecoder(answer.Body).Decode(&said)
	if said.Stopping {
		require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	}
	return said.Stopping, err
}
