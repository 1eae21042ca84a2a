package kit

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/stack"
)

// Stopping sends SIGTERM to a process and returns once it reports that it stops; how it
// ended comes over the channel.
func Stopping(t *testing.T, process *stack.Service) <-chan error {
	t.Helper()
	stopped := make(chan error, 1)
	go func() { stopped <- process.Stop() }()
	RequireEventually(t, "the process reports that it is stopping", func() bool {
		stopping, err := ReportsStopping(t, process)
		return err != nil || stopping
	})
	return stopped
}

// ReportsStopping reports whether a process answers that it stops; a part that is away makes it
// unready, too. An error means that it does not serve.
func ReportsStopping(t *testing.T, process *stack.Service) (bool, error) {
	t.Helper()
	answer, err := http.Get(process.Ops + "/readyz")
	if err != nil {
		return false, err
	}
	defer func() { require.NoError(t, answer.Body.Close()) }()
	var said struct {
		Stopping bool `json:"stopping"`
	}
	err = json.NewDecoder(answer.Body).Decode(&said)
	if said.Stopping {
		require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	}
	return said.Stopping, err
}
