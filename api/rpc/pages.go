package rpc

import "github.com/redline-svc/redline/internal/cursor"

// Pages is a list that is read page by page. A page's token is good for the same
// workspace, list and filters only.
type Pages struct {
	Codec *cursor.Codec
	// Field is the field of the request that brings a token back.
	Field       string
	WorkspaceID string
	// List names the list in its tokens.
	List string
	// Filters are what narrows the list, a value of plain fields; nil for
	// nothing.
	Filters any
}

// Position reads a token: where the page begins, or nil without a token, when it
// is the first page. Errors: INVALID_ARGUMENT at the field for a token that does
// not belong to the list.
func Position[P any](pages Pages, token string) (*P, error) {
	if token == "" {
		return nil, nil //nolint:nilnil // no token is no position, and no error
	}
	at := new(P)
	if err := pages.Codec.DecodeField(pages.Field, pages.WorkspaceID, pages.List, pages.Filters, token, at); err != nil {
		return nil, err
	}
	return at, nil
}

// Token is the token of the page that begins at next; nil where there is none.
func Token[P any](pages Pages, next *P) *string {
	if next == nil {
		return nil
	}
	token := pages.Codec.Encode(pages.WorkspaceID, pages.List, pages.Filters, next)
	return &token
}
