package tests

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestSettingsUpdate_1and4_WhatIsRefused(t *testing.T) {
	s := begin(t)
	before := s.settings()
	for _, data := range []map[string]any{
		{},
		{"other": true},
		{"requireAutoOrgUser": "true"},
		{"requireAutoOrgUser": nil},
		{"requireAutoOrgUser": true, "enablePrivateComments": nil},
		{"defaultDocumentAccessType": "private"},
	} {
		s.refusedAs("INVALID_ARGUMENT", updateSettings, data)
	}
	require.Equal(t, before, s.settings())
}

func TestSettingsUpdate_2_AnUnknownKeyIsNamed(t *testing.T) {
	s := begin(t)
	reply, err := s.keyed.Send(s.ctx, "/v2/"+updateSettings, []byte(`{"data":{"requireAutoOrgUser":true,"other":1}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	require.Equal(t, "other", reply.Header.Get("x-svc-ignored-fields"))
	require.True(t, s.settings().AutoMembers)
}

func TestSettingsUpdate_3_ParallelChangesOfDifferentFieldsSurvive(t *testing.T) {
	s := begin(t)
	fields := []string{"enablePrivateComments", "requireAutoOrgUser", "enableAdvancedQueries"}
	together(len(fields), func(i int) {
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, updateSettings, map[string]any{fields[i]: i == 1})
		require.NoError(t, err)
	})
	after := s.settings()
	require.Equal(t, []bool{false, true, false}, []bool{after.PrivateComments, after.AutoMembers, after.AdvancedQueries})
}

func TestSettingsGet_2_TwoKeysDifferInTheirLabelOnly(t *testing.T) {
	s := begin(t)
	second := s.secondKey()
	seen, err := client.Call[client.Wrapped[settingsView]](s.ctx, second, getSettings, map[string]any{})
	require.NoError(t, err)
	require.Equal(t, "second@example.com", seen.Data.OwnerEmail)
	first := s.settings()
	first.OwnerEmail = seen.Data.OwnerEmail
	require.Equal(t, first, seen.Data)
}
