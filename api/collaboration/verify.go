package collaboration

import (
	"context"
	"slices"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/provider"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/workspace"
)

type servingProviders interface {
	Serving(ctx context.Context, workspaceID string) (*workspace.ServingProvider, error)
}

type providerAsker interface {
	Ask(ctx context.Context, p provider.Provider, q provider.Question, now time.Time) map[string]provider.Access
}

type documentReader interface {
	Get(ctx context.Context, workspaceID string, f directory.DocumentFilter, after *directory.DocumentPosition, size int) (*directory.DocumentPage, error)
	IsShut(ctx context.Context, workspaceID string, c directory.Container) (bool, error)
}

// Verifier asks the permission provider of a workspace about the authors of a request,
// where it has switched one on.
type Verifier struct {
	providers servingProviders
	documents documentReader
	asker     providerAsker
}

// NewVerifier makes the verifier.
func NewVerifier(providers servingProviders, documents documentReader, asker providerAsker) *Verifier {
	return &Verifier{providers, documents, asker}
}

// author is who an element of a request, with its index, is by.
type author struct {
	userID string
	index  int
}

// verify asks the provider about the distinct authors before anything is written, and reports
// whether grants have to be looked at instead: there is no provider, or no document to ask
// about, or access to it is switched off, which whoever adds to it will be told. Errors: PERMISSION_DENIED
// (provider-unreachable where the provider says nothing of an author).
func (v *Verifier) verify(ctx context.Context, add directory.Container, authors []author) (byGrants bool, err error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	serving, err := v.providers.Serving(ctx, workspaceID)
	if err != nil || serving == nil {
		return true, err
	}
	if shut, err := v.documents.IsShut(ctx, workspaceID, add); err != nil || shut {
		return true, err
	}
	q := provider.Question{OrganizationID: add.OrganizationID, DocumentID: add.DocumentID}
	found, err := v.documents.Get(ctx, workspaceID, directory.DocumentFilter{OrganizationID: add.OrganizationID, IDs: []string{add.DocumentID}}, nil, 1)
	if err != nil {
		return false, err
	}
	switch {
	case len(found.Items) > 0:
		q.ParentFolderID = rpc.TextOf(found.Items[0].FolderID)
	case !add.CreateDocument:
		return true, nil
	}
	authors = distinct(authors)
	for _, a := range authors {
		q.UserIDs = append(q.UserIDs, a.userID)
	}
	var said map[string]provider.Access
	err = rpc.Waiting(ctx, func() {
		said = v.asker.Ask(ctx, provider.Provider{Key: workspaceID, URL: serving.URL, Token: serving.Token}, q, serving.Now)
	})
	if err != nil {
		return false, err
	}
	return false, deniedBy(said, authors)
}

// distinct keeps the first element of each author.
func distinct(authors []author) []author {
	seen := map[string]bool{}
	return slices.DeleteFunc(authors, func(a author) bool {
		again := seen[a.userID]
		seen[a.userID] = true
		return again
	})
}

// deniedBy refuses what an author was not allowed.
func deniedBy(said map[string]provider.Access, authors []author) error {
	denied := fault.PermissionDenied("", "the permission provider does not let an author write to the document")
	for _, a := range authors {
		if said[a.userID] == provider.Allowed {
			continue
		}
		if said[a.userID] == provider.Unknown {
			denied.Reason = "provider-unreachable"
			denied.Message = "the permission provider gave no answer about an author"
		}
		denied.Details.Denied = append(denied.Details.Denied, fault.DeniedUser{Index: a.index, UserID: a.userID})
	}
	if len(denied.Details.Denied) == 0 {
		return nil
	}
	return denied
}
