package collaboration

import (
	"cmp"
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
)

// The words of an annotation that names none.
const (
	kindComment    = "comment"
	kindSuggestion = "suggestion"
	manual         = "manual"
)

// openStatus is the status of an annotation that names none.
var openStatus = func() StatusData {
	icon := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2"/></svg>`
	return StatusData{ID: "OPEN", Name: "Open", Type: "default", Color: "#625DF5", LightColor: "#E7E8FA", SVG: &icon}
}()

// annotation returns the annotation with the defaults that need no look-up.
func (a *AnnotationData) annotation() annotation.NewAnnotation {
	status := openStatus
	if a.Status != nil {
		status = *a.Status
	}
	n := annotation.NewAnnotation{
		ID: a.AnnotationID, Kind: cmp.Or(a.Type, kindComment), CommentType: cmp.Or(a.CommentType, manual),
		StatusID: status.ID, Status: raw(status), Visibility: a.Visibility.visibility(),
		Context: json.RawMessage(a.Context), Assigned: a.AssignedTo.whole(), CreatedMs: a.CreatedAt, UpdateMs: a.LastUpdated,
		Kept: a.PositionData.kept(),
	}
	if a.Location != nil {
		n.LocationID, n.Location = a.Location.ID, raw(a.Location)
	}
	if a.TargetElement != nil {
		n.Target = raw(a.TargetElement)
	}
	if a.Priority != nil {
		n.Priority = raw(a.Priority)
	}
	if n.Kind == kindSuggestion {
		n.Suggestion = pending(a.Suggestion)
	}
	n.Comments = commentsOf(a.thread())
	return n
}

func commentsOf(sent []CommentData) []annotation.NewComment {
	comments := make([]annotation.NewComment, len(sent))
	for i := range sent {
		comments[i] = sent[i].comment()
	}
	return comments
}

// raw writes a struct of texts and numbers.
func raw(value any) json.RawMessage {
	text, _ := json.Marshal(value) // a struct of texts and numbers is always written
	return text
}

// pending returns a suggestion that nobody has decided yet.
func pending(suggestion shape.Object) json.RawMessage {
	return shape.AppendMembers(json.RawMessage(`{"status":"pending"}`), withoutStatus(suggestion))
}

// withoutStatus is what a suggestion has beside its status.
func withoutStatus(suggestion shape.Object) (others []shape.Pair) {
	for _, member := range shape.MembersOf(suggestion) {
		if member.Name != "status" {
			others = append(others, member)
		}
	}
	return others
}

func (v *VisibilityData) visibility() directory.Visibility {
	switch {
	case v == nil:
		return directory.Visibility{Type: directory.VisiblePublic}
	case v.Type == directory.VisibleOrganization:
		return directory.Visibility{Type: v.Type, OrganizationID: v.OrganizationID}
	case v.Type == directory.VisibleRestricted:
		return directory.Visibility{Type: v.Type, UserIDs: once(v.UserIDs)}
	default:
		return directory.Visibility{Type: directory.VisiblePublic}
	}
}

func contactsOf(sent []ContactData) []directory.Contact {
	return rpc.Each(sent, func(c ContactData) directory.Contact {
		return directory.Contact{UserID: c.UserID, Contact: directory.ContactPerson(c.Contact)}
	})
}

func (c *CommentData) comment() annotation.NewComment {
	n := annotation.NewComment{
		Content: annotation.Content{
			Text: rpc.TextOf(c.CommentText), HTML: rpc.TextOf(c.CommentHTML), ResolverUsed: c.IsCommentResolverUsed,
			Context: json.RawMessage(c.Context), From: *c.From.whole(), Tags: c.tags(),
			Kept: c.WorkData.sent(nil).JSON(),
		},
		ID: c.CommentID, CreatedMs: c.CreatedAt, UpdateMs: c.LastUpdated, Notify: c.TriggerNotification, Record: c.TriggerActivities,
	}
	if c.CommentText == nil {
		n.Text = thread.Text(n.HTML)
	}
	if n.TextAvailable = n.Text != ""; c.IsCommentTextAvailable != nil {
		n.TextAvailable = *c.IsCommentTextAvailable
	}
	n.Contacts = contactsOf(c.TaggedUserContacts)
	if a := c.Agent; a != nil {
		n.Agent = &annotation.Agent{
			Source: a.AgentSource, ID: a.AgentID, Name: a.AgentName, ExecutionID: a.ExecutionID, URL: a.URL, Reason: a.Reason.Rest.Text,
		}
	}
	return n
}
