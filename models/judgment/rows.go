package judgment

import (
	"time"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		judgmentRow{},
	}
}

// judgmentRow is a row of judgments.
type judgmentRow struct {
	WorkspaceID     string
	RecordID        string
	Origin          string
	OriginID        string
	Decision        string
	Reasoning       string
	Content         string
	ContentType     string
	Confidence      float64
	JudgeType       string
	UserID          string
	UserName        string
	UserEmail       *string
	Agent           []byte
	OrganizationKey *int64
	DocumentKey     *int64
	AnnotationID    *string
	CreatedAt       time.Time `gorm:"autoCreateTime:false"`
}

// TableName is GORM's hook for the table.
func (judgmentRow) TableName() string { return "judgments" }
