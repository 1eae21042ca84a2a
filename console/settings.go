package console

import (
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
	var err error
	if view.Settings, err = v.calls.Workspace.GetAPIKeyConfig(v.ctx, redline.GetSettingsRequest{}); err != nil {
		return nil, err
	}
	domains, err := v.calls.Domains.Get(v.ctx, redline.GetDomainsRequest{})
	if err != nil {
		return nil, err
	}
	view.Domains = domains.AllowedDomains
	if view.Mails, err = v.calls.Workspace.GetEmailConfig(v.ctx, redline.GetEmailSettingsRequest{}); err != nil {
		return nil, err
	}
	webhooks, err := v.calls.Workspace.GetAdvancedWebhookConfig(v.ctx, redline.GetWebhookSettingsRequest{})
	if err == nil {
		view.Webhooks = &webhooks
	}
	if err = unlessNeverOn(err); err == nil && v.session.WorkspaceID != "" {
		err = view.readWorkspace(v)
	}
	return &page{Title: "Settings", Template: "settings", Section: "/settings", Data: view}, err
}

func (s *settingsView) readWorkspace(v *visit) error {
	workspace, err := v.calls.Workspace.Get(v.ctx, redline.GetWorkspaceRequest{})
	if err != nil {
		return err
	}
	s.Workspace = &workspace
	if s.Owner, err = v.calls.Owner.Get(v.ctx, redline.GetOwnerRequest{}); err != nil {
		return err
	}
	keys, err := v.calls.APIKeys.Get(v.ctx, redline.ListAPIKeysRequest{PageToken: v.optional("cursor"), PageSize: new(int64(rows))})
	s.Keys, s.NextKeys = keys.Data, onward("/settings", keys.NextPageToken)
	return err
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
		Back: "/settings", Title: "Token of the key " + made.APIKey, Secret: textOf(made.AuthToken),
	}}, err
}

// resetToken replaces the token of a key and shows the new one once.
func (c *Console) resetToken(v *visit) (*page, error) {
	made, err := v.calls.AuthTokens.Reset(v.ctx, redline.ResetAuthTokenRequest{APIKey: v.form("key")})
	return &page{Title: "New token", Template: "secret", Section: "/settings", Data: &secretView{
		Back: "/settings", Title: "New token of the key " + v.form("key"), Secret: made.NewAuthToken.Token,
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
