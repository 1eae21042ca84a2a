package webhook

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestEndpointsCreate_5_WhatComesBack(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.CreateEndpoint, []byte(`{"data":{"url":"https://Hooks.example.com/Told?x=1","secret":"whsec_mine",
		"filterTypes":["comment.add","comment.Add","mine"],"metadata":{"b":"2","a":"1"}}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	assert.Equal(t, "secret", reply.Header.Get("x-svc-ignored-fields"))
	assert.Equal(t, "comment.Add,mine", reply.Header.Get("x-svc-unknown-event-types"))
	var answer struct {
		Result struct{ Data map[string]any }
	}
	require.NoError(t, json.Unmarshal(reply.Body, &answer))
	data := answer.Result.Data
	assert.Equal(t, "https://Hooks.example.com/Told?x=1", data["url"])
	assert.Len(t, data, 10, "no secret and no metadata")
	for _, unset := range []string{"description", "channels", "rateLimit", "uid"} {
		value, there := data[unset]
		assert.True(t, there && value == nil, unset)
	}
	assert.Regexp(t, `^ep_[0-9a-z]{26}$`, data["id"])
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, data["createdAt"])
	assert.Equal(t, data["createdAt"], data["updatedAt"])
	listed := kit.Endpoints(env, map[string]any{"includeMetadata": true}).Endpoints[0]
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, listed.Metadata)
	assert.Nil(t, kit.Endpoints(env, map[string]any{}).Endpoints[0].Metadata)
}
