package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/quota"
	"github.com/redline-svc/redline/models/workspace"
)

type usageStore interface {
	Usage(ctx context.Context, workspaceID string) (quota.Usage, error)
	Counts(ctx context.Context, workspaceID string) (quota.Counts, error)
}

// Maxima are how many of each thing a workspace has at most, as they are configured; 0 is any number.
type Maxima struct {
	Endpoints, KeysTestingFree, KeysTestingPaid, KeysProduction, Sources, LiveExecutions int
	// MailsRelayed is how many mails a day the operator's relay serves for a workspace of the free plan.
	MailsRelayed int
	// Rates are calls a minute by the class of an operation.
	Rates map[limit.Class]int
}

// Usage is the operation that says what a workspace has, and may.
type Usage struct {
	store  usageStore
	maxima Maxima
}

// NewUsage makes the operation.
func NewUsage(store usageStore, maxima Maxima) *Usage { return &Usage{store, maxima} }

// GetUsage is the request of usage/get.
type GetUsage struct{}

// UsageView is what a workspace has, and may.
type UsageView struct {
	Plan  string      `json:"plan" enum:"free,paid"`
	AsOf  string      `json:"asOf" format:"date-time"`
	Items []UsageItem `json:"items"`
	Rates []RateView  `json:"rates"`
}

// RateView is how many calls of a class a minute takes.
type RateView struct {
	Class       string `json:"class"`
	LimitPerMin *int64 `json:"limitPerMin" doc:"null: any number"`
}

// UsageItem is what a workspace has of a kind: bytes, or a number of things.
type UsageItem struct {
	Kind  string `json:"-"`
	Bytes bool   `json:"-"`
	Used  int64  `json:"-"`
	// Limit is nil for any number.
	Limit *int64 `json:"-"`
}

// MarshalJSON writes the fields by what is counted.
func (i UsageItem) MarshalJSON() ([]byte, error) {
	if i.Bytes {
		return json.Marshal(struct {
			Kind  string `json:"kind"`
			Used  int64  `json:"usedBytes"`
			Limit *int64 `json:"limitBytes"`
		}{i.Kind, i.Used, i.Limit})
	}
	return json.Marshal(struct {
		Kind  string `json:"kind"`
		Used  int64  `json:"used"`
		Limit *int64 `json:"limit"`
	}{i.Kind, i.Used, i.Limit})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *UsageItem) UnmarshalJSON(text []byte) error {
	var read struct {
		Kind       string `json:"kind"`
		UsedBytes  *int64 `json:"usedBytes"`
		LimitBytes *int64 `json:"limitBytes"`
		Used       int64  `json:"used"`
		Limit      *int64 `json:"limit"`
	}
	err := json.Unmarshal(text, &read)
	*i = UsageItem{Kind: read.Kind, Used: read.Used, Limit: read.Limit}
	if read.UsedBytes != nil {
		i.Bytes, i.Used, i.Limit = true, *read.UsedBytes, read.LimitBytes
	}
	return err
}

// Schema documents the item.
func (UsageItem) Schema(huma.Registry) *huma.Schema {
	number := &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
	most := &huma.Schema{Type: huma.TypeInteger, Format: "int64", Nullable: true, Description: "null: any number"}
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"kind"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"kind":      {Type: huma.TypeString, Enum: []any{"files", "rows", "messages", "mails", "endpoints", "keysTesting", "keysProduction", "sources", "liveExecutions"}},
			"usedBytes": number, "limitBytes": most, "used": number, "limit": most,
		},
	}
}

// Get returns what the workspace has, and may.
func (u *Usage) Get(ctx context.Context, _ *GetUsage) (*rpc.Success[UsageView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	kept, err := u.store.Usage(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	counts, err := u.store.Counts(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	view := UsageView{Plan: kept.Plan, AsOf: rpc.FormatTime(kept.AsOf), Items: u.counted(kept.Plan, counts), Rates: u.rates(counts)}
	bytes := rpc.Each(kept.Uses, func(use quota.Use) UsageItem {
		return UsageItem{Kind: string(use.Kind), Bytes: true, Used: use.Bytes, Limit: most(use.Limit)}
	})
	view.Items = append(bytes, view.Items...)
	return rpc.Succeed("Usage found.", view), nil
}

// counted are the things that are limited by number.
func (u *Usage) counted(plan string, c quota.Counts) []UsageItem {
	testing := u.maxima.KeysTestingFree
	if plan == workspace.PlanPaid {
		testing = u.maxima.KeysTestingPaid
	}
	item := func(kind, name string, used int64, usual int) UsageItem {
		return UsageItem{Kind: kind, Used: used, Limit: inForce(c, name, usual)}
	}
	return []UsageItem{
		u.mails(c),
		item("endpoints", workspace.LimitEndpoints, c.Endpoints, u.maxima.Endpoints),
		item("keysTesting", workspace.LimitKeysTesting, c.KeysTesting, testing),
		item("keysProduction", workspace.LimitKeysProduction, c.KeysProduction, u.maxima.KeysProduction),
		item("sources", "", c.Sources, u.maxima.Sources),
		item("liveExecutions", "", c.LiveExecutions, u.maxima.LiveExecutions),
	}
}

// mails are those of today: of the free plan by the operator's relay, if that is their way, else all.
func (u *Usage) mails(c quota.Counts) UsageItem {
	used := UsageItem{Kind: "mails", Used: c.Mails, Limit: new(int64(mail.PerDay))}
	if c.Relayed {
		used.Used, used.Limit = c.MailsRelayed, new(int64(u.maxima.MailsRelayed))
	}
	return used
}

// rates are those of calls by a key or a workspace, by the names of their classes.
func (u *Usage) rates(c quota.Counts) []RateView {
	var rates []RateView
	for class, usual := range u.maxima.Rates {
		if slices.Contains(workspace.LimitNames(), string(class)) {
			rates = append(rates, RateView{string(class), inForce(c, string(class), usual)})
		}
	}
	slices.SortFunc(rates, func(a, b RateView) int { return cmp.Compare(a.Class, b.Class) })
	return rates
}

// inForce is what an operator has set, or the usual limit.
func inForce(c quota.Counts, name string, usual int) *int64 {
	if set, there := c.Set[name]; there {
		return most(set)
	}
	return most(int64(usual))
}

// most is a limit as it is shown: nil for none.
func most(limit int64) *int64 {
	if limit == 0 {
		return nil
	}
	return &limit
}

// ExampleUsage is what a new workspace has.
const ExampleUsage = `{"status":"success","message":"Usage found.","data":{"plan":"free","asOf":"2026-01-01T00:00:00.000Z",
	"items":[{"kind":"files","usedBytes":0,"limitBytes":2147483648},{"kind":"mails","used":0,"limit":100},{"kind":"endpoints","used":1,"limit":50}],
	"rates":[{"class":"key","limitPerMin":1000}]}}`
