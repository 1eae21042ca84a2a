package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	getHooks       = "workspace/advancedwebhookconfig/get"
	setHooks       = "workspace/advancedwebhookconfig/update"
	createEndpoint = "workspace/advancedwebhook/endpoints/create"
	listEndpoints  = "workspace/advancedwebhook/endpoints/get"
	updateEndpoint = "workspace/advancedwebhook/endpoints/update"
	deleteEndpoint = "workspace/advancedwebhook/endpoints/delete"
	endpointSecret = "workspace/advancedwebhook/endpoints/secret/get"
	rotateSecret   = "workspace/advancedwebhook/endpoints/secret/rotate"
	testEndpoint   = "workspace/advancedwebhook/endpoints/test"
	getAttempts    = "workspace/advancedwebhook/attempts/get"
	recoverMissed  = "workspace/advancedwebhook/endpoints/recover"
	getRecovery    = "workspace/advancedwebhook/endpoints/recover/get"
	getMessages    = "workspace/advancedwebhook/messages/get"
	resendMessage  = "workspace/advancedwebhook/messages/resend"
)

// endpointView is an endpoint as the operations show it.
type endpointView struct {
	ID          string            `json:"id"`
	URL         string            `json:"url"`
	Description *string           `json:"description"`
	FilterTypes []string          `json:"filterTypes"`
	Channels    []string          `json:"channels"`
	Disabled    bool              `json:"disabled"`
	RateLimit   *int              `json:"rateLimit"`
	UID         *string           `json:"uid"`
	CreatedAt   string            `json:"createdAt"`
	UpdatedAt   string            `json:"updatedAt"`
	Metadata    map[string]string `json:"metadata"`
}

type endpointPage struct {
	Endpoints    []endpointView
	Iterator     *string
	PrevIterator *string
	Done         bool
}

// hooked switches webhooks on.
func (s *scene) hooked() *scene {
	s.t.Helper()
	s.call(setHooks, map[string]any{"isEnabled": true}, nil)
	return s
}

// endpoint makes one; changes are its further fields.
func (s *scene) endpoint(url string, changes ...map[string]any) endpointView {
	s.t.Helper()
	data := map[string]any{"url": url}
	for _, change := range changes {
		maps.Copy(data, change)
	}
	var made client.Wrapped[endpointView]
	s.call(createEndpoint, data, &made)
	return made.Data
}

func (s *scene) endpoints(data map[string]any) endpointPage {
	s.t.Helper()
	var page client.Wrapped[endpointPage]
	s.call(listEndpoints, data, &page)
	return page.Data
}

func of(endpointID string) map[string]any { return map[string]any{"endpointId": endpointID} }

// somewhere is an address that may be told and is never called in these stories.
const somewhere = "https://hooks.example.com/told"

type hooksView struct {
	IsEnabled, EncryptData, EncodeData, EnableDataProtection bool
	PublicKey                                                string
}

func (s *scene) hooks() hooksView {
	s.t.Helper()
	var found client.Wrapped[hooksView]
	s.call(getHooks, map[string]any{}, &found)
	return found.Data
}

func many(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("t%d", i)
	}
	return list
}

func numbered(n int) map[string]any {
	found := map[string]any{}
	for _, name := range many(n) {
		found[name] = "x"
	}
	return found
}

func TestEndpointsCreate_5_WhatComesBack(t *testing.T) {
	s := begin(t).hooked()
	reply, err := s.keyed.Send(s.ctx, "/v2/"+createEndpoint, []byte(`{"data":{"url":"https://Hooks.example.com/Told?x=1","secret":"whsec_mine",
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
	listed := s.endpoints(map[string]any{"includeMetadata": true}).Endpoints[0]
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, listed.Metadata)
	assert.Nil(t, s.endpoints(map[string]any{}).Endpoints[0].Metadata)
}
