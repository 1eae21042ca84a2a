package kit

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// GetPath is the path of workflow/executions/get.
const GetPath = "/v2/" + client.GetExecution

// BodySize is the most bytes that a body may have.
const BodySize = 1 << 20

// Send posts a body to a path and returns the error that answers it, nil for a success.
func Send(t *testing.T, session *client.Session, path, body string, header map[string]string) *redline.Error {
	t.Helper()
	reply, err := session.Send(t.Context(), path, []byte(body), header)
	require.NoError(t, err)
	return reply.Failure()
}
