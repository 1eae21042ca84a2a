package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Failure is an error answer. Status is the published word (`NOT_FOUND`), HTTP
// the code that came with it.
type Failure struct { //nolint:errname // the word of the published envelope, and the word that tests use
	HTTP    int
	Header  http.Header
	Status  string
	Message string
	Reason  string
	Issues  []Issue
	// MigrationID is that of a pair which was migrated already.
	MigrationID string
	// Version is the newest one, where another was expected.
	Version int
}

// Issue is one fault of a request; the path begins inside data.
type Issue struct {
	Code    string   `json:"code"`
	Path    []string `json:"path"`
	Message string   `json:"message"`
}

// Error makes Failure an error.
func (f *Failure) Error() string {
	return fmt.Sprintf("%d %s (%s): %s %v", f.HTTP, f.Status, f.Reason, f.Message, f.Issues)
}

// Code reports whether one of the issues has that code.
func (f *Failure) Code(code string) bool {
	for _, issue := range f.Issues {
		if issue.Code == code {
			return true
		}
	}
	return false
}

// Refusal returns the Failure inside err, or nil when err is none.
func Refusal(err error) *Failure {
	refused, _ := errors.AsType[*Failure](err)
	return refused
}

// Failure reads an answer as an error of the envelope; nil when it is a success.
func (r *Reply) Failure() *Failure {
	if r.HTTP == http.StatusOK {
		return nil
	}
	return failure(r)
}

func failure(reply *Reply) *Failure {
	var envelope struct {
		Error struct {
			Message string `json:"message"`
			Status  string `json:"status"`
			Details struct {
				Reason string  `json:"reason"`
				Issues []Issue `json:"issues"`

				MigrationID string `json:"migrationId"`
				Version     int    `json:"version"`
			} `json:"details"`
		} `json:"error"`
	}
	refused := &Failure{HTTP: reply.HTTP, Header: reply.Header}
	if err := json.Unmarshal(reply.Body, &envelope); err != nil {
		refused.Message = "not an envelope: " + string(reply.Body)
		return refused
	}
	refused.Status, refused.Message = envelope.Error.Status, envelope.Error.Message
	refused.Reason, refused.Issues = envelope.Error.Details.Reason, envelope.Error.Details.Issues
	refused.MigrationID, refused.Version = envelope.Error.Details.MigrationID, envelope.Error.Details.Version
	return refused
}
