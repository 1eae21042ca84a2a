package id_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/id"
)

func TestIdsOfOneKindSortByTime(t *testing.T) {
	made := make([]string, 1000)
	for i := range made {
		made[i] = id.New(id.Workspace)
		require.Regexp(t, `^ws_[0-9a-z]{26}$`, made[i])
	}
	assert.True(t, slices.IsSorted(made))
	assert.Len(t, slices.Compact(made), len(made), "no two are equal")
}

func TestTokens(t *testing.T) {
	first, second := id.Token("kat"), id.Token("kat")
	assert.Regexp(t, `^kat_[A-Za-z0-9_-]{43}$`, first)
	assert.NotEqual(t, first, second)
}

func TestRandom(t *testing.T) {
	assert.Len(t, id.Random(12), 12)
	first, second := id.Random(32), id.Random(32)
	assert.NotEqual(t, first, second)
}

func TestExecutionsShowTheirTime(t *testing.T) {
	at := time.UnixMilli(1767225600123)
	made := map[string]bool{}
	for range 1000 {
		execution := id.Execution(at)
		require.Regexp(t, `^exec_1767225600123_[a-z0-9]{8}$`, execution)
		made[execution] = true
	}
	assert.Len(t, made, 1000)
	shown, err := strconv.ParseInt(strings.Split(id.Execution(at), "_")[1], 10, 64)
	require.NoError(t, err)
	assert.Equal(t, at.UnixMilli(), shown)
}

func TestExecutionsSortByTheirTime(t *testing.T) {
	at := time.UnixMilli(1767225600123)
	first := id.FirstExecution(at)
	assert.Less(t, first, id.Execution(at))
	assert.Less(t, id.Execution(at.Add(-time.Millisecond)), first)
	assert.Less(t, id.Execution(at), id.Execution(at.Add(time.Millisecond)))
	for before, after := range map[int64]int64{0: 5, 5: 999_999_999_999, 999_999_999_999: 9_999_999_999_999} {
		assert.Less(t, id.FirstExecution(time.UnixMilli(before)), id.FirstExecution(time.UnixMilli(after)))
	}
	assert.Less(t, id.Execution(at), id.FirstExecution(time.UnixMilli(9_007_199_254_740_991)), "a time that never comes")
}
