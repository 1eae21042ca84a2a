package workspace

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Credentials finds who owns a pair of credentials. It is on the way of every
// request: one indexed statement, nothing kept in memory, so a token that was
// reset is invalid everywhere from the commit on. A right, a wrong and an unknown
// pair take the same work.
type Credentials struct {
	db  *pg.DB
	box *secret.Box
}

// NewCredentials makes the look-up.
func NewCredentials(db *pg.DB, box *secret.Box) *Credentials { return &Credentials{db: db, box: box} }

// The look-ups are by hand: they stand in the way of every request, and one statement
// reads token, key and workspace.
const findByKeyToken = `
	SELECT t.token_mac, t.workspace_id, t.api_key_id, w.suspended_at IS NOT NULL, k.disabled_at IS NOT NULL
	FROM auth_tokens t
	JOIN api_keys k ON k.id = t.api_key_id
	JOIN workspaces w ON w.id = t.workspace_id
	WHERE t.token_mac `

const findByWorkspaceToken = `
	SELECT token_mac, id, '', suspended_at IS NOT NULL, false FROM workspaces WHERE token_mac `

// Key finds the owner of an API key and its token. The error is
// UNAUTHENTICATED, or PERMISSION_DENIED together with the caller when an
// operator has suspended the workspace or disabled the key.
func (c *Credentials) Key(ctx context.Context, apiKey, token string) (Caller, error) {
	return c.find(ctx, findByKeyToken, c.box.MACs(keyTokenUse, []byte(apiKey), []byte(token)))
}

// Workspace finds the workspace of an id and its token; errors as with Key.
func (c *Credentials) Workspace(ctx context.Context, workspaceID, token string) (Caller, error) {
	return c.find(ctx, findByWorkspaceToken, c.box.MACs(workspaceTokenUse, []byte(workspaceID), []byte(token)))
}

// find looks a hash up. There are several only while hash keys rotate.
func (c *Credentials) find(ctx context.Context, query string, macs [][]byte) (Caller, error) {
	condition, wanted := "= $1", any(macs[0])
	if len(macs) > 1 {
		condition, wanted = "= ANY ($1)", macs
	}
	var found pairRow
	err := found.scan(c.db.Pool.QueryRow(ctx, query+condition, wanted))
	if err != nil && !pg.IsNoRow(err) {
		return Caller{}, pg.Translate(err)
	}
	return found.decide(macs)
}

// Suspended is the error of a call for a suspended workspace.
func Suspended() error { return fault.Denied("", "the workspace is suspended") }

// pairRow is what a hash led to; without a row everything is empty.
type pairRow struct {
	mac                 []byte
	caller              Caller
	suspended, disabled bool
}

func (p *pairRow) scan(row pgx.Row) error {
	return row.Scan(&p.mac, &p.caller.WorkspaceID, &p.caller.APIKeyID, &p.suspended, &p.disabled)
}

func (p *pairRow) decide(macs [][]byte) (Caller, error) {
	same := false
	for _, mac := range macs {
		same = secret.Equal(mac, p.mac) || same
	}
	switch {
	case !same:
		return Caller{}, fault.NoCredentials()
	case p.suspended:
		return p.caller, Suspended()
	case p.disabled:
		return p.caller, fault.Denied("", "the API key is disabled")
	default:
		return p.caller, nil
	}
}
