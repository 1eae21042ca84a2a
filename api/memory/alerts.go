package memory

import (
	"context"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	patterns "github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/workspace"
)

type alertStore interface {
	Alerts(ctx context.Context, workspaceID, organizationID, status string) ([]patterns.Alert, error)
	Settle(ctx context.Context, workspaceID, alertID, status, by string) (known bool, err error)
	AlertSettings(ctx context.Context, workspaceID string) (*patterns.AlertSettings, error)
	SetAlerts(ctx context.Context, workspaceID string, caller workspace.Caller, c patterns.AlertChange) (*patterns.AlertSettings, error)
	Trigger(ctx context.Context, workspaceID string, force bool) (status string, last *time.Time, err error)
}

// Alerts are the operations on what stands out in what reviewers decide.
type Alerts struct{ store alertStore }

// NewAlerts makes the operations.
func NewAlerts(store alertStore) *Alerts { return &Alerts{store} }

// ListAlerts is the request of alerts/list.
type ListAlerts struct {
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id"`
	Status         string `json:"status,omitempty" enum:"active,dismissed,actioned,ended" example:"dismissed" doc:"default active"`
}

// AlertWindow is the time that is compared with the one before, in days of UTC.
type AlertWindow struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// AlertEvidence is what an alert rests on. Figures have three decimals.
type AlertEvidence struct {
	Metric          string      `json:"metric" enum:"approvalRate,enforcementRate,volume"`
	Baseline        float64     `json:"baseline"`
	Current         float64     `json:"current"`
	Window          AlertWindow `json:"window"`
	SourceRecordIDs []string    `json:"sourceRecordIds" maxItems:"5"`
	PatternID       *string     `json:"patternId" nullable:"true"`
}

// AlertView is an alert. Times are epoch milliseconds.
type AlertView struct {
	ID              string        `json:"id"`
	AlertType       string        `json:"alertType" enum:"standards_drift,anomaly,emerging_standard"`
	Severity        string        `json:"severity" enum:"low,medium,high"`
	Title           string        `json:"title"`
	Description     string        `json:"description"`
	Evidence        AlertEvidence `json:"evidence"`
	SuggestedAction string        `json:"suggestedAction"`
	OrganizationID  *string       `json:"organizationId" nullable:"true"`
	ContentType     *string       `json:"contentType" nullable:"true" doc:"null for all content"`
	ReviewerID      *string       `json:"reviewerId" nullable:"true" doc:"whom an anomaly is about"`
	Status          string        `json:"status" enum:"active,dismissed,actioned,ended"`
	CreatedAt       int64         `json:"createdAt"`
	DismissedAt     *int64        `json:"dismissedAt" nullable:"true"`
	DismissedBy     *string       `json:"dismissedBy" nullable:"true"`
}

// AlertList has at most 50 alerts, the newest first.
type AlertList []AlertView

func viewAlert(a patterns.Alert) AlertView {
	v := AlertView{
		ID: a.ID, AlertType: a.Type, Severity: a.Severity, Title: a.Title, Description: a.Description, SuggestedAction: a.Action,
		OrganizationID: a.OrganizationID, ContentType: a.ContentType, Status: a.Status, CreatedAt: a.CreatedAt.UnixMilli(), DismissedBy: a.DismissedBy,
		Evidence: AlertEvidence{
			Metric: a.Metric, Baseline: threeDecimals(a.Baseline), Current: threeDecimals(a.Current), SourceRecordIDs: a.Sources,
			Window: AlertWindow{a.Start.Format(time.DateOnly), a.End.Format(time.DateOnly)},
		},
	}
	if a.PatternID != "" {
		v.Evidence.PatternID = &a.PatternID
	}
	if a.ReviewerID != "" {
		v.ReviewerID = &a.ReviewerID
	}
	if a.DismissedAt != nil {
		v.DismissedAt = new(a.DismissedAt.UnixMilli())
	}
	return v
}

// List lists the newest alerts.
func (a *Alerts) List(ctx context.Context, req *ListAlerts) (*AlertList, error) {
	status := req.Status
	if status == "" {
		status = patterns.AlertActive
	}
	found, err := a.store.Alerts(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, status)
	if err != nil {
		return nil, err
	}
	list := AlertList(rpc.Each(found, viewAlert))
	return &list, nil
}

// AlertUser is who settles an alert.
type AlertUser struct {
	UID string `json:"uid" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann"`
}

// SettleAlert is the request of alerts/dismiss and alerts/action.
type SettleAlert struct {
	AlertID string     `json:"alertId" minLength:"1" maxLength:"200"`
	User    *AlertUser `json:"user,omitempty" doc:"who does so"`
}

// AlertSettled says that it was noted.
type AlertSettled struct {
	Success bool `json:"success"`
}

// Dismiss notes that an alert is of no use.
func (a *Alerts) Dismiss(ctx context.Context, req *SettleAlert) (*AlertSettled, error) {
	return a.settle(ctx, req, patterns.AlertDismissed)
}

// Act notes that something was done about an alert.
func (a *Alerts) Act(ctx context.Context, req *SettleAlert) (*AlertSettled, error) {
	return a.settle(ctx, req, patterns.AlertActioned)
}

func (a *Alerts) settle(ctx context.Context, req *SettleAlert, status string) (*AlertSettled, error) {
	by := ""
	if req.User != nil {
		by = req.User.UID
	}
	known, err := a.store.Settle(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.AlertID, status, by)
	if err == nil && !known {
		err = fault.NotFound("alert")
	}
	return &AlertSettled{true}, err
}

// AlertConfig is what is set for alerts.
type AlertConfig struct {
	Enabled           bool     `json:"enabled"`
	MaxAlertsPerWeek  int      `json:"maxAlertsPerWeek"`
	EnabledAlertTypes []string `json:"enabledAlertTypes"`
	SeverityThreshold string   `json:"severityThreshold" enum:"low,medium,high"`
}

func viewAlertConfig(s *patterns.AlertSettings) *AlertConfig {
	return &AlertConfig{s.Enabled, s.Weekly, s.Kinds, s.Severity}
}

// GetAlertConfig is the request of alerts/config/get.
type GetAlertConfig struct{}

// Config reads what is set for alerts.
func (a *Alerts) Config(ctx context.Context, _ *GetAlertConfig) (*AlertConfig, error) {
	found, err := a.store.AlertSettings(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	return viewAlertConfig(found), nil
}

// AlertConfigData is what shall change.
type AlertConfigData struct {
	Enabled           *bool    `json:"enabled,omitempty" notNull:"true" example:"true" doc:"off: none is raised"`
	MaxAlertsPerWeek  *int     `json:"maxAlertsPerWeek,omitempty" notNull:"true" minimum:"0" maximum:"50" example:"3"`
	EnabledAlertTypes []string `json:"enabledAlertTypes,omitempty" notNull:"true" maxItems:"4" enum:"standards_drift,anomaly,emerging_standard,configuration_drift" doc:"configuration_drift is never raised"`
	SeverityThreshold *string  `json:"severityThreshold,omitempty" notNull:"true" enum:"low,medium,high" doc:"those below it are not raised"`
}

// UpdateAlertConfig is the request of alerts/config/update; at least one field.
type UpdateAlertConfig struct {
	Config AlertConfigData `json:"config"`
}

// Validate wants something to change.
func (r *UpdateAlertConfig) Validate() []fault.Issue {
	if c := r.Config; c.Enabled == nil && c.MaxAlertsPerWeek == nil && c.EnabledAlertTypes == nil && c.SeverityThreshold == nil {
		return []fault.Issue{{Code: shape.Required, Path: []string{"config"}, Message: "at least one field is required"}}
	}
	return nil
}

// Configure changes what is set for alerts.
func (a *Alerts) Configure(ctx context.Context, req *UpdateAlertConfig) (*AlertConfig, error) {
	caller, c := rpc.CallerFrom(ctx), req.Config
	after, err := a.store.SetAlerts(ctx, caller.WorkspaceID, caller, patterns.AlertChange{
		Enabled: c.Enabled, Weekly: c.MaxAlertsPerWeek, Kinds: c.EnabledAlertTypes, Severity: c.SeverityThreshold,
	})
	if err != nil {
		return nil, err
	}
	return viewAlertConfig(after), nil
}

// TriggerConsolidation is the request of consolidation/trigger.
type TriggerConsolidation struct {
	Force bool `json:"force,omitempty" example:"true" doc:"also where no judgment has changed"`
}

// Consolidation says what becomes of the wish.
type Consolidation struct {
	Status    string `json:"status" enum:"scheduled,running,unchanged"`
	LastRunAt *int64 `json:"lastRunAt" nullable:"true" doc:"epoch milliseconds"`
}

// Trigger has patterns and alerts looked for now.
func (a *Alerts) Trigger(ctx context.Context, req *TriggerConsolidation) (*Consolidation, error) {
	status, last, err := a.store.Trigger(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.Force)
	if err != nil {
		return nil, err
	}
	c := &Consolidation{Status: status}
	if last != nil {
		c.LastRunAt = new(last.UnixMilli())
	}
	return c, nil
}

// Examples of the operations on alerts.
const (
	ExampleAlerts = `[{"id":"alr_01kdvm9w00abcdefghjkmnpqrs","alertType":"standards_drift","severity":"high","title":"Reviewers decide otherwise than before",` +
		`"description":"0 of 10 approved in the last 90 days, 10 of 10 before. The claim has no source.","evidence":{"metric":"approvalRate","baseline":1,"current":0,` +
		`"window":{"start":"2025-10-03","end":"2026-01-01"},"sourceRecordIds":["jdg_01kdvm9w00abcdefghjkmnpqrs"],"patternId":null},` +
		`"suggestedAction":"Check whether the standard has changed.","organizationId":"acme","contentType":null,"reviewerId":null,"status":"active",` +
		`"createdAt":1767225600000,"dismissedAt":null,"dismissedBy":null}]`
	ExampleAlertConfig   = `{"enabled":true,"maxAlertsPerWeek":3,"enabledAlertTypes":["standards_drift","anomaly"],"severityThreshold":"medium"}`
	ExampleConsolidation = `{"status":"scheduled","lastRunAt":1767225600000}`
)
