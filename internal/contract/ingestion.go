package contract

import "strconv"

// IngestionInput is all that the run of a version is given: ids.
type IngestionInput struct {
	WorkspaceID string `json:"workspaceId"`
	SourceID    string `json:"sourceId"`
	Version     int    `json:"version"`
}

// StageInput asks an activity to carry out one stage of a version.
type StageInput struct {
	IngestionInput

	Stage string `json:"stage"`
}

// StageResult says how a stage went. Ended means that there is nothing more
// to do for the version: it has failed, is gone or is live.
type StageResult struct {
	Ended bool `json:"ended"`
}

// IngestionStages are the stages of a version in their order.
var IngestionStages = []string{"converting", "chunking", "extracting-rules", "embedding", "indexing", "completed"}

// IngestionWorkflowID is the id of the one run that brings a version in.
func IngestionWorkflowID(sourceID string, version int) string {
	return "ingestion/" + sourceID + "/v" + strconv.Itoa(version)
}
