package collaboration

import (
	"context"
	"strconv"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/usertoken"
)

// UserTokens are the operations on tokens by which a caller's users are known.
type UserTokens struct{ signer *usertoken.Signer }

// NewUserTokens makes the operations.
func NewUserTokens(signer *usertoken.Signer) *UserTokens { return &UserTokens{signer} }

// GenerateToken is the request of generate_token.
type GenerateToken struct {
	UserID           string           `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
	UserProperties   TokenProperties  `json:"userProperties,omitempty"`
	Permissions      TokenPermissions `json:"permissions,omitempty"`
	ExpiresInSeconds int64            `json:"expiresInSeconds,omitempty" minimum:"60" maximum:"172800" doc:"default 172800"`
}

// TokenProperties are what a token says of its user.
type TokenProperties struct {
	Name    *string `json:"name,omitempty" maxLength:"200"`
	Email   *string `json:"email,omitempty" maxLength:"320" example:"ann@example.com"`
	IsAdmin *bool   `json:"isAdmin,omitempty" example:"true"`
}

// TokenPermissions are the resources that a token names; it grants none of them.
type TokenPermissions struct {
	Resources []GrantData `json:"resources,omitempty" minItems:"1" maxItems:"100"`
	ExpiresAt *int64      `json:"expiresAt,omitempty" minimum:"0" maximum:"253402300799999" example:"1798761600000" doc:"epoch milliseconds, in the future"`
}

// longestToken is how long a token counts where nothing is said.
const longestToken = 48 * time.Hour

// Validate checks what tags cannot say.
func (r *GenerateToken) Validate() []fault.Issue {
	var issues []fault.Issue
	at := rpc.IssuesIn(&issues, "permissions")
	for i, resource := range r.Permissions.Resources {
		resource.check(at.At("resources", strconv.Itoa(i)))
	}
	if until := r.Permissions.ExpiresAt; until != nil && *until <= time.Now().UnixMilli() {
		at.At("expiresAt").Add(shape.Range, "must be in the future, in milliseconds")
	}
	return issues
}

// TokenView is a token and when it ends.
type TokenView struct {
	Token     string `json:"token" doc:"a JWT with HS256; it opens nothing and cannot be called back"`
	ExpiresAt int64  `json:"expiresAt" doc:"epoch milliseconds"`
}

// Generate makes a token of a user.
func (t *UserTokens) Generate(ctx context.Context, req *GenerateToken) (*rpc.Success[TokenView], error) {
	now := time.Now().Truncate(time.Second)
	until := now.Add(longestToken)
	if req.ExpiresInSeconds > 0 {
		until = now.Add(time.Duration(req.ExpiresInSeconds) * time.Second)
	}
	claims := usertoken.Claims{
		UserID: req.UserID, Name: req.UserProperties.Name, Email: req.UserProperties.Email, IsAdmin: req.UserProperties.IsAdmin,
		ResourcesUntil: req.Permissions.ExpiresAt,
	}
	if len(req.Permissions.Resources) > 0 {
		claims.Resources = shape.Encode(req.Permissions.Resources)
	}
	token, err := t.signer.Sign(rpc.CallerFrom(ctx).WorkspaceID, claims, now, until)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Token made.", TokenView{token, until.UnixMilli()}), nil
}

// VerifyToken is the request of verify_token.
type VerifyToken struct {
	Token string `json:"token" minLength:"1" maxBytes:"16384"`
}

// TokenState says whether a token is valid, and what it says.
type TokenState struct {
	Valid  bool         `json:"valid"`
	Reason *string      `json:"reason" nullable:"true" enum:"malformed,algorithm,signature,workspace,expired" doc:"why it is not valid"`
	Claims shape.Object `json:"claims" nullable:"true" doc:"null where it is not valid"`
}

// Verify checks a token of the workspace.
func (t *UserTokens) Verify(ctx context.Context, req *VerifyToken) (*rpc.Success[TokenState], error) {
	claims, reason := t.signer.Verify(rpc.CallerFrom(ctx).WorkspaceID, req.Token, time.Now())
	state := TokenState{Valid: reason == ""}
	if state.Valid {
		state.Claims = shape.Object(shape.Encode(claims))
	} else {
		state.Reason = &reason
	}
	return rpc.Succeed("Token checked.", state), nil
}

// Examples of the operations on tokens.
const (
	ExampleToken      = `{"status":"success","message":"Token made.","data":{"token":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1X2FubiJ9.c2ln","expiresAt":1767229200000}}`
	ExampleTokenState = `{"status":"success","message":"Token checked.","data":{"valid":true,"reason":null,"claims":{"iss":"https://redline.example.com","aud":"ws_1","sub":"u_ann",
"jti":"utk_01kdvm9w00abcdefghjkmnpqrs","iat":1767225600,"exp":1767229200,"name":"Ann"}}}`
)
