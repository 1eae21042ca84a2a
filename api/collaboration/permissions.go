package collaboration

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

type permissionStore interface {
	Add(ctx context.Context, workspaceID, userID string, permissions []directory.Permission) error
	Get(ctx context.Context, workspaceID string, f directory.PermissionFilter) ([]directory.UserPermissions, error)
	Remove(ctx context.Context, workspaceID, userID string, resources []directory.Resource) error
}

// Permissions are the operations on what users are granted.
type Permissions struct{ store permissionStore }

// NewPermissions makes the operations.
func NewPermissions(store permissionStore) *Permissions { return &Permissions{store: store} }

// ResourceData names an organization, or a folder or document of one.
type ResourceData struct {
	Type           string `json:"type" enum:"organization,folder,document" example:"document"`
	ID             string `json:"id" minLength:"1" maxLength:"200" format:"caller-id" example:"spring"`
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"acme" doc:"required unless the type is organization"`
}

func (r ResourceData) resource() directory.Resource {
	return directory.Resource{Type: r.Type, ID: r.ID, OrganizationID: cmp.Or(r.OrganizationID, r.ID)}
}

// check wants the organization of what stands in one.
func (r ResourceData) check(at rpc.Issues) {
	organization := r.Type == directory.ResourceOrganization
	switch {
	case !organization && r.OrganizationID == "":
		at.At("organizationId").Add(shape.Required, "is required")
	case organization && r.OrganizationID != "" && r.OrganizationID != r.ID:
		at.At("organizationId").Add(shape.Conflict, "is not the id of the organization")
	default:
	}
}

// resourceIssues are those of the resources of a request.
func resourceIssues[T interface{ check(at rpc.Issues) }](resources []T) []fault.Issue {
	var issues []fault.Issue
	all := rpc.IssuesIn(&issues, "permissions", "resources")
	for i, r := range resources {
		r.check(all.At(strconv.Itoa(i)))
	}
	return issues
}

// GrantData is a resource with what is granted there.
type GrantData struct {
	ResourceData
	AccessRole string `json:"accessRole,omitempty" enum:"viewer,editor" example:"editor" doc:"default editor"`
	ExpiresAt  *int64 `json:"expiresAt,omitempty" minimum:"0" maximum:"253402300799999" example:"1798761600000" doc:"epoch milliseconds; without it the grant has no end"`
}

func (g GrantData) permission() directory.Permission {
	p := directory.Permission{Resource: g.resource(), Role: cmp.Or(g.AccessRole, directory.DefaultRole)}
	if g.ExpiresAt != nil {
		p.ExpiresAt = new(time.UnixMilli(*g.ExpiresAt))
	}
	return p
}

// UserRef names a user.
type UserRef struct {
	UserID string `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
}

// AddPermissions is the request of permissions/add.
type AddPermissions struct {
	User        UserRef   `json:"user"`
	Permissions GrantList `json:"permissions"`
}

// GrantList are resources with what is granted there.
type GrantList struct {
	Resources []GrantData `json:"resources" minItems:"1" maxItems:"100" doc:"of one that is there twice the last counts"`
}

// Validate checks what tags cannot say.
func (r *AddPermissions) Validate() []fault.Issue { return resourceIssues(r.Permissions.Resources) }

// Done is the result of an operation that answers without data.
type Done struct {
	Status  string `json:"status" enum:"success"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
}

// Add grants a user resources, all or none.
func (p *Permissions) Add(ctx context.Context, req *AddPermissions) (*Done, error) {
	grants := rpc.Each(req.Permissions.Resources, GrantData.permission)
	if err := p.store.Add(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.User.UserID, grants); err != nil {
		return nil, err
	}
	return &Done{"success", "Permissions added."}, nil
}

// GetPermissions is the request of permissions/get.
type GetPermissions struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	UserIDs        []string `json:"userIds" minItems:"1" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderIDs      []string `json:"folderIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs    []string `json:"documentIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	SkipValidation *bool    `json:"skipResourceExistenceValidation,omitempty" example:"false" doc:"default true; false: what does not exist is an error, whose details have what else was found"`
}

// UserPermissions are what a user may do, by the ids of the resources.
type UserPermissions struct {
	Organization rpc.Keyed[PermissionView] `json:"organization"`
	Folders      rpc.Keyed[PermissionView] `json:"folders"`
	Documents    rpc.Keyed[PermissionView] `json:"documents"`
}

// PermissionView is what a user may do with one resource.
type PermissionView struct {
	AccessRole *string `json:"accessRole" enum:"viewer,editor" doc:"of the nearest grant that counts; null where the user may not enter"`
	AccessType *string `json:"accessType" enum:"public,organizationPrivate,restricted" doc:"what holds for the resource; null where there is none"`
	ExpiresAt  *int64  `json:"expiresAt" doc:"when the grant ends, epoch milliseconds"`
	ErrorCode  string  `json:"errorCode,omitempty" enum:"permission_denied,does_not_exist"`
	Disabled   bool    `json:"disabled,omitempty" doc:"access is switched off"`
}

func viewStanding(s directory.Standing) rpc.KeyedEntry[PermissionView] {
	v := PermissionView{Disabled: s.Shut}
	switch {
	case !s.Exists():
		v.ErrorCode = "does_not_exist"
	case s.Role == "":
		v.AccessType, v.ErrorCode = &s.Access, "permission_denied"
	default:
		v.AccessType, v.AccessRole = &s.Access, &s.Role
	}
	if s.ExpiresAt != nil {
		v.ExpiresAt = new(s.ExpiresAt.UnixMilli())
	}
	return rpc.KeyedEntry[PermissionView]{Key: s.ID, Value: v}
}

// Get reads what users may do in an organization, and with folders and documents of
// it.
func (p *Permissions) Get(ctx context.Context, req *GetPermissions) (*rpc.Success[rpc.Keyed[UserPermissions]], error) {
	found, err := p.store.Get(ctx, rpc.CallerFrom(ctx).WorkspaceID, directory.PermissionFilter{
		OrganizationID: req.OrganizationID, UserIDs: req.UserIDs, FolderIDs: req.FolderIDs, DocumentIDs: req.DocumentIDs,
	})
	if err != nil {
		return nil, err
	}
	view := func(u directory.UserPermissions) rpc.KeyedEntry[UserPermissions] {
		return rpc.KeyedEntry[UserPermissions]{Key: u.UserID, Value: UserPermissions{
			Organization: rpc.Keyed[PermissionView]{viewStanding(u.Organization)},
			Folders:      rpc.Each(u.Folders, viewStanding), Documents: rpc.Each(u.Documents, viewStanding),
		}}
	}
	all := rpc.Keyed[UserPermissions](rpc.Each(found, view))
	if req.SkipValidation != nil && !*req.SkipValidation {
		if err := missingResource(found[0], all); err != nil {
			return nil, err
		}
	}
	return rpc.Succeed("Permissions found.", all), nil
}

// missingResource is the error of a resource that does not exist, which it does for nobody;
// its details have all that was found.
func missingResource(one directory.UserPermissions, all rpc.Keyed[UserPermissions]) error {
	for _, of := range []struct {
		resource  string
		standings []directory.Standing
	}{
		{directory.ResourceOrganization, []directory.Standing{one.Organization}},
		{directory.ResourceFolder, one.Folders},
		{directory.ResourceDocument, one.Documents},
	} {
		for _, standing := range of.standings {
			if !standing.Exists() {
				missing := fault.NotFoundResource(of.resource, standing.ID)
				missing.Details = fault.Details{Members: shape.Encode(all)}
				return missing
			}
		}
	}
	return nil
}

// RemovePermissions is the request of permissions/remove.
type RemovePermissions struct {
	UserID      string       `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
	Permissions ResourceList `json:"permissions" closed:"true"`
}

// ResourceList are resources.
type ResourceList struct {
	Resources []RevokedData `json:"resources" minItems:"1" maxItems:"100" closed:"true"`
}

// RevokedData names a resource as permissions/add does; what was granted there is not compared.
type RevokedData struct {
	ResourceData
	AccessRole json.RawMessage `json:"accessRole,omitempty" example:"\"editor\"" doc:"without effect"`
	ExpiresAt  json.RawMessage `json:"expiresAt,omitempty" example:"1798761600000" doc:"without effect"`
}

// Validate checks what tags cannot say.
func (r *RemovePermissions) Validate() []fault.Issue { return resourceIssues(r.Permissions.Resources) }

// Remove takes grants from a user.
func (p *Permissions) Remove(ctx context.Context, req *RemovePermissions) (*Done, error) {
	resources := rpc.Each(req.Permissions.Resources, func(d RevokedData) directory.Resource { return d.resource() })
	if err := p.store.Remove(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.UserID, resources); err != nil {
		return nil, err
	}
	return &Done{"success", "Permissions removed."}, nil
}
