package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
)

// JudgmentIDs returns the ids of the judgments found, in their order.
func JudgmentIDs(r redline.JudgmentsFound) []string {
	ids := make([]string, len(r.Results))
	for i, found := range r.Results {
		ids[i] = found.RecordID
	}
	return ids
}
