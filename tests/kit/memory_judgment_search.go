package kit

// FoundView is one judgment that memory/search finds.
type FoundView struct {
	RecordID   string            `json:"recordId"`
	Reasoning  string            `json:"reasoning"`
	Decision   string            `json:"decision"`
	Confidence float64           `json:"confidence"`
	ActionUser map[string]string `json:"actionUser"`
	CreatedAt  int64             `json:"createdAt"`
	Similarity float64           `json:"similarity"`
	Scope      string            `json:"scope"`
	Agent      map[string]any    `json:"agent"`
}

// FoundResult is what memory/search returns.
type FoundResult struct {
	Results         []FoundView `json:"results"`
	TotalInScope    int         `json:"totalInScope"`
	SearchLatencyMs *int        `json:"searchLatencyMs"`
}

// IDs returns the ids of the judgments found, in their order.
func (r FoundResult) IDs() []string {
	ids := make([]string, len(r.Results))
	for i, found := range r.Results {
		ids[i] = found.RecordID
	}
	return ids
}
