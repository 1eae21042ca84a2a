package collaboration

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation"
)

// Bounds of what is kept of a comment and shown again, in bytes of compact JSON.
const (
	maxAttachments = 32 << 10
	maxProgress    = 32 << 10
	maxActions     = 16 << 10
)

// WorkData are fields of a comment that the service keeps and shows, and does nothing with.
type WorkData struct {
	Attachments []AttachmentData `json:"attachments,omitempty" maxItems:"20" nullable:"true" doc:"references to files, at most 32 KiB together; nothing is fetched"`
	Progress    *ProgressData    `json:"progress,omitempty" doc:"how far a piece of work is, at most 32 KiB; replaced whole"`
	Actions     []ActionData     `json:"actions,omitempty" maxItems:"20" nullable:"true" doc:"what a user may choose, at most 16 KiB together; the service acts on none"`
}

// AttachmentData is a reference to a file that is somewhere else.
type AttachmentData struct {
	AttachmentID *int64       `json:"attachmentId,omitempty" minimum:"1" maximum:"9007199254740991" example:"1" doc:"unique in the comment; made when absent"`
	Name         *string      `json:"name,omitempty" maxLength:"500" example:"spring.pdf"`
	BucketPath   *string      `json:"bucketPath,omitempty" maxLength:"2000" example:"files/spring.pdf"`
	Size         *int64       `json:"size,omitempty" minimum:"0" example:"20480" doc:"in bytes"`
	Type         *string      `json:"type,omitempty" maxLength:"200" example:"file"`
	MimeType     *string      `json:"mimeType,omitempty" maxLength:"200" example:"application/pdf"`
	URL          *string      `json:"url,omitempty" format:"http-url" maxLength:"2000" example:"https://example.com/spring.pdf"`
	Thumbnail    *string      `json:"thumbnail,omitempty" format:"http-url" maxLength:"2000" example:"https://example.com/spring.png"`
	Metadata     shape.Object `json:"metadata,omitempty" maxBytes:"4096" storable:"true" example:"{\"team\":\"desk\"}"`
}

// ProgressData is how far a piece of work is.
type ProgressData struct {
	State            string             `json:"state" enum:"active,completed,failed,cancelled" example:"completed"`
	Steps            []ProgressStepData `json:"steps,omitempty" maxItems:"100"`
	VisibleToUserIDs []string           `json:"visibleToUserIds,omitempty" maxItems:"500" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann" doc:"a hint for showing; it hides nothing"`
	StartedAt        *int64             `json:"startedAt,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"epoch ms"`
}

// ProgressStepData is one step of a piece of work.
type ProgressStepData struct {
	Label       string       `json:"label" minLength:"1" maxLength:"500" example:"Check the month"`
	ID          *string      `json:"id,omitempty" maxLength:"200" example:"check"`
	State       string       `json:"state,omitempty" enum:"pending,active,completed,failed" example:"completed"`
	StartedAt   *int64       `json:"startedAt,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"epoch ms"`
	CompletedAt *int64       `json:"completedAt,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225660000"`
	Metadata    shape.Object `json:"metadata,omitempty" maxBytes:"4096" storable:"true" example:"{\"team\":\"desk\"}"`
}

// ActionData is something that a user may choose where it is shown.
type ActionData struct {
	ID       string       `json:"id" minLength:"1" maxLength:"200" example:"publish"`
	Label    *string      `json:"label,omitempty" maxLength:"200" example:"Publish"`
	Icon     *string      `json:"icon,omitempty" maxLength:"2000" example:"https://example.com/publish.svg"`
	Disabled *bool        `json:"disabled,omitempty" example:"false"`
	Hidden   *bool        `json:"hidden,omitempty" example:"false"`
	Metadata shape.Object `json:"metadata,omitempty" maxBytes:"4096" storable:"true" example:"{\"team\":\"desk\"}"`
}

// PositionData says where an annotation is shown; the service keeps it and does nothing with it.
type PositionData struct {
	Actions []ActionData `json:"actions,omitempty" maxItems:"20" doc:"what a user may choose, at most 16 KiB together; the service acts on none"`
	PositionFields
}

// PositionFields are those that annotations are sent and read with.
type PositionFields struct {
	PageInfo           shape.Object `json:"pageInfo,omitempty" maxBytes:"8192" storable:"true" example:"{\"url\":\"https://www.example.com/spring\",\"title\":\"Spring\"}" doc:"read with includePageInfo"`
	IsPageAnnotation   *bool        `json:"isPageAnnotation,omitempty" example:"true"`
	PositionX          shape.Number `json:"positionX,omitempty" example:"120.5"`
	PositionY          shape.Number `json:"positionY,omitempty" example:"48"`
	ScreenWidth        shape.Number `json:"screenWidth,omitempty" minimum:"0" example:"1440"`
	ScreenHeight       shape.Number `json:"screenHeight,omitempty" minimum:"0" example:"900"`
	ScreenScrollHeight shape.Number `json:"screenScrollHeight,omitempty" minimum:"0" example:"3200"`
	ScreenScrollTop    shape.Number `json:"screenScrollTop,omitempty" minimum:"0" example:"640"`
}

func (w *WorkData) check(at rpc.Issues) {
	seen := map[int64]bool{}
	for i, file := range w.Attachments {
		if file.AttachmentID != nil && seen[*file.AttachmentID] {
			at.At("attachments", strconv.Itoa(i), "attachmentId").Add(shape.Duplicate, "is there twice in the comment")
		}
		if file.AttachmentID != nil {
			seen[*file.AttachmentID] = true
		}
	}
	checkSize(at.At("attachments"), w.Attachments, maxAttachments)
	checkSize(at.At("progress"), w.Progress, maxProgress)
	checkActions(at.At("actions"), w.Actions)
}

// checkActions wants each id once.
func checkActions(at rpc.Issues, actions []ActionData) {
	seen := map[string]bool{}
	for i, action := range actions {
		if action.ID != "" && seen[action.ID] {
			at.At(strconv.Itoa(i), "id").Add(shape.Duplicate, "is there twice")
		}
		seen[action.ID] = true
	}
	checkSize(at, actions, maxActions)
}

// checkSize refuses what takes more bytes than that as JSON.
func checkSize(at rpc.Issues, value any, bytes int) {
	if len(shape.Encode(value)) > bytes {
		at.Add(shape.Length, fmt.Sprintf("must be at most %d KiB as JSON", bytes>>10))
	}
}

// sent are the fields that are sent, and those that null clears. An empty list says as little
// as none.
func (w *WorkData) sent(cleared shape.Nulls) annotation.Kept {
	nameAttachments(w.Attachments)
	k := keeping{cleared: cleared}
	k.keep("attachments", w.Attachments != nil, len(w.Attachments) == 0, w.Attachments)
	k.keep("progress", w.Progress != nil, false, w.Progress)
	k.keep("actions", w.Actions != nil, len(w.Actions) == 0, w.Actions)
	return k.fields
}

// keeping collects fields that are sent or cleared.
type keeping struct {
	cleared shape.Nulls
	fields  annotation.Kept
}

func (k *keeping) keep(name string, sent, empty bool, value any) {
	switch {
	case k.cleared.Null(name) || sent && empty:
		k.fields = append(k.fields, shape.Pair{Name: name, Value: json.RawMessage("null")})
	case sent:
		k.fields = append(k.fields, shape.Pair{Name: name, Value: shape.Encode(value)})
	default:
	}
}

// nameAttachments makes the ids that were not sent.
func nameAttachments(files []AttachmentData) {
	taken := map[int64]bool{}
	for _, file := range files {
		if file.AttachmentID != nil {
			taken[*file.AttachmentID] = true
		}
	}
	for i := range files {
		if files[i].AttachmentID == nil {
			made := id.Number(taken)
			files[i].AttachmentID = &made
		}
	}
}

// kept is what is stored of the place of an annotation that is added, nil for nothing.
func (p *PositionData) kept() json.RawMessage {
	if stored := shape.Encode(p); string(stored) != "{}" {
		return stored
	}
	return nil
}

// WorkView is what is kept of a comment.
type WorkView struct {
	Attachments []AttachmentView `json:"attachments,omitempty"`
	Progress    *ProgressView    `json:"progress,omitempty"`
	Actions     []ActionView     `json:"actions,omitempty"`
}

// AttachmentView is a reference to a file that is somewhere else.
type AttachmentView AttachmentData

// ProgressView is how far a piece of work is.
type ProgressView struct {
	State            string             `json:"state" enum:"active,completed,failed,cancelled"`
	Steps            []ProgressStepView `json:"steps,omitempty"`
	VisibleToUserIDs []string           `json:"visibleToUserIds,omitempty"`
	StartedAt        *int64             `json:"startedAt,omitempty"`
}

// ProgressStepView is one step of a piece of work.
type ProgressStepView ProgressStepData

// ActionView is something that a user may choose.
type ActionView ActionData

// PositionView says where an annotation is shown.
type PositionView struct {
	Actions []ActionView `json:"actions,omitempty"`
	PositionFields
}

// keptFields reads what is kept of an annotation or a comment.
func keptFields[T any](stored json.RawMessage) (fields T) {
	if stored != nil {
		_ = json.Unmarshal(stored, &fields) // it was written from such a struct
	}
	return fields
}
