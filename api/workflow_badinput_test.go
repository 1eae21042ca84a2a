package api_test

import (
	"strings"
	"testing"

	"github.com/redline-svc/redline/tests/kit"
)

func TestBadInput_TestsThatAreNone(t *testing.T) {
	env := newWorkspace(t)
	matching := func(pattern string) string { return `{"op":"regex","args":[{"var":"output.x"},"` + pattern + `"]}` }
	for _, when := range []string{
		strings.Repeat(`{"op":"not","args":[`, 10_000) + "true" + strings.Repeat("]}", 10_000),
		strings.Repeat(`[`, 10_000), `{"op":"not"`, `true`, `{"op":"eq","args":[` + strings.Repeat("1,", 300) + `1]}`,
		matching(`(?=x)`), matching(`(a)\\1`), matching(`(`), matching(`a{1001}`), matching(`((a{100}){100}){100}`), matching(`[b-a]`),
		matching(strings.Repeat("a", 301)), matching(strings.Repeat("(", 250)), `{"op":"regex","args":["x",{"var":"output.x"}]}`,
	} {
		kit.RefusedDefinition(env, "edge-when-invalid", kit.Guarded(when))
	}
}

func TestBadInput_CronLinesFromTheEdgeOfTheSyntax(t *testing.T) {
	env := newWorkspace(t)
	for _, line := range []string{
		"", "* * * *", "* * * * * *", "@daily", "@every 1s", "TZ=UTC * * * * *", "CRON_TZ=UTC * * * *", "? * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *",
		"* * * 13 *", "* * * * 8", "5-1 * * * *", "*/0 * * * *", "*-5 * * * *", "1,,2 * * * *", "* * L * *", "* * * * 5#2", "٣ * * * *", "0x5 * * * *",
		"99999999999999999999 * * * *", strings.Repeat("1,", 100_000) + "60 * * * *", "* * * * *\u0000",
	} {
		kit.RefusedDefinition(env, kit.CronFault(line), map[string]any{"triggers": []any{kit.ClockTrigger(line, nil)}})
	}
}
