package attack

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ids of answers are found again under the names that requests have for them.
func TestWhatIsLearnedIsAskedFor(t *testing.T) {
	t.Parallel()
	g := newGenerator(1, 1)
	g.learn(request{body: []byte(`{"data":{"organizationIds":["acme"],"users":[{"userId":"ann"}]}}`)},
		[]byte(`{"result":{"data":{"executionId":"exec_1","activities":[{"id":"act_1"}],"steps":[{"stepId":"step_1"}],"url":"http://127.0.0.1/v2/memory/files/abc"}}}`), true)
	for name, want := range map[string][2]string{
		"organization": {"organizationId", "acme"}, "execution": {"executionId", "exec_1"}, "reviewer": {"fromReviewerId", "ann"},
		"activities": {"activityIds", "act_1"},
	} {
		value, is := g.known.any(g.random, nameOf(want[0], ""))
		require.True(t, is, name)
		require.Equal(t, want[1], value)
	}
	require.Contains(t, g.known.things, map[string]string{"executionid": "exec_1", "url": "http://127.0.0.1/v2/memory/files/abc", "stepid": "step_1"}, "a step with its execution")
	g.known.drop("executionid", "exec_1")
	_, is := g.known.any(g.random, "executionid")
	require.False(t, is)
	for _, thing := range g.known.things {
		require.NotContains(t, thing, "executionid")
	}
	token, is := g.known.any(g.random, "{token}")
	require.True(t, is)
	require.Equal(t, "abc", token)
}

// Requests follow the document before they are spoiled, and call nobody but the receiver.
func TestRequestsFollowTheDocument(t *testing.T) {
	t.Parallel()
	g := newGenerator(1, 1)
	g.receiver = "https://receiver.test"
	g.document = read(t, []byte(`{"paths":{"/v2/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}},
		"components":{"schemas":{"A":{"type":"object","required":["kind","url","size"],"properties":{
		"kind":{"enum":["x"]},"url":{"type":"string","format":"http-url"},"size":{"type":"integer","minimum":3,"maximum":5}}}}}}`))
	for range 100 {
		made, is := g.made(g.operations[0].schema, "", "", 0).(object)
		require.True(t, is)
		require.Equal(t, "x", made["kind"])
		require.Contains(t, made["url"], "https://receiver.test/")
		require.GreaterOrEqual(t, made["size"], int64(3))
		require.LessOrEqual(t, made["size"], int64(5))
	}
	var example any
	require.NoError(t, json.Unmarshal([]byte(`{"url":"https://hooks.example.com/a","host":"smtp.example.com"}`), &example))
	require.NotContains(t, g.harmless(example).(object)["url"], "example.com")
	require.Equal(t, "host.invalid", example.(object)["host"])
}
