package workspace

import (
	"context"
	"net/url"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Provider is the permission provider of a workspace: a service of its own that says who
// may write to documents. The token that it is called with is never shown.
type Provider struct {
	Enabled  bool
	URL      string
	HasToken bool
}

// ProviderChange is what an update sends; nil leaves a setting, an empty text clears it.
type ProviderChange struct {
	Enabled    *bool
	URL, Token *string
}

// ServingProvider is a provider that is to be asked, with the time at which it was read.
type ServingProvider struct {
	URL, Token string
	Now        time.Time
}

// Providers reads and changes the permission providers of workspaces.
type Providers struct {
	db  *pg.DB
	box *secret.Box
}

// NewProviders makes the store.
func NewProviders(db *pg.DB, box *secret.Box) *Providers { return &Providers{db, box} }

func providerBinding(workspaceID string) secret.Binding {
	return secret.Binding{Table: "permission_providers", Column: "token_sealed", Row: workspaceID, Workspace: workspaceID}
}

func (row providerRow) view() Provider {
	return Provider{Enabled: row.Enabled, URL: row.URL, HasToken: len(row.TokenSealed) > 0}
}

// Get returns the settings, those of a workspace that never set any where there are none.
func (p *Providers) Get(ctx context.Context, workspaceID string) (Provider, error) {
	row, err := gorm.G[providerRow](p.db.Gorm).Scopes(pg.Tenant(workspaceID)).Take(ctx)
	if pg.IsNoRow(err) {
		return Provider{}, nil
	}
	return row.view(), pg.Translate(err)
}

// Serving returns the provider that is to be asked now, nil where none is switched on. By
// hand, since the time comes in the same trip.
func (p *Providers) Serving(ctx context.Context, workspaceID string) (*ServingProvider, error) {
	var s ServingProvider
	var sealed []byte
	err := p.db.Pool.QueryRow(ctx, `SELECT url, token_sealed, clock_timestamp() FROM permission_providers WHERE workspace_id = $1 AND enabled`, workspaceID).
		Scan(&s.URL, &sealed, &s.Now)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil || sealed == nil {
		return &s, pg.Translate(err)
	}
	token, err := p.box.Open(providerBinding(workspaceID), sealed)
	s.Token = string(token)
	return &s, err
}

// Update changes what is sent and returns the new state. Updates of a workspace follow one
// another. Another host drops the stored token, so that it cannot be sent there. Errors:
// FAILED_PRECONDITION (no-provider-url) where it would be on without an address.
func (p *Providers) Update(ctx context.Context, workspaceID string, caller Caller, c ProviderChange) (after Provider, err error) {
	err = p.db.InTx(ctx, func(tx *pg.Tx) error {
		// The table has the settings of a new row.
		first := providerRow{WorkspaceID: workspaceID}
		err := gorm.G[providerRow](tx.Gorm(), clause.OnConflict{DoNothing: true}).Select("workspace_id").Create(ctx, &first)
		if err != nil {
			return err
		}
		row, err := gorm.G[providerRow](tx.Gorm(), clause.Locking{Strength: "UPDATE"}).Scopes(pg.Tenant(workspaceID)).Take(ctx)
		if err != nil {
			return err
		}
		p.apply(&row, c)
		if row.Enabled && row.URL == "" {
			return fault.FailedPrecondition("no-provider-url", "a permission provider needs a permissionProviderUrl")
		}
		after = row.view()
		_, err = gorm.G[providerRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Select("enabled", "url", "token_sealed").Updates(ctx, row)
		if err != nil {
			return err
		}
		return caller.Audit(workspaceID, c.fields()...).write(ctx, tx)
	})
	return after, err
}

func (p *Providers) apply(row *providerRow, c ProviderChange) {
	pg.SetIfSent(&row.Enabled, c.Enabled)
	if c.URL != nil && origin(*c.URL) != origin(row.URL) {
		row.TokenSealed = nil
	}
	pg.SetIfSent(&row.URL, c.URL)
	switch {
	case c.Token == nil:
	case *c.Token == "" || row.URL == "":
		row.TokenSealed = nil
	default:
		row.TokenSealed = p.box.Seal(providerBinding(row.WorkspaceID), []byte(*c.Token))
	}
}

// origin is scheme, host and port of an address; empty where it is none.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// fields are the names of what changes, for the audit row.
func (c ProviderChange) fields() []string {
	return SentNames(
		Sent("usePermissionProvider", c.Enabled != nil),
		Sent("permissionProviderConfig.permissionProviderUrl", c.URL != nil),
		Sent("permissionProviderConfig.authToken", c.Token != nil),
	)
}
