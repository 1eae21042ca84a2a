package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/execution/view"
)

// CountAgentRuns is the request of execution/count.
type CountAgentRuns struct {
	AgentIDs AgentIDs `json:"agentIds,omitempty" doc:"an id, or 1 to 200"`
	Status   string   `json:"status,omitempty" enum:"running,passed,failed,error,skipped"`
}

// maxCounted is of how many agents one call counts at most.
const maxCounted = 200

// AgentIDs is one id, or a list of them.
type AgentIDs []string

// UnmarshalJSON takes a string or a list of strings.
func (a *AgentIDs) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = AgentIDs{one}
		return nil
	}
	if json.Unmarshal(text, (*[]string)(a)) != nil {
		return errors.New("must be a string or a list of strings")
	}
	return nil
}

// Schema documents both forms.
func (AgentIDs) Schema(huma.Registry) *huma.Schema {
	one, most := 1, maxCounted
	id := &huma.Schema{Type: huma.TypeString, MinLength: &one}
	return &huma.Schema{OneOf: []*huma.Schema{id, {Type: huma.TypeArray, Items: id, MinItems: &one, MaxItems: &most}}}
}

// Validate counts the agents.
func (r *CountAgentRuns) Validate() []fault.Issue {
	path := []string{"agentIds"}
	switch {
	case slices.Contains(r.AgentIDs, ""):
		return []fault.Issue{{Code: shape.Length, Path: path, Message: "must not have an empty id"}}
	case r.AgentIDs != nil && (len(r.AgentIDs) == 0 || len(r.AgentIDs) > maxCounted):
		return []fault.Issue{{Code: shape.Count, Path: path, Message: "must be one id or a list of 1 to 200"}}
	default:
		return nil
	}
}

// AgentRunCounts are how many executions there are: of the agents that were named, or of all.
type AgentRunCounts struct {
	Counts *map[string]int64 `json:"counts,omitempty" doc:"with agentIds: by them"`
	Total  *int64            `json:"total,omitempty" doc:"without agentIds"`
}

// Count counts executions of agents that ran alone.
func (a *AgentRuns) Count(ctx context.Context, req *CountAgentRuns) (*rpc.Success[AgentRunCounts], error) {
	counts, err := a.views.CountRuns(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.AgentIDs, req.Status)
	if err != nil {
		return nil, err
	}
	var data AgentRunCounts
	if len(req.AgentIDs) > 0 {
		data.Counts = &counts
	} else {
		data.Total = new(int64(0))
		for _, count := range counts {
			*data.Total += count
		}
	}
	return rpc.Succeed("Executions counted.", data), nil
}

// GetAgentAnalytics is the request of analytics/get.
type GetAgentAnalytics struct {
	AgentID string `json:"agentId,omitempty" minLength:"1" maxLength:"200" example:"copy-checker"`
	Year    string `json:"year,omitempty" pattern:"^[0-9]{4}$" doc:"in UTC"`
	Month   string `json:"month,omitempty" pattern:"^(0[1-9]|1[0-2])$" doc:"of the year"`
}

// Validate wants the year of a month.
func (r *GetAgentAnalytics) Validate() []fault.Issue {
	if r.Month == "" || r.Year != "" {
		return nil
	}
	return []fault.Issue{{Code: shape.Required, Path: []string{"year"}, Message: "is required with month"}}
}

// window is the time that is asked about, nil for all.
func (r *GetAgentAnalytics) window() (from, before *time.Time) {
	year, err := strconv.Atoi(r.Year)
	if err != nil {
		return nil, nil
	}
	start := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
	end := start.AddDate(1, 0, 0)
	if month, err := strconv.Atoi(r.Month); err == nil {
		start = time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
		end = start.AddDate(0, 1, 0)
	}
	return &start, &end
}

// AgentFigures are what became of the steps of an agent.
type AgentFigures struct {
	ExecutionCount int64    `json:"executionCount"`
	LastExecutedAt *int64   `json:"lastExecutedAt" doc:"epoch ms"`
	Passed         int64    `json:"passed"`
	Failed         int64    `json:"failed"`
	Error          int64    `json:"error"`
	MeanDurationMs *float64 `json:"meanDurationMs" doc:"of those that ended"`
}

// AgentAnalytics are the figures of agents.
type AgentAnalytics struct {
	Analytics struct {
		ExecutionCounts map[string]AgentFigures `json:"executionCounts" doc:"by the agentId"`
	} `json:"analytics"`
}

// Analytics counts the steps of agents in executions of all definitions, by when they started.
func (a *AgentRuns) Analytics(ctx context.Context, req *GetAgentAnalytics) (*rpc.Success[AgentAnalytics], error) {
	from, before := req.window()
	found, err := a.views.Figures(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.AgentID, from, before)
	if err != nil {
		return nil, err
	}
	var data AgentAnalytics
	data.Analytics.ExecutionCounts = map[string]AgentFigures{}
	for agentID, f := range found {
		data.Analytics.ExecutionCounts[agentID] = viewFigures(f)
	}
	return rpc.Succeed("Analytics found.", data), nil
}

func viewFigures(f view.AgentFigures) AgentFigures {
	v := AgentFigures{ExecutionCount: f.Steps, Passed: f.Passed, Failed: f.Failed, Error: f.Errors, MeanDurationMs: f.MeanMs}
	if f.LastStart != nil {
		v.LastExecutedAt = new(f.LastStart.UnixMilli())
	}
	return v
}
