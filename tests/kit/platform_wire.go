package kit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	GetPath  = "/v2/workflow/executions/get"
	BodySize = 1 << 20
)

// Send posts a body and returns the refusal, nil for a success.
func Send(t *testing.T, session *client.Session, path, body string, header map[string]string) *client.Failure {
	t.Helper()
	reply, err := session.Send(t.Context(), path, []byte(body), header)
	require.NoError(t, err)
	return reply.Failure()
}
