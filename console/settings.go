package console

import (
	"context"
	"strings"

	redline "github.com/redline-svc/redline/clients/go"
)

// settingsView is how the workspace is set, and its keys where the session has its credentials.
type settingsView struct {
	Settings redline.Settings
	Domains  []string
	Mails    redline.EmailSettings
	Webhooks *redline.WebhookSettings
	// Key is the key that the pages read with.
	Key       string
	Workspace *redline.Workspace
	Owner     redline.OwnerConfirmation
	Keys      []redline.APIKey
	NextKeys  string
}

func (c *Console) settings(v *visit) (*page, error) {
	view := &settingsView{Key: v.session.Key}
	calls := view.ofTheKey(v)
	if v.session.WorkspaceID != "" {
		calls = append(calls, view.ofTheWorkspace(v)...)
	}
	return &page{Title: "Settings", Template: "settings", Section: "/settings", Data: view}, together(v.ctx, calls...)
}

// ofTheKey reads what a key may see.
func (s *settingsView) ofTheKey(v *visit) []func(context.Context) error {
	return []func(context.Context) error{
		func(ctx context.Context) (err error) {
			s.Settings, err = v.calls.Workspace.GetAPIKeyConfig(ctx, redline.GetSettingsRequest{})
			return err
		},
		func(ctx context.Context) error {
			domains, err := v.calls.Domains.Get(ctx, redline.GetDomainsRequest{})
			s.Domains = domains.AllowedDomains
			return err
		},
		func(ctx context.Context) (err error) {
			s.Mails, err = v.calls.Workspace.GetEmailConfig(ctx, redline.GetEmailSettingsRequest{})
			return err
		},
		func(ctx context.Context) error {
			webhooks, err := v.calls.Workspace.GetAdvancedWebhookConfig(ctx, redline.GetWebhookSettingsRequest{})
			if err == nil {
				s.Webhooks = &webhooks
			}
			return unlessNeverOn(err)
		},
	}
}

// ofTheWorkspace reads what the credentials of the workspace alone may see.
func (s *settingsView) ofTheWorkspace(v *visit) []func(context.Context) error {
	return []func(context.Context) error{
		func(ctx context.Context) error {
			workspace, err := v.calls.Workspace.Get(ctx, redline.GetWorkspaceRequest{})
			s.Workspace = &workspace
			return err
		},
		func(ctx context.Context) (err error) {
			s.Owner, err = v.calls.Owner.Get(ctx, redline.GetOwnerRequest{})
			return err
		},
		func(ctx context.Context) error {
			keys, err := v.calls.APIKeys.Get(ctx, redline.ListAPIKeysRequest{PageToken: v.optional("cursor"), PageSize: new(int64(rows))})
			s.Keys, s.NextKeys = keys.Data, onward("/settings", keys.NextPageToken)
			return err
		},
	}
}

func addDomain(v *visit) (next, notice string, err error) {
	_, err = v.calls.Domains.Add(v.ctx, redline.AddDomainsRequest{Domains: strings.Fields(v.form("domain"))})
	return "/settings", "Added.", err
}

func removeDomain(v *visit) (next, notice string, err error) {
	_, err = v.calls.Domains.Delete(v.ctx, redline.DeleteDomainsRequest{Domains: []string{v.form("domain")}})
	return "/settings", "Removed.", err
}

// createKey makes a key and shows its token once.
func (c *Console) createKey(v *visit) (*page, error) {
	made, err := v.calls.APIKeys.Create(v.ctx, redline.CreateAPIKeyRequest{
		OwnerEmail: v.form("owner"), APIKeyName: v.typed("name"), Type: redline.CreateAPIKeyRequestType(v.form("type")),
	})
	return &page{Title: "New key", Template: "secret", Section: "/settings", Data: &secretView{
		Back: "/settings", Title: "Token of the key", Of: made.APIKey, Secret: textOf(made.AuthToken),
	}}, err
}

// resetToken replaces the token of a key and shows the new one once.
func (c *Console) resetToken(v *visit) (*page, error) {
	made, err := v.calls.AuthTokens.Reset(v.ctx, redline.ResetAuthTokenRequest{APIKey: v.form("key")})
	return &page{Title: "New token", Template: "secret", Section: "/settings", Data: &secretView{
		Back: "/settings", Title: "New token of the key", Of: v.form("key"), Secret: made.NewAuthToken.Token,
	}}, err
}

// jobsView is a page of jobs.
type jobsView struct {
	Items  []redline.Job
	Status string
	Next   string
}

func (c *Console) jobs(v *visit) (*page, error) {
	view := &jobsView{Status: v.asked("status")}
	wanted := redline.ListJobsRequest{PageToken: v.optional("cursor"), PageSize: new(int64(rows))}
	if view.Status != "" {
		wanted.Status = new(redline.ListJobsRequestStatus(view.Status))
	}
	found, err := v.calls.Jobs.List(v.ctx, wanted)
	view.Items, view.Next = found.Data.Items, onward("/jobs", found.NextPageToken, "status", view.Status)
	return &page{Title: "Jobs", Template: "jobs", Section: "/jobs", Data: view}, err
}
