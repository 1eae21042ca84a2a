package api_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestRecover_5_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	e := kit.Endpoint(kit.Hooked(env), kit.Somewhere)
	now := time.Now()
	for _, faulty := range []map[string]any{
		{},
		{"since": "yesterday"},
		{"since": now.UnixMilli(), "until": now.Add(-time.Second).UnixMilli()},
		{"since": now.AddDate(0, 0, -31).UnixMilli()},
		{"since": now.Add(time.Hour).UnixMilli()},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.RecoverMissed, kit.Merged(kit.Of(e.ID), faulty))
	}
	env.RefusedAs("NOT_FOUND", client.RecoverMissed, map[string]any{"endpointId": "ep_none", "since": now.UnixMilli()})
	env.RefusedAs("NOT_FOUND", client.GetRecovery, map[string]any{"recoveryId": "rcv_none"})
	off := kit.Endpoint(env, kit.Somewhere, map[string]any{"disabled": true})
	require.Equal(t, redline.ErrorDetailsReasonEndpointDisabled, env.RefusedAs("FAILED_PRECONDITION", client.RecoverMissed, map[string]any{"endpointId": off.ID, "since": now.UnixMilli()}).Reason)
	kit.Recover(env, e.ID, now.Add(-time.Hour), map[string]any{"until": now.Format(time.RFC3339)})
	require.Equal(t, redline.ErrorDetailsReasonRecoveryRunning, env.RefusedAs("ABORTED", client.RecoverMissed, map[string]any{"endpointId": e.ID, "since": now.UnixMilli()}).Reason)
}
