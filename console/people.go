package console

import (
	"slices"

	redline "github.com/redline-svc/redline/clients/go"
)

// peopleView is a page of the users of an organization, its groups, and the access of one of them.
type peopleView struct {
	Organization, Document, Search string
	Users                          []redline.User
	Groups                         []redline.Group
	Next                           string
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
	view := &peopleView{Organization: v.asked("organization"), Document: v.asked("document"), Search: v.asked("search"), User: v.asked("user")}
	users, err := v.calls.Users.Get(v.ctx, redline.GetUsersRequest{
		OrganizationID: view.Organization, DocumentID: given(view.Document), SearchKey: given(view.Search), PageToken: v.optional("cursor"), PageSize: new(int64(rows)),
	})
	if err != nil {
		return nil, err
	}
	view.Users = users.Data
	view.Next = onward("/people", users.NextPageToken, "organization", view.Organization, "document", view.Document, "search", view.Search)
	groups, err := v.calls.UserGroups.Get(v.ctx, redline.GetGroupsRequest{OrganizationID: view.Organization, PageSize: new(int64(rows))})
	if err != nil {
		return nil, err
	}
	view.Groups = groups.Data
	if view.User != "" {
		err = view.explain(v)
	}
	return &page{Title: "Users and groups", Template: "people", Section: "/organizations", Data: view}, err
}

// explain reads what the chosen user may do with the organization and, where one is named, the document.
func (p *peopleView) explain(v *visit) error {
	wanted := redline.GetPermissionsRequest{OrganizationID: p.Organization, UserIds: []string{p.User}}
	if p.Document != "" {
		wanted.DocumentIds = []string{p.Document}
	}
	found, err := v.calls.Permissions.Get(v.ctx, wanted)
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
