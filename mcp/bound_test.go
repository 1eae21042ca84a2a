package mcp

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
)

func TestAPageThatIsTooLargeIsReadWithFewerItems(t *testing.T) {
	var asked []int64
	a, err := paged(20, func(n int64) (page[string], error) {
		asked = append(asked, n)
		return page[string]{make([]string, n), "on"}, nil
	})
	require.NoError(t, err)
	require.Equal(t, []int64{20}, asked)
	require.Equal(t, "on", a.Next)

	asked = nil
	a, err = paged(20, func(n int64) (page[string], error) {
		asked = append(asked, n)
		items := make([]string, n)
		for i := range items {
			items[i] = strings.Repeat("x", 12<<10)
		}
		return page[string]{items, ""}, nil
	})
	require.NoError(t, err)
	require.Equal(t, []int64{20, 10, 5, 2}, asked)
	require.Len(t, a.Result, 2)
	require.Empty(t, a.Hint)
}

func TestTheLastOfALongSearchAreLeftOut(t *testing.T) {
	items := make([]string, 50)
	for i := range items {
		items[i] = strings.Repeat("x", 1<<10)
	}
	a := best(items)
	require.Less(t, size(a.Result), maxBytes+1)
	require.Len(t, a.Result, 31)
	require.Contains(t, a.Hint, "19 more were found")
}

func TestNoAnswerIsLargerThanItMayBe(t *testing.T) {
	for _, result := range []any{
		map[string]any{"text": strings.Repeat("é", maxBytes)},
		[]any{strings.Repeat("é", maxBytes)},
		map[string]any{"many": strings.Split(strings.Repeat("x ", maxBytes), " ")},
		strings.Repeat("\x00", maxBytes),
	} {
		a := answer{Result: result}.cut()
		require.LessOrEqual(t, size(a.Result), maxBytes)
		require.NotEmpty(t, a.Hint)
	}
	small := answer{Result: map[string]any{"n": 1}}
	require.Equal(t, small, small.cut())
}

func TestAnExecutionThatIsTooLargeIsShownWithoutOutputsAndThenWithItsLatestSteps(t *testing.T) {
	execution := func(steps, output int) *redline.Execution {
		of := &redline.Execution{Steps: make([]redline.Step, steps)}
		for i := range of.Steps {
			of.Steps[i].Output, of.Steps[i].StepID = redline.JSON(strconv.Quote(strings.Repeat("x", output))), strconv.Itoa(i)
		}
		return of
	}
	small := fitted(execution(3, 10), false)
	require.Empty(t, small.Hint)

	a := fitted(execution(10, 8<<10), false)
	require.Len(t, a.Result.(*redline.Execution).Steps, 10)
	require.Nil(t, a.Result.(*redline.Execution).Steps[9].Output)
	require.Contains(t, a.Hint, "stepIds")

	for _, outputs := range []bool{false, true} {
		a = fitted(execution(1000, 100), outputs)
		kept := a.Result.(*redline.Execution).Steps
		require.LessOrEqual(t, size(a.Result), maxBytes)
		require.Equal(t, "999", kept[len(kept)-1].StepID)
		require.Contains(t, a.Hint, "the first "+strconv.Itoa(1000-len(kept)))
	}
}
