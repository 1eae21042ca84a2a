package console

import (
	"cmp"
	"context"
	"slices"

	redline "github.com/redline-svc/redline/clients/go"
)

// peopleView is a page of the users of an organization, its groups, and the access of one of them.
type peopleView struct {
	Organization, Document, Search string
	// Group is the one whose users are shown, empty for all.
	Group            string
	Users            []redline.User
	Groups           []redline.Group
	Next, NextGroups string
	// User is whose access is explained by Reasons.
	User    string
	Reasons []access
}

// access is what somebody may do with one thing, and where that comes from.
type access struct {
	Kind, ID string
	redline.Permission
}

func (c *Console) people(v *visit) (*page, error) {
	view := &peopleView{Organization: v.asked("organization"), Document: v.asked("document"), Search: v.asked("search"), Group: v.asked("group"), User: v.asked("user")}
	calls := []func(context.Context) error{
		func(ctx context.Context) error { return view.readUsers(ctx, v) },
		func(ctx context.Context) error { return view.readGroups(ctx, v) },
	}
	if view.User != "" {
		calls = append(calls, func(ctx context.Context) error { return view.explain(ctx, v) })
	}
	return &page{Title: "Users and groups", Template: "people", Section: "/organizations", Data: view}, together(v.ctx, calls...)
}

func (p *peopleView) readUsers(ctx context.Context, v *visit) error {
	wanted := redline.GetUsersRequest{
		OrganizationID: p.Organization, DocumentID: given(p.Document), SearchKey: given(p.Search), PageToken: v.optional("cursor"), PageSize: new(int64(rows)),
	}
	if p.Group != "" {
		wanted.OrganizationUserGroupIds = []string{p.Group}
	}
	users, err := v.calls.Users.Get(ctx, wanted)
	p.Users = users.Data
	p.Next = onward("/people", users.NextPageToken, "organization", p.Organization, "document", p.Document, "search", p.Search, "group", p.Group)
	return err
}

func (p *peopleView) readGroups(ctx context.Context, v *visit) error {
	groups, err := v.calls.UserGroups.Get(ctx, redline.GetGroupsRequest{OrganizationID: p.Organization, PageToken: v.optional("groups"), PageSize: new(int64(rows))})
	p.Groups = groups.Data
	p.NextGroups = onwardBy("groups", "/people", groups.NextPageToken, "organization", p.Organization, "document", p.Document)
	return err
}

// peopleHere is the page of the people that a form is about.
func (v *visit) peopleHere() string {
	return to("/people", "organization", v.form("organization")) + "#h-groups"
}

func addGroup(v *visit) (next, notice string, err error) {
	id := textOf(v.typed("group"))
	items, err := v.calls.UserGroups.Add(v.ctx, redline.AddGroupsRequest{
		OrganizationID: v.form("organization"), OrganizationUserGroups: []redline.GroupInput{{GroupID: id, GroupName: cmp.Or(textOf(v.typed("name")), id)}},
	}, redline.Header(&v.answer))
	return v.peopleHere(), "Added.", v.itemsRefused(items, err)
}

func deleteGroup(v *visit) (next, notice string, err error) {
	items, err := v.calls.UserGroups.Delete(v.ctx, redline.DeleteGroupsRequest{OrganizationID: v.form("organization"), GroupIds: []string{v.form("group")}}, redline.Header(&v.answer))
	return v.peopleHere(), "Deleted. Its users stay.", v.itemsRefused(items, err)
}

func joinGroup(v *visit) (next, notice string, err error) {
	users, err := v.calls.UserGroups.AddUsers(v.ctx, redline.AddGroupUsersRequest{
		OrganizationID: v.form("organization"), OrganizationUserGroupID: v.form("group"), UserIds: []string{textOf(v.typed("user"))},
	}, redline.Header(&v.answer))
	return v.peopleHere(), "Added to the group.", v.usersRefused(users, err)
}

func leaveGroup(v *visit) (next, notice string, err error) {
	users, err := v.calls.UserGroups.DeleteUsers(v.ctx, redline.DeleteGroupUsersRequest{
		OrganizationID: v.form("organization"), OrganizationUserGroupID: v.form("group"), UserIds: []string{textOf(v.typed("user"))},
	}, redline.Header(&v.answer))
	return v.peopleHere(), "Taken out of the group.", v.usersRefused(users, err)
}

// usersRefused is err, or what was said of a user who was not taken.
func (v *visit) usersRefused(users map[string]redline.GroupUser, err error) error {
	for _, user := range users {
		if err == nil && !user.Success {
			return v.notTaken(string(user.Code), user.Message)
		}
	}
	return err
}

// explain reads what the chosen user may do with the organization and, where one is named, the document.
func (p *peopleView) explain(ctx context.Context, v *visit) error {
	wanted := redline.GetPermissionsRequest{OrganizationID: p.Organization, UserIds: []string{p.User}}
	if p.Document != "" {
		wanted.DocumentIds = []string{p.Document}
	}
	found, err := v.calls.Permissions.Get(ctx, wanted)
	for _, permissions := range found {
		for kind, things := range map[string]map[string]redline.Permission{"organization": permissions.Organization, "folder": permissions.Folders, "document": permissions.Documents} {
			for id, permission := range things {
				p.Reasons = append(p.Reasons, access{kind, id, permission})
			}
		}
	}
	slices.SortFunc(p.Reasons, func(a, b access) int { return -len(a.Kind) + len(b.Kind) })
	return err
}
