package kit

import (
	"strings"

	"github.com/stretchr/testify/assert"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// RefusedDefinition requires that a definition with one fault in an edge or a trigger is refused
// by create as by lint, and that nothing of it is there.
func RefusedDefinition(env *Env, code string, more map[string]any) {
	env.T.Helper()
	data := Simple(Unique("definition"), more)
	failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, data)
	if assert.NotEmpty(env.T, failure.Issues, "%v", failure) {
		assert.Equal(env.T, code, failure.Issues[0].Code)
	}
	var linted redline.LintResult
	env.Call(client.LintDefinition, data, &linted)
	assert.Equal(env.T, failure.Issues, linted.Issues)
	_ = env.RefusedAs("NOT_FOUND", client.GetDefinition, map[string]any{"definitionId": data["definitionId"]})
}

// Guarded returns the nodes and edges of a definition with an edge that has this predicate.
func Guarded(when string) map[string]any {
	return map[string]any{"nodes": []redline.NodeInput{client.Mock("a"), client.Mock("b")}, "edges": []redline.EdgeInput{client.When("a", "b", when)}}
}

// CronFault returns the code with which a cron line is refused: no text may have a NUL.
func CronFault(line string) string {
	if strings.Contains(line, "\x00") {
		return "pattern"
	}
	return "APPROVAL_SCHEDULE_CRON_INVALID"
}
