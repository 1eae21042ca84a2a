package workspace

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Prefixes of tokens.
const (
	keyTokenPrefix       = "kat"
	workspaceTokenPrefix = "wst"
)

// Uses of the hash key: a token of one level is no token of the other.
const (
	keyTokenUse       = "redline/auth-token/v1"
	workspaceTokenUse = "redline/workspace-token/v1"
)

const defaultTokenName = "Default Auth Token"

// tokenMAC is the hash by which a token is found. It includes the id of the owner,
// so a token does not work with another id.
func tokenMAC(box *secret.Box, use, ownerID, token string) []byte {
	return box.MAC(use, []byte(ownerID), []byte(token))
}

func workspaceTokenBinding(workspaceID string) secret.Binding {
	return secret.Binding{Table: "workspaces", Column: "token_sealed", Row: workspaceID, Workspace: workspaceID}
}

// openToken returns the workspace's own token in the clear.
func (row workspaceRow) openToken(box *secret.Box) (string, error) {
	token, err := box.Open(workspaceTokenBinding(row.ID), row.TokenSealed)
	if err != nil {
		return "", fault.Internal(err)
	}
	return string(token), nil
}

func keyTokenBinding(key apiKeyRow) secret.Binding {
	return secret.Binding{Table: "auth_tokens", Column: "token_sealed", Row: key.ID, Workspace: key.WorkspaceID}
}

// AuthToken is the live token of a key, in the clear.
type AuthToken struct {
	Token, Name string
	// Domains are the key's allowed ones.
	Domains []string
}

// putToken makes a token the key's only one and returns it in the clear.
func putToken(ctx context.Context, tx *pg.Tx, box *secret.Box, key apiKeyRow) (string, error) {
	token := id.Token(keyTokenPrefix)
	row := tokenRow{
		APIKeyID: key.ID, WorkspaceID: key.WorkspaceID, Name: defaultTokenName,
		TokenMac: tokenMAC(box, keyTokenUse, key.ID, token), HashKeyID: box.HashKeyID(),
		TokenSealed: box.Seal(keyTokenBinding(key), []byte(token)),
	}
	replace := clause.OnConflict{
		Columns:   []clause.Column{{Name: "api_key_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"token_mac", "hash_key_id", "token_sealed", "created_at"}),
	}
	return token, gorm.G[tokenRow](tx.Gorm(), replace).Create(ctx, &row)
}

// Tokens returns the live token of a key, if it has one. It shows a secret, so it
// leaves an audit row.
func (s *Keys) Tokens(ctx context.Context, workspaceID string, caller Caller, keyID string) ([]AuthToken, error) {
	tokens := []AuthToken{}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		key, err := takeKey(ctx, gorm.G[apiKeyRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("id = ?", keyID))
		if err != nil {
			return err
		}
		rows, err := gorm.G[tokenRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("api_key_id = ?", keyID).Find(ctx)
		if err != nil {
			return err
		}
		domains, err := domainsOf(ctx, tx.Gorm(), workspaceID, keyID)
		if err != nil {
			return err
		}
		for _, row := range rows {
			token, err := s.box.Open(keyTokenBinding(key), row.TokenSealed)
			if err != nil {
				return fault.Internal(err)
			}
			tokens = append(tokens, AuthToken{Token: string(token), Name: row.Name, Domains: domains})
		}
		return caller.Audit(keyID).write(ctx, tx)
	})
	return tokens, err
}

// Reset replaces the token of a key, or makes its first. The old one is invalid in
// every process once this returns, because no process caches tokens.
func (s *Keys) Reset(ctx context.Context, workspaceID string, caller Caller, keyID string) (*AuthToken, error) {
	made := &AuthToken{}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		lock := clause.Locking{Strength: "NO KEY UPDATE"}
		key, err := takeKey(ctx, gorm.G[apiKeyRow](tx.Gorm(), lock).Scopes(pg.Tenant(workspaceID)).Where("id = ?", keyID))
		if err != nil {
			return err
		}
		if made.Token, err = putToken(ctx, tx, s.box, key); err != nil {
			return err
		}
		row, err := gorm.G[tokenRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("api_key_id = ?", keyID).Take(ctx)
		if err != nil {
			return err
		}
		made.Name = row.Name
		if made.Domains, err = domainsOf(ctx, tx.Gorm(), workspaceID, keyID); err != nil {
			return err
		}
		return caller.Audit(keyID, "authToken").write(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// Own returns the workspace's own token. It shows a secret, so it leaves an audit row.
func (s *Keys) Own(ctx context.Context, workspaceID string, caller Caller) (token string, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := takeWorkspace(ctx, tx, workspaceID)
		if err != nil {
			return err
		}
		if token, err = row.openToken(s.box); err != nil {
			return err
		}
		return caller.Audit(workspaceID).write(ctx, tx)
	})
	return token, err
}

// Ensure returns the token of a key, which it makes if the key has none, and whether it did.
// It shows a secret, so it leaves an audit row. Error: NOT_FOUND.
func (s *Keys) Ensure(ctx context.Context, workspaceID string, caller Caller, keyID string) (token string, created bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		lock := clause.Locking{Strength: "NO KEY UPDATE"}
		key, err := takeKey(ctx, gorm.G[apiKeyRow](tx.Gorm(), lock).Scopes(pg.Tenant(workspaceID)).Where("id = ?", keyID))
		if err != nil {
			return err
		}
		row, err := gorm.G[tokenRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("api_key_id = ?", keyID).Take(ctx)
		switch {
		case pg.IsNoRow(err):
			created = true
			if token, err = putToken(ctx, tx, s.box, key); err != nil {
				return err
			}
			return caller.Audit(keyID, "authToken").write(ctx, tx)
		case err != nil:
			return err
		}
		open, err := s.box.Open(keyTokenBinding(key), row.TokenSealed)
		if err != nil {
			return fault.Internal(err)
		}
		token = string(open)
		return caller.Audit(keyID).write(ctx, tx)
	})
	return token, created, err
}

func takeKey(ctx context.Context, query gorm.ChainInterface[apiKeyRow]) (apiKeyRow, error) {
	key, err := query.Take(ctx)
	if pg.IsNoRow(err) {
		return key, fault.NotFound("API key")
	}
	return key, err
}
