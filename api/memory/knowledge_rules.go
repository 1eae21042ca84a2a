package memory

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/knowledge"
)

// NamedSource names a source.
type NamedSource struct {
	SourceID string `json:"sourceId" minLength:"1" maxLength:"200" notBlank:"true"`
}

// RuleView is a rule of a source. Category is the nearest heading above it, null where
// there is none.
type RuleView struct {
	ID       string  `json:"id"`
	Content  string  `json:"content"`
	Category *string `json:"category"`
	Index    int     `json:"index" minimum:"0" doc:"position among the rules of the source"`
}

// RuleList has the rules of a source in the order of its text, at most 2,000.
type RuleList []RuleView

// Rules lists the rules of a source's live version.
func (k *Knowledge) Rules(ctx context.Context, req *NamedSource) (*RuleList, error) {
	found, err := k.Store.Rules(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.SourceID)
	if err != nil {
		return nil, err
	}
	rules := RuleList(rpc.Each(found, func(r knowledge.Rule) RuleView { return RuleView(r) }))
	return &rules, nil
}

// ExampleRules is the documented result of knowledge/rules.
const ExampleRules = `[{"id":"rule_01kdvm9w00abcdefghjkmnpqrs","content":"Bills must be paid in full.","category":"Payment","index":0},` +
	`{"id":"rule_01kdvm9w01abcdefghjkmnpqrs","content":"At least 3 reviewers sign.","category":null,"index":1}]`
