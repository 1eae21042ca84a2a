package annotation

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Annotations stores annotations of documents with their comments.
type Annotations struct {
	db      *pg.DB
	dropped func(notifications int)
}

// New makes the store.
func New(db *pg.DB) *Annotations { return &Annotations{db: db, dropped: func(int) {}} }

// OnDropped lets a function count the users who were not told of comments because a change
// would have told too many.
func (s *Annotations) OnDropped(count func(notifications int)) { s.dropped = count }

// NewAnnotation is an annotation to be added. Raw parts are the caller's own
// JSON, nil when absent; times are epoch milliseconds, nil when not sent.
type NewAnnotation struct {
	// ID is made when empty.
	ID                  string
	Kind, CommentType   string
	StatusID            string
	Status              json.RawMessage
	Visibility          directory.Visibility
	LocationID          string
	Location, Target    json.RawMessage
	Context, Priority   json.RawMessage
	Suggestion          json.RawMessage
	Kept                json.RawMessage
	Assigned            *person.Person
	CreatedMs, UpdateMs *int64
	// Comments are those of the thread in order, the root first; at least one.
	Comments []NewComment
}

// NewComment is a comment to be added. ID nil is made.
type NewComment struct {
	Content

	ID                  *int64
	CreatedMs, UpdateMs *int64
	// Notify asks for notifications, mails and events, Record for an activity.
	Notify, Record bool
}

// Added is the answer for one added annotation. FindingID is that of
// the root comment's agent, empty without one.
type Added struct {
	ID         string
	CommentIDs []int64
	FindingID  string
}

// Addition is a call that adds annotations to one document.
type Addition struct {
	directory.Container
	// APIKeyID is the calling key's; the events of the call name it.
	APIKeyID string
	// Verify lets only authors add who may write to the document.
	Verify      bool
	Annotations []NewAnnotation
}

// private reports whether an annotation is not for everybody.
func (a Addition) private() bool {
	for i := range a.Annotations {
		if a.Annotations[i].Visibility.Type != directory.VisiblePublic {
			return true
		}
	}
	return false
}
