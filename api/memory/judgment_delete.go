package memory

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/api/rpc"
)

// DeleteJudgments names judgments of any origin.
type DeleteJudgments struct {
	RecordIDs []string `json:"recordIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id"`
}

// JudgmentsDeleted says what became of each judgment.
type JudgmentsDeleted struct {
	Results rpc.Keyed[DeletedJudgment] `json:"results"`
}

// DeletedJudgment says what became of a judgment.
type DeletedJudgment struct {
	Success bool   `json:"success"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
}

// Delete removes judgments; the acts behind them stay.
func (j *Judgments) Delete(ctx context.Context, req *DeleteJudgments) (*JudgmentsDeleted, error) {
	gone, err := j.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.RecordIDs)
	if err != nil {
		return nil, err
	}
	result, seen := &JudgmentsDeleted{}, map[string]bool{}
	for _, id := range req.RecordIDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		became := DeletedJudgment{false, "It does not exist."}
		if slices.Contains(gone, id) {
			became = DeletedJudgment{true, "Judgment deleted."}
		}
		result.Results = append(result.Results, rpc.KeyedEntry[DeletedJudgment]{Key: id, Value: became})
	}
	return result, nil
}
