package collaboration

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/usertoken"
	"github.com/redline-svc/redline/models/directory"
)

type invitationStore interface {
	Add(ctx context.Context, workspaceID string, sent directory.InvitationSent) (*directory.Invitation, error)
	Respond(ctx context.Context, workspaceID string, r directory.InvitationResponse) (*directory.Invitation, error)
	Get(ctx context.Context, workspaceID string, f directory.InvitationFilter, after *string, size int) (*directory.InvitationPage, error)
	CountPending(ctx context.Context, workspaceID, organizationID, kind string) (int64, error)
}

// allowedDomains knows to which hosts a key may lead people.
type allowedDomains interface {
	Allowed(ctx context.Context, workspaceID, apiKeyID, host string) (bool, error)
}

// Invitations are the operations on invitations of people by e-mail.
type Invitations struct {
	listing

	store   invitationStore
	domains allowedDomains
	tokens  *usertoken.Signer
}

// NewInvitations makes the operations.
func NewInvitations(store invitationStore, domains allowedDomains, tokens *usertoken.Signer, cursors *cursor.Codec) *Invitations {
	return &Invitations{listing{Cursors: cursors}, store, domains, tokens}
}

// InvitedData says who is invited, and where.
type InvitedData struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	Email          string `json:"email" maxLength:"320" doc:"compared without case, its domain in any spelling"`
	Type           string `json:"type" enum:"org_user,doc_user,folder_user"`
	DocumentID     string `json:"documentId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" doc:"required with doc_user, for nothing else"`
	FolderID       string `json:"folderId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"seasons" doc:"required with folder_user, for nothing else"`
}

// issues are the faults between the fields.
func (d InvitedData) issues() (issues []fault.Issue) {
	at := rpc.IssuesIn(&issues)
	emailIssues(at, d.Email)
	for _, place := range []struct{ field, id, kind string }{
		{"documentId", d.DocumentID, directory.InvitedToDocument}, {"folderId", d.FolderID, directory.InvitedToFolder},
	} {
		switch {
		case d.Type == place.kind && place.id == "":
			at.At(place.field).Add(shape.Required, "is required with the type "+d.Type)
		case d.Type != place.kind && place.id != "":
			at.At(place.field).Add(shape.Conflict, "is for the type "+place.kind+" only")
		default:
		}
	}
	return issues
}

// emailIssues refuses what is no e-mail.
func emailIssues(at rpc.Issues, address string) {
	if _, err := email.Parse(address); err != nil {
		at.At("email").Add(shape.Format, err.Error())
	}
}

// emailKey is by what an e-mail is compared; empty for none.
func emailKey(address string) string {
	parsed, err := email.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Key()
}

func (d InvitedData) invited() directory.Invited {
	return directory.Invited{OrganizationID: d.OrganizationID, FolderID: d.FolderID, DocumentID: d.DocumentID, Email: d.Email, EmailKey: emailKey(d.Email)}
}

// AddInvitation is the request of invite/add.
type AddInvitation struct {
	InvitedData
	AccessRole       string    `json:"accessRole,omitempty" enum:"viewer,editor" doc:"default editor"`
	OrganizationName string    `json:"organizationName,omitempty" maxLength:"500" example:"Acme" doc:"for the mail only; default the id"`
	DocumentName     string    `json:"documentName,omitempty" maxLength:"500" example:"Spring" doc:"likewise"`
	FolderName       string    `json:"folderName,omitempty" maxLength:"500" example:"Seasons" doc:"likewise"`
	InvitedBy        *UserData `json:"invitedBy,omitempty"`
	URL              string    `json:"url,omitempty" maxLength:"2000" format:"http-url" example:"https://www.example.com/join" doc:"https; the mail has a button that leads there. Its host is one of the allowed domains of the calling key"`
	SendEmail        *bool     `json:"sendEmail,omitempty" example:"false" doc:"default true; none is sent while useEmailService or the trigger user.invite is off"`
}

// Validate checks what tags cannot say.
func (r *AddInvitation) Validate() []fault.Issue {
	issues := append(r.issues(), r.InvitedBy.issuesAt("invitedBy")...)
	if at, err := url.Parse(r.URL); r.URL != "" && (err != nil || at.Scheme != "https") {
		issues = append(issues, fault.Issue{Code: shape.Format, Path: []string{"url"}, Message: "must begin with https://"})
	}
	return issues
}

// sent is the invitation as it is to be stored.
func (r *AddInvitation) sent() directory.InvitationSent {
	sent := directory.InvitationSent{Invited: r.invited(), Role: cmp.Or(r.AccessRole, directory.DefaultRole), By: r.InvitedBy.whole()}
	if r.SendEmail == nil || *r.SendEmail {
		sent.Mail = &directory.InvitationMail{
			By: nameOf(sent.By), URL: r.URL, Organization: cmp.Or(r.OrganizationName, r.OrganizationID),
			Folder: cmp.Or(r.FolderName, r.FolderID), Document: cmp.Or(r.DocumentName, r.DocumentID),
		}
	}
	return sent
}

// nameOf is how somebody is called in a mail; empty for nobody.
func nameOf(p *person.Person) string {
	switch {
	case p == nil:
		return ""
	case p.Name != nil && *p.Name != "":
		return *p.Name
	default:
		return p.UserID
	}
}

// InvitationView is an invitation as read.
type InvitationView struct {
	ID             string       `json:"id"`
	Email          string       `json:"email" doc:"as sent"`
	OrganizationID string       `json:"organizationId"`
	Type           string       `json:"type" enum:"org_user,doc_user,folder_user"`
	DocumentID     *string      `json:"documentId" nullable:"true"`
	FolderID       *string      `json:"folderId" nullable:"true"`
	AccessRole     string       `json:"accessRole" enum:"viewer,editor"`
	Status         string       `json:"status" enum:"PENDING,ACCEPTED,REJECTED,WITHDRAWN"`
	InvitedBy      shape.Object `json:"invitedBy" nullable:"true"`
	UserID         *string      `json:"userId" nullable:"true" doc:"who accepted it"`
	CreatedAt      int64        `json:"createdAt" doc:"epoch milliseconds"`
	RespondedAt    *int64       `json:"respondedAt" nullable:"true" doc:"epoch milliseconds"`
	MailedAt       *int64       `json:"mailedAt" nullable:"true" doc:"epoch milliseconds, of the last mail"`
}

func viewInvitation(i directory.Invitation) InvitationView {
	return InvitationView{
		ID: i.ID, Email: i.Email, OrganizationID: i.OrganizationID, Type: i.Kind(), DocumentID: sentOrNull(i.DocumentID), FolderID: sentOrNull(i.FolderID),
		AccessRole: i.Role, Status: i.Status, InvitedBy: shape.Object(i.By), UserID: i.UserID,
		CreatedAt: i.CreatedAt.UnixMilli(), RespondedAt: millis(i.RespondedAt), MailedAt: millis(i.MailedAt),
	}
}

// sentOrNull is a text, or null where it is empty.
func sentOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Add invites somebody by e-mail.
func (i *Invitations) Add(ctx context.Context, req *AddInvitation) (*rpc.Success[InvitationView], error) {
	caller := rpc.CallerFrom(ctx)
	if req.URL != "" {
		at, _ := url.Parse(req.URL) // it was checked
		allowed, err := i.domains.Allowed(ctx, caller.WorkspaceID, caller.APIKeyID, at.Hostname())
		if err != nil {
			return nil, err
		}
		if !allowed {
			return nil, fault.InvalidArgument(fault.Issue{Code: "address-refused", Path: []string{"url"}, Message: "its host is not among the allowed domains of the key"})
		}
	}
	found, err := i.store.Add(ctx, caller.WorkspaceID, req.sent())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("User invited.", viewInvitation(*found)), nil
}

// RespondInvitation is the request of invite/respond.
type RespondInvitation struct {
	InvitedData
	Status    string    `json:"status" enum:"ACCEPTED,REJECTED,WITHDRAWN"`
	User      *UserData `json:"user,omitempty" doc:"who accepts it; required with ACCEPTED. Their accessRole is that of the invitation"`
	AuthToken string    `json:"authToken,omitempty" maxBytes:"16384" doc:"of auth/generate_token, for this user and the invited e-mail; required with ACCEPTED"`
}

// Validate wants somebody who accepts.
func (r *RespondInvitation) Validate() []fault.Issue {
	issues := append(r.issues(), r.User.issuesAt("user")...)
	if r.Status != directory.InvitationAccepted {
		return issues
	}
	at := rpc.IssuesIn(&issues)
	if r.User == nil {
		at.At("user").Add(shape.Required, "is required with ACCEPTED")
	}
	if r.AuthToken == "" {
		at.At("authToken").Add(shape.Required, "is required with ACCEPTED")
	}
	return issues
}

// Respond ends an invitation; who accepts one is added to its place.
func (i *Invitations) Respond(ctx context.Context, req *RespondInvitation) (*rpc.Success[InvitationView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	response := directory.InvitationResponse{Invited: req.invited(), Status: req.Status}
	if req.Status == directory.InvitationAccepted {
		response.User = &directory.ProfileChange{Person: req.User.person(), Cleared: req.User.Rest}
		claims, _ := i.tokens.Verify(workspaceID, req.AuthToken, time.Now())
		response.Proved = claims != nil && claims.UserID == req.User.UserID && claims.Email != nil && emailKey(*claims.Email) == response.EmailKey
	}
	found, err := i.store.Respond(ctx, workspaceID, response)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Invitation updated.", viewInvitation(*found)), nil
}

// InvitationPageData asks for a page of invitations.
type InvitationPageData struct {
	PageSize  int    `json:"pageSize,omitempty" minimum:"1" maximum:"1000" example:"50" doc:"default 100"`
	PageToken string `json:"pageToken,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

const invitationsAtOnce = 100

// GetInvitations is the request of invite/get.
type GetInvitations struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	Email          string `json:"email,omitempty" maxLength:"320" example:"bob@example.com"`
	IsPending      bool   `json:"isPendingUsersOnly,omitempty" doc:"only those that are pending"`
	InvitationPageData
}

// Validate wants an e-mail, if any.
func (r *GetInvitations) Validate() (issues []fault.Issue) {
	if r.Email != "" {
		emailIssues(rpc.IssuesIn(&issues), r.Email)
	}
	return issues
}

// Get reads the invitations of an organization, newest first.
func (i *Invitations) Get(ctx context.Context, req *GetInvitations) (*rpc.Success[[]InvitationView], error) {
	filter := directory.InvitationFilter{OrganizationID: req.OrganizationID, EmailKey: emailKey(req.Email)}
	if req.IsPending {
		filter.Status = directory.InvitationPending
	}
	return i.list(ctx, "v2/users/invite/get", filter, req.InvitationPageData)
}

// GetInvitationsOf is the request of invitations/get.
type GetInvitationsOf struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	Email          string `json:"email" maxLength:"320"`
	Status         string `json:"status,omitempty" enum:"PENDING,ACCEPTED,REJECTED,WITHDRAWN" example:"PENDING"`
	Type           string `json:"type,omitempty" enum:"org_user,doc_user,folder_user"`
	InvitationPageData
}

// Validate wants an e-mail.
func (r *GetInvitationsOf) Validate() (issues []fault.Issue) {
	emailIssues(rpc.IssuesIn(&issues), r.Email)
	return issues
}

// GetOf reads the invitations of one e-mail, newest first.
func (i *Invitations) GetOf(ctx context.Context, req *GetInvitationsOf) (*rpc.Success[[]InvitationView], error) {
	filter := directory.InvitationFilter{OrganizationID: req.OrganizationID, EmailKey: emailKey(req.Email), Status: req.Status, Kind: req.Type}
	return i.list(ctx, "v2/users/invitations/get", filter, req.InvitationPageData)
}

// list reads a page of invitations.
func (i *Invitations) list(ctx context.Context, name string, filter directory.InvitationFilter, page InvitationPageData) (*rpc.Success[[]InvitationView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	found, next, err := rpc.List(i.pages(workspaceID, name, filter), page.PageToken, viewInvitation, func(after *string) (*directory.InvitationPage, error) {
		return i.store.Get(ctx, workspaceID, filter, after, cmp.Or(page.PageSize, invitationsAtOnce))
	})
	return rpc.Found("Invitations found.", found, next, err)
}

// CountInvitations is the request of invite/pending/count.
type CountInvitations struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	Type           string `json:"type" enum:"org_user,doc_user,folder_user"`
}

// Count counts the pending invitations of a kind.
func (i *Invitations) Count(ctx context.Context, req *CountInvitations) (*rpc.Success[CountOf], error) {
	n, err := i.store.CountPending(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.Type)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Invitations counted.", CountOf{n}), nil
}

// Examples of the operations on invitations.
const (
	invitationExample = `{"id":"inv_01kdvm9w00abcdefghjkmnpqrs","email":"bob@example.com","organizationId":"acme","type":"doc_user","documentId":"spring","folderId":null,
"accessRole":"viewer","status":"PENDING","invitedBy":{"userId":"u_ann","name":"Ann"},"userId":null,"createdAt":1767225600000,"respondedAt":null,"mailedAt":1767225600000}`
	ExampleInvitation  = `{"status":"success","message":"User invited.","data":` + invitationExample + `}`
	ExampleInvitations = `{"status":"success","message":"Invitations found.","data":[` + invitationExample + `],"nextPageToken":"sealed"}`
	ExampleAccepted    = `{"status":"success","message":"Invitation updated.","data":{"id":"inv_01kdvm9w00abcdefghjkmnpqrs","email":"bob@example.com","organizationId":"acme",
"type":"doc_user","documentId":"spring","folderId":null,"accessRole":"viewer","status":"ACCEPTED","invitedBy":null,"userId":"u_bob","createdAt":1767225600000,
"respondedAt":1767229200000,"mailedAt":null}}`
)
