package tests

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecretRotate_WhatIsRefused(t *testing.T) {
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCompleted, map[string]any{"disabled": true})
	first := s.secretOf(e.ID)
	for _, faulty := range []any{-1, 604801, 1.5, "60", true} {
		failure := s.refusedAs("INVALID_ARGUMENT", rotateSecret, map[string]any{"endpointId": e.ID, "gracePeriodSeconds": faulty})
		assert.Equal(t, []string{"gracePeriodSeconds"}, failure.Issues[0].Path)
	}
	s.refusedAs("INVALID_ARGUMENT", rotateSecret, grace(0))
	s.refusedAs("NOT_FOUND", rotateSecret, of("ep_none"))
	require.Equal(t, first, s.secretOf(e.ID), "nothing has changed")
	require.NotEqual(t, first, s.rotate(e.ID).Secret, "a disabled endpoint's can be rotated")
}
