package interpreter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEventsOfGroupsAndLoopsHaveNoStatus(t *testing.T) {
	t.Parallel()
	met := grouped(t, "waitAll", 2, 1, []string{human("m1", "ann"), mock("m2"), mock("next")}, fromGroup("next", "approve"))
	met.decide("m1", "ann", "approve")
	looped := begin(t, mock("write")+","+human("check", "ann")+","+mock("give-up"), edge("write", "check", "always")+","+
		edge("check", "give-up", "exhausted")+`,{"from":"check","to":"write","on":"reject","loop":{"maxIterations":1}}`)
	looped.ask()
	looped.decideAt("check", 1, "ann", "reject")
	looped.decideAt("check", 2, "ann", "reject")
	seen := map[string]bool{}
	for _, e := range append(met.events, looped.events...) {
		source, _, _ := strings.Cut(e.Type, ".")
		seen[e.Type] = true
		require.Equal(t, source == "step" || source == "execution", e.Status != "", "%s has the status %q", e.Type, e.Status)
	}
	require.True(t, seen["group.quorum-met"] && seen["loop.iteration-started"] && seen["loop.exhausted"], "%v", seen)
}
