package collaboration

import (
	"slices"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
)

// maxContextKeys is how many keys a context has at its top, maxReason bounds the
// reason of an agent in bytes.
const (
	maxContextKeys = 200
	maxReason      = 32 << 10
)

// AnnotationData is an annotation as sent.
type AnnotationData struct {
	AnnotationID  string        `json:"annotationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"unique in the workspace; made when absent"`
	Location      *LocationData `json:"location,omitempty"`
	TargetElement *TargetData   `json:"targetElement,omitempty"`
	ThreadSent
	Status      *StatusData     `json:"status,omitempty" doc:"default OPEN"`
	AssignedTo  *UserData       `json:"assignedTo,omitempty"`
	Context     shape.Object    `json:"context,omitempty" maxBytes:"32768" storable:"true"`
	CreatedAt   *int64          `json:"createdAt,omitempty" minimum:"0" maximum:"253402300799999" doc:"epoch ms; default that of the root comment"`
	LastUpdated *int64          `json:"lastUpdated,omitempty" minimum:"0" maximum:"253402300799999" doc:"epoch ms; default the latest of the comments"`
	Priority    *PriorityData   `json:"priority,omitempty"`
	Type        string          `json:"type,omitempty" enum:"comment,suggestion" doc:"default comment"`
	CommentType string          `json:"commentType,omitempty" enum:"manual,chart,suggestion" doc:"default manual"`
	Visibility  *VisibilityData `json:"visibility,omitempty" doc:"default public"`
	Suggestion  shape.Object    `json:"suggestion,omitempty" maxBytes:"32768" storable:"true" doc:"with type suggestion"`
	PositionData
}

// ThreadSent are the comments of an annotation, under one of two names.
type ThreadSent struct {
	CommentData []CommentData `json:"commentData,omitempty" minItems:"1" maxItems:"100" doc:"required; in the order of the thread, the root first"`
	Comments    []CommentData `json:"comments,omitempty" minItems:"1" maxItems:"100" doc:"another name of commentData, instead of it"`
}

// The names under which comments are sent.
const (
	commentData = "commentData"
	comments    = "comments"
)

// thread are the comments that were sent, whatever their name.
func (t *ThreadSent) thread() []CommentData {
	if t.Comments != nil {
		return t.Comments
	}
	return t.CommentData
}

// check checks the comments under the name that was sent.
func (t *ThreadSent) check(at rpc.Issues) {
	name := commentData
	switch {
	case t.CommentData != nil && t.Comments != nil:
		at.At(comments).Add(shape.Conflict, "excludes commentData, whose other name it is")
		return
	case t.Comments != nil:
		name = comments
	case t.CommentData == nil:
		at.At(commentData).Add(shape.Required, "is required")
	default:
	}
	checkComments(at.At(name), t.thread())
}

// LocationData is where in a document an annotation is.
type LocationData struct {
	ID           string  `json:"id" minLength:"1" maxLength:"200" format:"caller-id"`
	LocationName *string `json:"locationName,omitempty" maxLength:"500"`
}

// TargetData is what an annotation is about.
type TargetData struct {
	ElementID        *string `json:"elementId,omitempty" maxLength:"1000"`
	TargetText       *string `json:"targetText,omitempty" maxLength:"10000"`
	Occurrence       *int64  `json:"occurrence,omitempty" minimum:"0" maximum:"1000000"`
	SelectAllContent *bool   `json:"selectAllContent,omitempty"`
}

// StatusData is a status as sent; svg or iconUrl is there.
type StatusData struct {
	ID         string  `json:"id" minLength:"1" maxLength:"200"`
	Name       string  `json:"name" maxLength:"200"`
	Type       string  `json:"type" enum:"default,ongoing,terminal"`
	Color      string  `json:"color" maxLength:"200"`
	LightColor string  `json:"lightColor" maxLength:"200"`
	SVG        *string `json:"svg,omitempty" maxBytes:"16384"`
	IconURL    *string `json:"iconUrl,omitempty" maxLength:"2000"`
}

// PriorityData is a priority as sent.
type PriorityData struct {
	ID         string `json:"id" minLength:"1" maxLength:"200"`
	Color      string `json:"color" maxLength:"200"`
	Name       string `json:"name" maxLength:"200"`
	LightColor string `json:"lightColor" maxLength:"200"`
}

// VisibilityData says who may see an annotation; fields that the type does not
// use are dropped.
type VisibilityData struct {
	Type           string   `json:"type" enum:"public,organizationPrivate,restricted"`
	OrganizationID string   `json:"organizationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"required for organizationPrivate"`
	UserIDs        []string `json:"userIds,omitempty" maxItems:"500" minLength:"1" maxLength:"200" format:"caller-id" doc:"required for restricted"`
}

// CommentData is a comment as sent.
type CommentData struct {
	CommentID              *int64        `json:"commentId,omitempty" minimum:"1" maximum:"9007199254740991" doc:"unique in its annotation; made when absent"`
	CommentText            *string       `json:"commentText,omitempty" maxBytes:"65536" doc:"default the text of commentHtml"`
	CommentHTML            *string       `json:"commentHtml,omitempty" maxBytes:"131072" doc:"kept as sent"`
	Context                shape.Object  `json:"context,omitempty" maxBytes:"32768" storable:"true"`
	IsCommentResolverUsed  bool          `json:"isCommentResolverUsed,omitempty"`
	IsCommentTextAvailable *bool         `json:"isCommentTextAvailable,omitempty" doc:"default whether there is text"`
	TriggerNotification    bool          `json:"triggerNotification,omitempty" doc:"tell webhook endpoints, and those concerned by a notification and a mail"`
	TriggerActivities      bool          `json:"triggerActivities,omitempty" doc:"keep a record of it"`
	From                   UserData      `json:"from" doc:"the author"`
	CreatedAt              *int64        `json:"createdAt,omitempty" minimum:"0" maximum:"253402300799999"`
	LastUpdated            *int64        `json:"lastUpdated,omitempty" minimum:"0" maximum:"253402300799999"`
	TaggedUserContacts     []ContactData `json:"taggedUserContacts,omitempty" maxItems:"100"`
	Agent                  *AgentData    `json:"agent,omitempty" doc:"marks the comment as an agent's"`
	WorkData
}

// ContactData is how a tagged user is reached.
type ContactData struct {
	UserID  string            `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
	Contact ContactPersonData `json:"contact"`
}

// ContactPersonData is the person of a contact.
type ContactPersonData struct {
	UserID string  `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
	Name   *string `json:"name,omitempty" maxLength:"200"`
	Email  *string `json:"email,omitempty" maxLength:"320"`
}

// AgentData is the agent that wrote a comment.
type AgentData struct {
	AgentSource string     `json:"agentSource" enum:"svc,external"`
	AgentID     string     `json:"agentId,omitempty" minLength:"1" maxLength:"200" doc:"required for svc"`
	ExecutionID string     `json:"executionId,omitempty" maxLength:"200"`
	AgentName   string     `json:"agentName,omitempty" maxLength:"200" doc:"required for external"`
	URL         string     `json:"url,omitempty" maxLength:"2000"`
	Reason      ReasonData `json:"reason"`
}

// ReasonData is what an agent found; other keys are kept.
type ReasonData struct {
	Title            string     `json:"title" maxLength:"500"`
	Description      string     `json:"description" maxLength:"10000"`
	Severity         string     `json:"severity" enum:"critical,high,medium,low,info"`
	FindingID        string     `json:"findingId,omitempty" maxLength:"10000"`
	FindingType      string     `json:"findingType,omitempty" enum:"text,pin,page"`
	IssueType        string     `json:"issueType,omitempty" maxLength:"10000"`
	Confidence       *int64     `json:"confidence,omitempty" minimum:"0" maximum:"100"`
	Suggestion       string     `json:"suggestion,omitempty" maxLength:"10000"`
	SuggestedFix     string     `json:"suggestedFix,omitempty" maxLength:"10000"`
	HTMLSnippet      string     `json:"htmlSnippet,omitempty" maxLength:"10000"`
	HTMLSelector     string     `json:"htmlSelector,omitempty" maxLength:"10000"`
	Source           string     `json:"source,omitempty" enum:"instructions,knowledge"`
	KnowledgeSection string     `json:"knowledgeSection,omitempty" maxLength:"10000"`
	Rest             shape.Rest `json:"-"`
}

func (a *AnnotationData) check(at rpc.Issues) {
	if len(shape.MembersOf(a.Context)) > maxContextKeys {
		at.At("context").Add(shape.Count, "must have at most 200 keys")
	}
	a.Status.check(at.At("status"))
	if a.AssignedTo != nil {
		at.Append(a.AssignedTo.issues(at.At("assignedTo").Path()...)...)
	}
	if a.Visibility != nil {
		a.Visibility.check(at.At("visibility"))
	}
	checkActions(at.At("actions"), a.Actions)
	a.ThreadSent.check(at)
}

func (s *StatusData) check(at rpc.Issues) {
	if s != nil && s.SVG == nil && s.IconURL == nil {
		at.At("svg").Add(shape.Required, "svg or iconUrl is required")
	}
}

// checkComments checks the comments of an annotation, where an id is there once.
func checkComments(at rpc.Issues, comments []CommentData) {
	seen := map[int64]bool{}
	for i := range comments {
		c, here := &comments[i], at.At(strconv.Itoa(i))
		if c.CommentID != nil && seen[*c.CommentID] {
			here.At("commentId").Add(shape.Duplicate, "is there twice in the annotation")
		}
		if c.CommentID != nil {
			seen[*c.CommentID] = true
		}
		c.check(here)
	}
}

func (v *VisibilityData) check(at rpc.Issues) {
	if v.Type == directory.VisibleOrganization && v.OrganizationID == "" {
		at.At("organizationId").Add(shape.Required, "is required for organizationPrivate")
	}
	if v.Type == directory.VisibleRestricted && len(v.UserIDs) == 0 {
		at.At("userIds").Add(shape.Required, "is required for restricted")
	}
}

func (c *CommentData) check(at rpc.Issues) {
	at.Append(c.From.issues(at.At("from").Path()...)...)
	tags := c.tags()
	checkContextAndTags(at, c.Context, tags)
	checkContacts(at.At("taggedUserContacts"), c.TaggedUserContacts, func(user string) bool {
		return c.IsCommentResolverUsed || slices.Contains(tags, user)
	})
	c.WorkData.check(at)
	if c.Agent != nil {
		c.Agent.check(at.At("agent"))
	}
}

func (c *CommentData) tags() []string {
	return thread.Tags(rpc.TextOf(c.CommentText), rpc.TextOf(c.CommentHTML))
}

func checkContextAndTags(at rpc.Issues, context shape.Object, tags []string) {
	if len(shape.MembersOf(context)) > maxContextKeys {
		at.At("context").Add(shape.Count, "must have at most 200 keys")
	}
	if len(tags) > thread.MaxTags {
		at.At("commentText").Add(shape.Count, "must tag at most 100 users")
	}
}

// checkContacts wants each contact once, of a user who may have one.
func checkContacts(at rpc.Issues, contacts []ContactData, may func(user string) bool) {
	seen := map[string]bool{}
	for i, contact := range contacts {
		here := at.At(strconv.Itoa(i))
		switch {
		case contact.UserID == "":
		case contact.UserID != contact.Contact.UserID && contact.Contact.UserID != "":
			here.At("contact", "userId").Add(shape.Conflict, "must equal the userId of the entry")
		case seen[contact.UserID]:
			here.At("userId").Add(shape.Duplicate, "is there twice")
		case !may(contact.UserID):
			here.At("userId").Add(shape.Conflict, "is not tagged in the comment")
		}
		seen[contact.UserID] = true
	}
}

func (a *AgentData) check(at rpc.Issues) {
	if a.AgentSource == annotation.AgentOfService && a.AgentID == "" {
		at.At("agentId").Add(shape.Required, "is required for an agent of the service")
	}
	if a.AgentSource == annotation.AgentExternal && a.AgentName == "" {
		at.At("agentName").Add(shape.Required, "is required for an external agent")
	}
	if a.Reason.Rest.Size > maxReason {
		at.At("reason").Add(shape.Length, "must be at most 32 KiB as JSON")
	}
}
