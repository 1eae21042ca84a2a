package annotation

import "github.com/redline-svc/redline/models/internal/pg"

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		annotationRow{}, commentRow{}, mentionRow{}, readMarkRow{}, documentReadMarkRow{}, deletedRow{},
	}
}

// annotationRow is a row of annotations.
type annotationRow struct {
	Key             int64 `gorm:"->"`
	WorkspaceID     string
	AnnotationID    string
	DocumentKey     int64
	AuthorID        string
	Author          []byte `gorm:"not null"`
	Kind            string
	CommentType     string
	StatusID        string
	Status          []byte `gorm:"not null"`
	Visibility      string
	VisibleToOrg    *string
	VisibleTo       pg.Texts
	LocationID      *string
	Location        []byte
	Target          []byte
	Context         []byte
	Priority        []byte
	Assigned        []byte
	Agent           []byte
	Suggestion      []byte
	Kept            []byte
	CreatedMs       int64
	UpdatedMs       int64
	CommentCount    int
	LastSeq         int64
	LastAuthor      string
	OtherSeq        int64
	ThreadBytes     int64
	GoneSeq         int64
	ResolvedBy      *string
	StatusUpdatedBy *string
}

// TableName is GORM's hook for the table.
func (annotationRow) TableName() string { return "annotations" }

// commentRow is a row of comments.
type commentRow struct {
	AnnotationKey int64
	Seq           int64
	CommentID     int64
	WorkspaceID   string
	Status        string
	CommentText   string
	CommentHTML   string
	TextAvailable bool
	ResolverUsed  bool
	AuthorID      string
	Author        []byte `gorm:"not null"`
	Context       []byte
	Kept          []byte
	Contacts      []byte
	Agent         []byte
	CreatedMs     int64
	UpdatedMs     int64
	Judged        bool `gorm:"default:true"`
}

// TableName is GORM's hook for the table.
func (commentRow) TableName() string { return "comments" }

// mentionRow is a user whom a comment of an annotation tags.
type mentionRow struct {
	AnnotationKey int64
	UserID        string
	WorkspaceID   string
	DocumentKey   int64
	UpdatedMs     int64
	AnnotationID  string
}

// TableName is GORM's hook for the table.
func (mentionRow) TableName() string { return "annotation_mentions" }

// readMarkRow is how far a user has read an annotation.
type readMarkRow struct {
	AnnotationKey int64
	UserID        string
	WorkspaceID   string
	DocumentKey   int64
	Seq           int64
}

// TableName is GORM's hook for the table.
func (readMarkRow) TableName() string { return "read_marks" }

// documentReadMarkRow is how far a user has read an annotation of a document of which all
// were read at once.
type documentReadMarkRow readMarkRow

// TableName is GORM's hook for the table.
func (documentReadMarkRow) TableName() string { return "document_read_marks" }

// deletedRow is who could see an annotation that is gone and has activities.
type deletedRow struct {
	AnnotationKey int64
	WorkspaceID   string
	DocumentKey   int64
	AnnotationID  string
	AuthorID      string
	Visibility    string
	VisibleToOrg  *string
	VisibleTo     pg.Texts
}

// TableName is GORM's hook for the table.
func (deletedRow) TableName() string { return "deleted_annotations" }
