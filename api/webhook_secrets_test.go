package api_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestSecretRotate_WhatIsRefused(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted, map[string]any{"disabled": true})
	first := kit.SecretOf(env, e.ID)
	for _, faulty := range []any{-1, 604801, 1.5, "60", true} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.RotateSecret, map[string]any{"endpointId": e.ID, "gracePeriodSeconds": faulty})
		assert.Equal(t, []string{"gracePeriodSeconds"}, failure.Issues[0].Path)
	}
	env.RefusedAs("INVALID_ARGUMENT", client.RotateSecret, kit.Grace(0))
	env.RefusedAs("NOT_FOUND", client.RotateSecret, kit.Of("ep_none"))
	require.Equal(t, first, kit.SecretOf(env, e.ID), "nothing has changed")
	require.NotEqual(t, first, kit.Rotate(env, e.ID).Secret, "a disabled endpoint's can be rotated")
}
