package webhook

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBodyOfEvent(t *testing.T) {
	t.Parallel()
	step, status := "stp_1", "completed"
	at := time.Date(2024, 5, 6, 7, 8, 9, 12_345_678, time.FixedZone("east", 7200))
	body, err := Event{
		Event: "step.completed", EventID: "evt_1", ExecutionID: "exec_1", DefinitionID: "d", DefinitionVersion: 2, StepID: &step,
		Status: &status, Seq: 7, At: at, CorrelationID: "c", Data: json.RawMessage(`{"n": 12345678901234567890.10, "h":"<a&b>"}`),
	}.Body()
	require.NoError(t, err)
	want := []byte(`{"event":"step.completed","eventId":"evt_1","executionId":"exec_1","definitionId":"d","definitionVersion":2,` +
		`"stepId":"stp_1","status":"completed","seq":7,"timestamp":"2024-05-06T05:08:09.012Z","correlationId":"c",` +
		`"data":{"n":12345678901234567890.10,"h":"<a&b>"}}`)
	assert.Equal(t, want, body, "%s", body)
}

func TestBodyWithNothingOptional(t *testing.T) {
	t.Parallel()
	body, err := Event{Event: "execution.completed", EventID: "evt_2", Seq: 1}.Body()
	require.NoError(t, err)
	assert.Contains(t, string(body), `"stepId":null,"status":null,`)
	assert.Contains(t, string(body), `"data":null}`)
	_, err = Event{EventID: "evt_3", Data: json.RawMessage(`{"broken`)}.Body()
	assert.ErrorContains(t, err, "evt_3")
}
