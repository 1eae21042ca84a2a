package api_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// What is counted are the schedules that the definitions have. No day fits the line of these.
func TestSchedule_4_AThousandOfAWorkspace(t *testing.T) {
	const most, each = 1000, 50
	env := newWorkspace(t)
	full := func(n int, enabled bool) map[string]any {
		list := make([]any, n)
		for i := range list {
			clock := kit.ClockTrigger("0 0 31 2 *", map[string]any{"enabled": enabled})
			clock["triggerId"] = fmt.Sprint("clock-", i)
			list[i] = clock
		}
		return map[string]any{"triggers": list}
	}
	for range most/each - 1 {
		kit.Created(env, kit.Unique("definition"), full(each, true))
	}
	last := kit.Unique("definition")
	kit.Created(env, last, full(each-1, true))
	kit.Created(env, kit.Unique("definition"), full(each, false))
	kit.Created(env, kit.Unique("definition"), full(1, true))
	env.RefusedAs("RESOURCE_EXHAUSTED", client.CreateDefinition, kit.Simple(kit.Unique("definition"), full(1, true)))
	more := kit.Simple(last, full(each, true))
	more["ifVersion"] = 1
	before := kit.ScheduleRows(env, last)
	env.RefusedAs("RESOURCE_EXHAUSTED", client.UpdateDefinition, more)
	require.InDelta(t, 1, kit.GetDefinitionView(env, last)["version"], 0, "the update has changed nothing")
	require.Equal(t, before, kit.ScheduleRows(env, last))
	fewer := kit.Simple(last, full(each-2, true))
	fewer["ifVersion"] = 1
	env.Call(client.UpdateDefinition, fewer, nil)
	kit.Created(env, kit.Unique("definition"), full(1, true))
}
