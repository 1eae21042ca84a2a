package collaboration

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/group"
)

type groupStore interface {
	Add(ctx context.Context, workspaceID string, c directory.Container, groups []group.Group) ([]directory.Entry, error)
	Get(ctx context.Context, workspaceID, organizationID string, ids []string, after *group.Position, size int) (*group.Page, error)
	Delete(ctx context.Context, workspaceID, organizationID string, ids []string) ([]directory.Entry, error)
	AddUsers(ctx context.Context, workspaceID string, in group.Ref, userIDs []string) ([]directory.Entry, error)
	RemoveUsers(ctx context.Context, workspaceID string, in group.Ref, userIDs []string) ([]directory.Entry, error)
	Empty(ctx context.Context, workspaceID string, of group.Ref) ([]directory.Entry, error)
}

// Groups are the operations on user groups of organizations.
type Groups struct {
	listing

	store groupStore
}

// NewGroups makes the operations.
func NewGroups(store groupStore, cursors *cursor.Codec) *Groups {
	return &Groups{listing{Cursors: cursors}, store}
}

// GroupData is a user group as sent.
type GroupData struct {
	GroupID   string `json:"groupId" minLength:"1" maxLength:"200" format:"caller-id"`
	GroupName string `json:"groupName" minLength:"1" maxLength:"200"`
}

// AddGroups is the request of usergroups/add.
type AddGroups struct {
	OrganizationID     string      `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	CreateOrganization bool        `json:"createOrganization,omitempty" example:"true"`
	Groups             []GroupData `json:"organizationUserGroups" minItems:"1" maxItems:"100" doc:"of one that is there twice the last counts"`
}

// Add makes groups and renames those that are there.
func (g *Groups) Add(ctx context.Context, req *AddGroups) (*rpc.Success[rpc.Keyed[Item]], error) {
	c := directory.Container{OrganizationID: req.OrganizationID, CreateOrganization: req.CreateOrganization}
	groups := rpc.Each(req.Groups, func(d GroupData) group.Group { return group.Group{ID: d.GroupID, Name: d.GroupName} })
	entries, err := g.store.Add(ctx, rpc.CallerFrom(ctx).WorkspaceID, c, groups)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("User groups added.", thingSentences.items(entries, "User group added.")), nil
}

// GetGroups is the request of usergroups/get.
type GetGroups struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	GroupIDs       []string `json:"groupIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	PageData
}

// GroupView is a user group as read.
type GroupView struct {
	GroupID   string `json:"groupId"`
	GroupName string `json:"groupName"`
	UserCount int64  `json:"userCount"`
	CreatedAt int64  `json:"createdAt" doc:"epoch milliseconds"`
}

func viewGroup(v group.View) GroupView {
	return GroupView{GroupID: v.ID, GroupName: v.Name, UserCount: v.Users, CreatedAt: v.CreatedAt.UnixMilli()}
}

const groupsList = "v2/organizations/usergroups/get"

// Get reads user groups, newest first.
func (g *Groups) Get(ctx context.Context, req *GetGroups) (*rpc.Success[[]GroupView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	pages := g.pages(workspaceID, groupsList, append([]string{req.OrganizationID}, req.GroupIDs...))
	found, next, err := rpc.List(pages, req.PageToken, viewGroup, func(after *group.Position) (*group.Page, error) {
		return g.store.Get(ctx, workspaceID, req.OrganizationID, req.GroupIDs, after, cmp.Or(req.PageSize, pageSize))
	})
	return rpc.Found("User groups found.", found, next, err)
}

// DeleteGroups is the request of usergroups/delete.
type DeleteGroups struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	GroupIDs       []string `json:"groupIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
}

// Delete removes groups and leaves who is in them.
func (g *Groups) Delete(ctx context.Context, req *DeleteGroups) (*rpc.Success[rpc.Keyed[Item]], error) {
	entries, err := g.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.GroupIDs)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("User groups deleted.", thingSentences.items(entries, "User group deleted.")), nil
}

// GroupRef names a user group.
type GroupRef struct {
	OrganizationID          string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	OrganizationUserGroupID string `json:"organizationUserGroupId" minLength:"1" maxLength:"200" format:"caller-id"`
}

func (r GroupRef) ref() group.Ref {
	return group.Ref{OrganizationID: r.OrganizationID, GroupID: r.OrganizationUserGroupID}
}

// GroupUser says what became of one user of a call about a group.
type GroupUser struct {
	Success                 bool   `json:"success"`
	OrganizationUserGroupID string `json:"organizationUserGroupId"`
	Message                 string `json:"message" doc:"a short sentence, not part of the contract"`
	Code                    string `json:"code,omitempty" enum:"not-member"`
}

var (
	joinSentences  = sentences{directory.CodeNotMember: "The user is no member of the organization."}
	leaveSentences = sentences{directory.CodeNotMember: "The user is not in the group."}
)

// groupUsers are the results of users; done is the message after success.
func (r GroupRef) groupUsers(entries []directory.Entry, why sentences, done string) rpc.Keyed[GroupUser] {
	return rpc.Each(entries, func(e directory.Entry) rpc.KeyedEntry[GroupUser] {
		return rpc.KeyedEntry[GroupUser]{Key: e.ID, Value: GroupUser{e.Success(), r.OrganizationUserGroupID, why.of(e, done), e.Code}}
	})
}

// AddGroupUsers is the request of usergroups/users/add.
type AddGroupUsers struct {
	GroupRef
	UserIDs []string `json:"userIds" minItems:"1" maxItems:"1000" minLength:"1" maxLength:"200" format:"caller-id"`
}

// AddUsers puts members of the organization into a group.
func (g *Groups) AddUsers(ctx context.Context, req *AddGroupUsers) (*rpc.Success[rpc.Keyed[GroupUser]], error) {
	entries, err := g.store.AddUsers(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.ref(), req.UserIDs)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Users added.", req.groupUsers(entries, joinSentences, "User added.")), nil
}

// DeleteGroupUsers is the request of usergroups/users/delete.
type DeleteGroupUsers struct {
	GroupRef
	UserIDs   []string `json:"userIds,omitempty" selector:"true" maxItems:"1000" minLength:"1" maxLength:"200" format:"caller-id"`
	DeleteAll bool     `json:"deleteAll,omitempty" doc:"true instead of userIds; 10000 of those who were in the group are named"`
}

// Validate wants exactly one of the two.
func (r *DeleteGroupUsers) Validate() []fault.Issue {
	switch {
	case len(r.UserIDs) == 0 && !r.DeleteAll:
		return []fault.Issue{{Code: shape.Required, Path: []string{"userIds"}, Message: "userIds, or deleteAll true, is required"}}
	case len(r.UserIDs) > 0 && r.DeleteAll:
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"deleteAll"}, Message: "userIds and deleteAll exclude each other"}}
	default:
		return nil
	}
}

// DeleteUsers takes users out of a group, or all of them.
func (g *Groups) DeleteUsers(ctx context.Context, req *DeleteGroupUsers) (*rpc.Success[rpc.Keyed[GroupUser]], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	remove := func() ([]directory.Entry, error) {
		return g.store.RemoveUsers(ctx, workspaceID, req.ref(), req.UserIDs)
	}
	if req.DeleteAll {
		remove = func() ([]directory.Entry, error) { return g.store.Empty(ctx, workspaceID, req.ref()) }
	}
	entries, err := remove()
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Users removed.", req.groupUsers(entries, leaveSentences, "User removed.")), nil
}
