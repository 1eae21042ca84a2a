package workspace

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Credentials finds who owns a pair of credentials. It is on the way of every
// request: one indexed look-up, nothing kept in memory, so a token that was
// reset is invalid everywhere from the commit on. A right, a wrong and an unknown
// pair take the same work.
type Credentials struct {
	db               *pg.DB
	box              *secret.Box
	ofKeys, ofOwners string
}

// NewCredentials makes the look-up.
func NewCredentials(db *pg.DB, box *secret.Box) *Credentials {
	return &Credentials{
		db: db, box: box,
		ofKeys:   findByKeyToken + hashes(len(box.MACs(keyTokenUse))),
		ofOwners: findByWorkspaceToken + hashes(len(box.MACs(workspaceTokenUse))),
	}
}

// The look-ups are by hand: they stand in the way of every request, and one statement
// reads token, key and workspace. All hashes of a pair are in one statement, which sees one
// moment: a row that a rewrap moves from one hash to another is under one of them.
const findByKeyToken = `
	SELECT t.token_mac, t.workspace_id, t.api_key_id, w.suspended_at IS NOT NULL, k.disabled_at IS NOT NULL
	FROM auth_tokens t
	JOIN api_keys k ON k.id = t.api_key_id
	JOIN workspaces w ON w.id = t.workspace_id AND w.deleted_at IS NULL
	WHERE t.token_mac IN `

const findByWorkspaceToken = `
	SELECT token_mac, id, '', suspended_at IS NOT NULL, false FROM workspaces WHERE deleted_at IS NULL AND token_mac IN `

// hashes are the parameters of a statement that looks n hashes up. It is not ANY of an
// array, for which Postgres makes a plan for each call: three times the work.
func hashes(n int) string {
	parameters := make([]string, n)
	for i := range parameters {
		parameters[i] = "$" + strconv.Itoa(i+1)
	}
	return "(" + strings.Join(parameters, ", ") + ")"
}

// Key finds the owner of an API key and its token. The error is
// UNAUTHENTICATED, or PERMISSION_DENIED together with the caller when an
// operator has suspended the workspace or disabled the key.
func (c *Credentials) Key(ctx context.Context, apiKey, token string) (Caller, error) {
	return c.find(ctx, c.ofKeys, c.box.MACs(keyTokenUse, []byte(apiKey), []byte(token)))
}

// Workspace finds the workspace of an id and its token; errors as with Key.
func (c *Credentials) Workspace(ctx context.Context, workspaceID, token string) (Caller, error) {
	return c.find(ctx, c.ofOwners, c.box.MACs(workspaceTokenUse, []byte(workspaceID), []byte(token)))
}

// find looks a pair up by its hashes, one for each hash key: there are several only while
// hash keys rotate.
func (c *Credentials) find(ctx context.Context, query string, pair [][]byte) (Caller, error) {
	parameters := make([]any, len(pair))
	for i, mac := range pair {
		parameters[i] = mac
	}
	var found pairRow
	if err := found.scan(c.db.Pool.QueryRow(ctx, query, parameters...)); err != nil && !pg.IsNoRow(err) {
		return Caller{}, pg.Translate(err)
	}
	return found.decide(pair)
}

// Suspended is the error of a call for a suspended workspace.
func Suspended() error { return fault.PermissionDenied("", "the workspace is suspended") }

// pairRow is what a hash led to; without a row everything is empty.
type pairRow struct {
	mac                 []byte
	caller              Caller
	suspended, disabled bool
}

func (p *pairRow) scan(row pgx.Row) error {
	return row.Scan(&p.mac, &p.caller.WorkspaceID, &p.caller.APIKeyID, &p.suspended, &p.disabled)
}

func (p *pairRow) decide(pair [][]byte) (Caller, error) {
	same := false
	for _, mac := range pair {
		same = secret.Equal(mac, p.mac) || same
	}
	switch {
	case !same:
		return Caller{}, fault.Unauthenticated()
	case p.suspended:
		return p.caller, Suspended()
	case p.disabled:
		return p.caller, fault.PermissionDenied("", "the API key is disabled")
	default:
		return p.caller, nil
	}
}
