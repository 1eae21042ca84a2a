package platform

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCursorsOfEveryListAreBoundToTheirWorkspace(t *testing.T) {
	env := kit.NewWorkspace(t)
	stranger := kit.Elsewhere(env)
	for range 2 {
		kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	}
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	kit.RequireEventually(t, "three people are asked", func() bool { return len(kit.Inbox(env, "ann")) == 3 })
	for operation, data := range map[string]map[string]any{
		client.ListExecutions: {}, client.ListSteps: {}, client.ListDefinitions: {},
	} {
		data["pageSize"] = 1
		var page client.Page[json.RawMessage]
		env.Call(operation, data, &page)
		require.True(t, page.HasMore, operation)
		data["cursor"] = *page.NextCursor
		assert.Equal(t, redline.ProblemStatusInvalidArgument, stranger.Refused(operation, data).Status, operation)
		data["cursor"] = *page.NextCursor + "x"
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(operation, data).Status, operation)
		data["cursor"] = fmt.Sprintf("%064d", 0)
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(operation, data).Status, operation)
	}
}
