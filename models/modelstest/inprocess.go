package modelstest

import (
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/models/knowledge"
)

// InProcess draws from texts in this process.
type InProcess struct{}

// Run carries out a task, whatever it takes.
func (InProcess) Run(_ context.Context, task string, text []byte, result any) error {
	made, err := knowledge.Tasks[task].Make(string(text))
	if err != nil {
		return err
	}
	written, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return json.Unmarshal(written, result)
}
