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
	Context     shape.Object    `json:"context,omitempty" maxBytes:"32768" storable:"true" example:"{\"page\":\"pricing\"}"`
	CreatedAt   *int64          `json:"createdAt,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"epoch ms; default that of the root comment"`
	LastUpdated *int64          `json:"lastUpdated,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"epoch ms; default the latest of the comments"`
	Priority    *PriorityData   `json:"priority,omitempty"`
	Type        string          `json:"type,omitempty" enum:"comment,suggestion" example:"suggestion" doc:"default comment"`
	CommentType string          `json:"commentType,omitempty" enum:"manual,chart,suggestion" example:"manual" doc:"default manual"`
	Visibility  *VisibilityData `json:"visibility,omitempty" doc:"default public"`
	Suggestion  shape.Object    `json:"suggestion,omitempty" maxBytes:"32768" storable:"true" example:"{\"status\":\"pending\",\"oldValue\":\"April\",\"newValue\":\"May\"}" doc:"with type suggestion"`
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
	ID           string  `json:"id" minLength:"1" maxLength:"200" format:"caller-id" example:"page-2"`
	LocationName *string `json:"locationName,omitempty" maxLength:"500" example:"Page 2"`
}

// TargetData is what an annotation is about.
type TargetData struct {
	ElementID        *string `json:"elementId,omitempty" maxLength:"1000" example:"price"`
	TargetText       *string `json:"targetText,omitempty" maxLength:"10000" example:"April"`
	Occurrence       *int64  `json:"occurrence,omitempty" minimum:"0" maximum:"1000000" example:"1"`
	SelectAllContent *bool   `json:"selectAllContent,omitempty" example:"false"`
}

// StatusData is a status as sent; svg or iconUrl is there.
type StatusData struct {
	ID         string  `json:"id" minLength:"1" maxLength:"200" example:"DONE"`
	Name       string  `json:"name" maxLength:"200" example:"Done"`
	Type       string  `json:"type" enum:"default,ongoing,terminal" example:"terminal"`
	Color      string  `json:"color" maxLength:"200" example:"#0a7"`
	LightColor string  `json:"lightColor" maxLength:"200" example:"#dfd"`
	SVG        *string `json:"svg,omitempty" maxBytes:"16384" example:"<svg/>"`
	IconURL    *string `json:"iconUrl,omitempty" maxLength:"2000" example:"https://example.com/done.svg"`
}

// PriorityData is a priority as sent.
type PriorityData struct {
	ID         string `json:"id" minLength:"1" maxLength:"200" example:"P1"`
	Color      string `json:"color" maxLength:"200" example:"#0a7"`
	Name       string `json:"name" maxLength:"200" example:"Urgent"`
	LightColor string `json:"lightColor" maxLength:"200" example:"#dfd"`
}

// VisibilityData says who may see an annotation; fields that the type does not
// use are dropped.
type VisibilityData struct {
	Type           string   `json:"type" enum:"public,organizationPrivate,restricted" example:"restricted"`
	OrganizationID string   `json:"organizationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"acme" doc:"required for organizationPrivate"`
	UserIDs        []string `json:"userIds,omitempty" maxItems:"500" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann,u_eve" doc:"required for restricted"`
}

// CommentData is a comment as sent.
type CommentData struct {
	CommentID              *int64        `json:"commentId,omitempty" minimum:"1" maximum:"9007199254740991" example:"1" doc:"unique in its annotation; made when absent"`
	CommentText            *string       `json:"commentText,omitempty" maxBytes:"65536" example:"Which month?" doc:"default the text of commentHtml"`
	CommentHTML            *string       `json:"commentHtml,omitempty" maxBytes:"131072" example:"<p>Which month?</p>" doc:"kept as sent"`
	Context                shape.Object  `json:"context,omitempty" maxBytes:"32768" storable:"true" example:"{\"page\":\"pricing\"}"`
	IsCommentResolverUsed  bool          `json:"isCommentResolverUsed,omitempty" example:"false"`
	IsCommentTextAvailable *bool         `json:"isCommentTextAvailable,omitempty" example:"true" doc:"default whether there is text"`
	TriggerNotification    bool          `json:"triggerNotification,omitempty" example:"true" doc:"tell webhook endpoints, and those concerned by a notification and a mail"`
	TriggerActivities      bool          `json:"triggerActivities,omitempty" example:"true" doc:"keep a record of it"`
	From                   UserData      `json:"from" doc:"the author"`
	CreatedAt              *int64        `json:"createdAt,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000"`
	LastUpdated            *int64        `json:"lastUpdated,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000"`
	TaggedUserContacts     []ContactData `json:"taggedUserContacts,omitempty" maxItems:"100"`
	Agent                  *AgentData    `json:"agent,omitempty" doc:"marks the comment as an agent's"`
	WorkData
}

// ContactData is how a tagged user is reached.
type ContactData struct {
	UserID  string            `json:"userId" minLength:"1" maxLength:"200" format:"caller-id" example:"u_bob"`
	Contact ContactPersonData `json:"contact"`
}

// ContactPersonData is the person of a contact.
type ContactPersonData struct {
	UserID string  `json:"userId" minLength:"1" maxLength:"200" format:"caller-id" example:"u_bob"`
	Name   *string `json:"name,omitempty" maxLength:"200" example:"Bob"`
	Email  *string `json:"email,omitempty" maxLength:"320" example:"bob@example.com"`
}

// AgentData is the agent that wrote a comment.
type AgentData struct {
	AgentSource string     `json:"agentSource" enum:"svc,external" example:"svc"`
	AgentID     string     `json:"agentId,omitempty" minLength:"1" maxLength:"200" example:"copy-checker" doc:"required for svc"`
	ExecutionID string     `json:"executionId,omitempty" maxLength:"200" example:"exec_1767225600000_a1b2c3d4"`
	AgentName   string     `json:"agentName,omitempty" maxLength:"200" example:"Copy checker" doc:"required for external"`
	URL         string     `json:"url,omitempty" maxLength:"2000" example:"https://www.example.com/spring"`
	Reason      ReasonData `json:"reason"`
}

// ReasonData is what an agent found; other keys are kept.
type ReasonData struct {
	Title            string     `json:"title" maxLength:"500" example:"Wrong month"`
	Description      string     `json:"description" maxLength:"10000" example:"The offer ends in May."`
	Severity         string     `json:"severity" enum:"critical,high,medium,low,info" example:"high"`
	FindingID        string     `json:"findingId,omitempty" maxLength:"10000" example:"f-1"`
	FindingType      string     `json:"findingType,omitempty" enum:"text,pin,page" example:"text"`
	IssueType        string     `json:"issueType,omitempty" maxLength:"10000" example:"date"`
	Confidence       *int64     `json:"confidence,omitempty" minimum:"0" maximum:"100" example:"90"`
	Suggestion       string     `json:"suggestion,omitempty" maxLength:"10000" example:"Say May."`
	SuggestedFix     string     `json:"suggestedFix,omitempty" maxLength:"10000" example:"Write May."`
	HTMLSnippet      string     `json:"htmlSnippet,omitempty" maxLength:"10000" example:"<b>April</b>"`
	HTMLSelector     string     `json:"htmlSelector,omitempty" maxLength:"10000" example:"#price"`
	Source           string     `json:"source,omitempty" enum:"instructions,knowledge" example:"instructions"`
	KnowledgeSection string     `json:"knowledgeSection,omitempty" maxLength:"10000" example:"Dates"`
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
