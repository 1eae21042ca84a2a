package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Event is what a receiver of an execution gets, in the order of its fields.
type Event struct {
	Event             string          `json:"event"`
	EventID           string          `json:"eventId"`
	ExecutionID       string          `json:"executionId"`
	DefinitionID      string          `json:"definitionId"`
	DefinitionVersion int             `json:"definitionVersion"`
	StepID            *string         `json:"stepId"`
	Status            *string         `json:"status"`
	Seq               int64           `json:"seq"`
	At                time.Time       `json:"-"`
	Timestamp         string          `json:"timestamp"`
	CorrelationID     string          `json:"correlationId"`
	Data              json.RawMessage `json:"data"`
}

// timeForm is ISO-8601 in UTC with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

// Body returns the bytes that are sent: the same ones from the same event, with
// numbers as they were stored. Data that is nil becomes null.
func (e Event) Body() ([]byte, error) {
	e.Timestamp = e.At.UTC().Format(timeForm)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("the body of event %s: %w", e.EventID, err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
