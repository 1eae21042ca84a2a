package collaboration

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

type organizationStore interface {
	Add(ctx context.Context, workspaceID string, all []directory.Properties) ([]directory.Entry, error)
	Get(ctx context.Context, workspaceID string, ids []string, after *directory.OrganizationPosition, size int) (*directory.OrganizationPage, error)
	Update(ctx context.Context, workspaceID string, changes []directory.Properties) ([]directory.Entry, error)
	Delete(ctx context.Context, workspaceID string, ids []string) ([]directory.Entry, error)
	SetDisabled(ctx context.Context, workspaceID string, ids []string, disabled bool) ([]directory.Entry, error)
}

// Organizations are the operations on organizations.
type Organizations struct {
	listing

	store organizationStore
}

// NewOrganizations makes the operations.
func NewOrganizations(store organizationStore, settings settingsReader, cursors *cursor.Codec) *Organizations {
	return &Organizations{listing{Settings: settings, Cursors: cursors}, store}
}

// OrganizationData is an organization as sent; other keys are kept as they are.
type OrganizationData struct {
	OrganizationID   string     `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	OrganizationName *string    `json:"organizationName,omitempty" maxLength:"200" example:"Acme" doc:"the id when absent or cleared"`
	AccessType       string     `json:"accessType,omitempty" enum:"public,organizationPrivate,restricted" example:"restricted" doc:"of documents for which nothing nearer is set"`
	Rest             shape.Rest `json:"-"`
}

func (o OrganizationData) properties() directory.Properties {
	return directory.Properties{
		ID: o.OrganizationID, Name: o.OrganizationName, Access: o.AccessType, Extra: ownKeys[OrganizationView](o.Rest.Members),
		ClearName: o.Rest.Null("organizationName"), ClearAccess: o.Rest.Null("accessType"),
	}
}

// ChangedOrganizations is the request of organizations/add, and of
// organizations/update, in which null clears.
type ChangedOrganizations struct {
	Organizations []OrganizationData `json:"organizations" minItems:"1" maxItems:"100"`
}

// Validate checks what tags cannot say.
func (r *ChangedOrganizations) Validate() []fault.Issue {
	return elementIssues("organizations", "organizationId", directory.MaxOrganization, r.Organizations,
		func(o OrganizationData) (string, shape.Rest) { return o.OrganizationID, o.Rest })
}

// elementIssues are the faults of elements of a list: an id that is there twice, or
// more than most bytes; those without keys of the caller's own have an empty rest.
func elementIssues[T any](list, idField string, most int, elements []T, of func(T) (id string, rest shape.Rest)) []fault.Issue {
	var issues []fault.Issue
	all := rpc.IssuesIn(&issues, list)
	seen := map[string]bool{}
	for i, element := range elements {
		at := all.At(strconv.Itoa(i))
		id, rest := of(element)
		if id != "" && seen[id] {
			at.At(idField).Add(shape.Duplicate, "is there twice in the request")
		}
		seen[id] = true
		if rest.Size > most {
			at.Add(shape.Length, fmt.Sprintf("must be at most %d KiB as JSON", most>>10))
		}
	}
	return issues
}

// Add makes organizations.
func (o *Organizations) Add(ctx context.Context, req *ChangedOrganizations) (*rpc.Success[rpc.Keyed[Item]], error) {
	entries, err := o.store.Add(ctx, rpc.CallerFrom(ctx).WorkspaceID, rpc.Each(req.Organizations, OrganizationData.properties))
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Organizations added.", thingSentences.items(entries, "Organization added.")), nil
}

// GetOrganizations is the request of organizations/get.
type GetOrganizations struct {
	OrganizationIDs []string `json:"organizationIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	PageData
}

// OrganizationView is an organization as read, with the caller's own keys behind the fields.
type OrganizationView struct {
	ID               string  `json:"id" doc:"the caller's"`
	OrganizationName string  `json:"organizationName"`
	AccessType       *string `json:"accessType" enum:"public,organizationPrivate,restricted"`
	CreatedAt        int64   `json:"createdAt" doc:"epoch milliseconds"`
	LastUpdated      int64   `json:"lastUpdated" doc:"epoch milliseconds"`
	Disabled         bool    `json:"disabled" doc:"access is switched off"`

	Own []shape.Pair `json:"-"`
	_   struct{}     `json:"-" additionalProperties:"true"`
}

// MarshalJSON writes the object.
func (v OrganizationView) MarshalJSON() ([]byte, error) {
	type fields OrganizationView
	return appendOwn(fields(v), v.Own)
}

// UnmarshalJSON reads the object.
func (v *OrganizationView) UnmarshalJSON(text []byte) error {
	type fields OrganizationView
	v.Own = ownKeys[OrganizationView](shape.MembersOf(text))
	return json.Unmarshal(text, (*fields)(v))
}

func viewOrganization(o directory.OrganizationView) OrganizationView {
	return OrganizationView{
		ID: o.ID, OrganizationName: o.Name, AccessType: o.Access,
		CreatedAt: o.CreatedAt.UnixMilli(), LastUpdated: o.UpdatedAt.UnixMilli(), Disabled: o.Disabled, Own: shape.MembersOf(o.Extra),
	}
}

const organizationsList = "v2/organizations/get"

// Get reads organizations, newest first.
func (o *Organizations) Get(ctx context.Context, req *GetOrganizations) (*rpc.Success[[]OrganizationView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	pages := o.advancedPages(ctx, workspaceID, organizationsList, req.OrganizationIDs)
	found, next, err := rpc.List(pages, req.PageToken, viewOrganization, func(after *directory.OrganizationPosition) (*directory.OrganizationPage, error) {
		return o.store.Get(ctx, workspaceID, req.OrganizationIDs, after, cmp.Or(req.PageSize, pageSize))
	})
	return rpc.Found("Organizations found.", found, next, err)
}

// Update changes organizations.
func (o *Organizations) Update(ctx context.Context, req *ChangedOrganizations) (*rpc.Success[rpc.Keyed[Item]], error) {
	entries, err := o.store.Update(ctx, rpc.CallerFrom(ctx).WorkspaceID, rpc.Each(req.Organizations, OrganizationData.properties))
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Organizations updated.", thingSentences.items(entries, "Organization updated.")), nil
}

// DeleteOrganizations is the request of organizations/delete.
type DeleteOrganizations struct {
	OrganizationIDs []string `json:"organizationIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
}

// Delete removes organizations with everything in them.
func (o *Organizations) Delete(ctx context.Context, req *DeleteOrganizations) (*rpc.Success[rpc.Keyed[Item]], error) {
	entries, err := o.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationIDs)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Organizations deleted.", thingSentences.items(entries, "Organization deleted.")), nil
}

// thingSentences are those of organizations and documents.
var thingSentences = sentences{
	directory.CodeNotFound:      "It does not exist.",
	directory.CodeAlreadyExists: "It exists already and stays as it is.",
	directory.CodeInProgress:    "A migration of a document has to end first.",
}
