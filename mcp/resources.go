package mcp

import (
	"context"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	redline "github.com/redline-svc/redline/clients/go"
)

// The addresses of resources; the parts of a path are escaped as in any address.
const (
	definitionsAddress = "redline://definitions"
	documentsAddress   = "redline://organizations/{organizationId}/documents"
	listed             = 50
)

// addResources adds definitions and documents.
func (s *server) addResources() {
	s.AddResource(&sdk.Resource{
		URI: definitionsAddress, Name: "definitions", MIMEType: "application/json",
		Description: "The active definitions that dispatch starts: id, name, description, version, scope.",
	}, s.readDefinitions)
	s.addTemplates(s.readDefinitions,
		sdk.ResourceTemplate{URITemplate: definitionsAddress + "{?cursor}", Name: "more-definitions", Description: "A further page of the definitions; cursor is next of the page before."},
		sdk.ResourceTemplate{URITemplate: definitionsAddress + "/{definitionId}", Name: "definition", Description: "One definition, with its nodes, edges, groups and triggers."})
	s.addTemplates(s.readDocuments,
		sdk.ResourceTemplate{URITemplate: documentsAddress + "{?cursor}", Name: "documents", Description: "The documents of an organization, a page of 50."},
		sdk.ResourceTemplate{URITemplate: documentsAddress + "/{documentId}", Name: "document", Description: "One document: name, folder, access."})
}

func (s *server) addTemplates(read sdk.ResourceHandler, templates ...sdk.ResourceTemplate) {
	for _, one := range templates {
		one.MIMEType = "application/json"
		s.AddResourceTemplate(&one, read)
	}
}

// address are the parts of a resource's address behind the scheme, unescaped.
func address(request *sdk.ReadResourceRequest) (parts []string, cursor string, err error) {
	at, err := url.Parse(request.Params.URI)
	if err != nil {
		return nil, "", err
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(at.EscapedPath(), "/"), "/") {
		if part, err = url.PathUnescape(part); err != nil {
			return nil, "", err
		}
		parts = append(parts, part)
	}
	return parts, at.Query().Get("cursor"), nil
}

// contents is a resource, or that it is not there.
func contents(request *sdk.ReadResourceRequest, a answer, err error) (*sdk.ReadResourceResult, error) {
	if redline.IsNotFound(err) {
		return nil, sdk.ResourceNotFoundError(request.Params.URI)
	}
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: request.Params.URI, MIMEType: "application/json", Text: string(text(a))}}}, nil
}

// shownDefinition is a definition in a list.
type shownDefinition struct {
	DefinitionID string        `json:"definitionId"`
	Name         string        `json:"name"`
	Description  *string       `json:"description,omitempty"`
	Version      int64         `json:"version"`
	Scope        redline.Scope `json:"scope"`
}

func (s *server) readDefinitions(ctx context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	parts, cursor, err := address(request)
	if err != nil {
		return nil, err
	}
	if parts[0] != "" {
		one, err := s.o.Client.Definitions.Get(ctx, redline.GetDefinitionRequest{DefinitionID: parts[0]})
		return contents(request, answer{Result: one}.cut(), err)
	}
	a, err := paged(listed, func(n int64) (page[shownDefinition], error) {
		found, err := s.o.Client.Definitions.List(ctx, redline.ListDefinitionsRequest{PageSize: &n, Cursor: sent(cursor)})
		shown := page[shownDefinition]{make([]shownDefinition, len(found.Items)), orNone(found.NextCursor)}
		for i := range found.Items {
			d := &found.Items[i]
			shown.items[i] = shownDefinition{d.DefinitionID, d.Name, d.Description, d.Version, d.Scope}
		}
		return shown, err
	})
	return contents(request, a, err)
}

func (s *server) readDocuments(ctx context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	parts, cursor, err := address(request)
	if err != nil {
		return nil, err
	}
	if len(parts) == 3 {
		found, err := s.o.Client.Documents.Get(ctx, redline.GetDocumentsRequest{OrganizationID: parts[0], DocumentIds: []string{parts[2]}})
		if err == nil && len(found.Data) == 0 {
			return nil, sdk.ResourceNotFoundError(request.Params.URI)
		}
		return contents(request, best(found.Data), err)
	}
	a, err := paged(listed, func(n int64) (page[redline.Document], error) {
		found, err := s.o.Client.Documents.Get(ctx, redline.GetDocumentsRequest{OrganizationID: parts[0], PageSize: &n, PageToken: sent(cursor)})
		return page[redline.Document]{found.Data, found.NextPageToken}, err
	})
	return contents(request, a, err)
}
