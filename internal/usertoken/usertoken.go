package usertoken

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/secret"
)

// Why a token is not valid.
const (
	Malformed    = "malformed"
	Algorithm    = "algorithm"
	BadSignature = "signature"
	Workspace    = "workspace"
	Expired      = "expired"
)

// use is that of the keys which sign tokens.
const use = "redline/user-token/v1"

// Claims are what a token says. Times are seconds since the epoch; Resources are the caller's
// own JSON.
type Claims struct {
	Issuer    string          `json:"iss"`
	Workspace string          `json:"aud"`
	UserID    string          `json:"sub"`
	ID        string          `json:"jti"`
	IssuedAt  int64           `json:"iat"`
	ExpiresAt int64           `json:"exp"`
	Name      *string         `json:"name,omitempty"`
	Email     *string         `json:"email,omitempty"`
	IsAdmin   *bool           `json:"isAdmin,omitempty"`
	Resources json.RawMessage `json:"resources,omitempty"`
	// ResourcesUntil is until when the resources are meant, in epoch milliseconds.
	ResourcesUntil *int64 `json:"resourcesExpireAt,omitempty"`
}

// GetExpirationTime is when the token ends.
func (c *Claims) GetExpirationTime() (*jwt.NumericDate, error) { return seconds(c.ExpiresAt), nil }

// GetIssuedAt is when the token was made.
func (c *Claims) GetIssuedAt() (*jwt.NumericDate, error) { return seconds(c.IssuedAt), nil }

// GetNotBefore is nothing: a token counts from the start.
func (c *Claims) GetNotBefore() (*jwt.NumericDate, error) { return nil, nil } //nolint:nilnil // there is none

// GetIssuer is the address of the service.
func (c *Claims) GetIssuer() (string, error) { return c.Issuer, nil }

// GetSubject is the user.
func (c *Claims) GetSubject() (string, error) { return c.UserID, nil }

// GetAudience is the workspace.
func (c *Claims) GetAudience() (jwt.ClaimStrings, error) { return jwt.ClaimStrings{c.Workspace}, nil }

func seconds(n int64) *jwt.NumericDate { return jwt.NewNumericDate(time.Unix(n, 0)) }

// Signer signs and checks tokens. It is safe for concurrent use.
type Signer struct {
	keys   []secret.Key
	issuer string
}

// New makes a signer for the service at a public address.
func New(box *secret.Box, issuer string) *Signer { return &Signer{box.DerivedKeys(use), issuer} }

// Sign makes a token of a workspace that says so and ends at that time, in whole seconds.
func (s *Signer) Sign(workspaceID string, c Claims, now, until time.Time) (string, error) {
	c.Issuer, c.Workspace, c.ID = s.issuer, workspaceID, id.New(id.UserToken)
	c.IssuedAt, c.ExpiresAt = now.Unix(), until.Unix()
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, &c)
	token.Header["kid"] = s.keys[0].ID
	return token.SignedString(s.keys[0].Bytes[:])
}

// Verify returns what a token of the workspace says, or why it is not valid: nothing of one
// that is not valid is to be believed, so then there are no claims.
func (s *Signer) Verify(workspaceID, token string, now time.Time) (claims *Claims, reason string) {
	// Strict, or the last character of a signature would have three others that mean the same.
	parser := jwt.NewParser(jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithExpirationRequired(), jwt.WithAudience(workspaceID), jwt.WithStrictDecoding())
	said := &Claims{}
	// Without its signature: one that is not even written as one is a wrong signature.
	read, _, err := parser.ParseUnverified(token[:strings.LastIndexByte(token, '.')+1], said)
	switch {
	case err != nil:
		return nil, Malformed
	case read.Method.Alg() != jwt.SigningMethodHS256.Alg():
		return nil, Algorithm
	default:
	}
	said = &Claims{}
	_, err = parser.ParseWithClaims(token, said, s.keyOf)
	switch {
	case err == nil:
		return said, ""
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return nil, Workspace
	case errors.Is(err, jwt.ErrTokenExpired):
		return nil, Expired
	default:
		return nil, BadSignature
	}
}

var errUnknownKey = errors.New("no such key")

// keyOf is the key that the header names.
func (s *Signer) keyOf(token *jwt.Token) (any, error) {
	for _, key := range s.keys {
		if token.Header["kid"] == key.ID {
			return key.Bytes[:], nil
		}
	}
	return nil, errUnknownKey
}
