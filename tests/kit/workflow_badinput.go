package kit

import (
	"strings"

	"github.com/stretchr/testify/assert"

	"github.com/redline-svc/redline/tests/kit/client"
)

// RefusedDefinition is a definition with one fault in an edge or a trigger: it is refused
// by create as by lint, and nothing of it is there.
func RefusedDefinition(env *Env, code string, more map[string]any) {
	env.T.Helper()
	data := Simple(Unique("definition"), more)
	failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, data)
	if assert.NotEmpty(env.T, failure.Issues, "%v", failure) {
		assert.Equal(env.T, code, failure.Issues[0].Code)
	}
	var linted LintResult
	env.Call(client.LintDefinition, data, &linted)
	assert.Equal(env.T, failure.Issues, linted.Issues)
	env.RefusedAs("NOT_FOUND", client.GetDefinition, map[string]any{"definitionId": data["definitionId"]})
}

// Guarded is a definition with an edge that has this test.
func Guarded(when string) map[string]any {
	return map[string]any{"nodes": []client.Node{client.Mock("a"), client.Mock("b")}, "edges": []client.Edge{client.When("a", "b", when)}}
}

// CronFault is the code of a line: no text holds a NUL.
func CronFault(line string) string {
	if strings.Contains(line, "\x00") {
		return "pattern"
	}
	return "APPROVAL_SCHEDULE_CRON_INVALID"
}
