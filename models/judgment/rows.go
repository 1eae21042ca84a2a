package judgment

import (
	"time"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		judgmentRow{}, indexRow{}, vectorsRow{},
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
	Category        *string
	Key             int64
}

// TableName is GORM's hook for the table.
func (judgmentRow) TableName() string { return "judgments" }

// indexRow is a row of judgment_index.
type indexRow struct {
	Key         int64
	WorkspaceID string
	Revision    int `gorm:"default:1"`
	Indexed     bool
	Building    *string
}

// TableName is GORM's hook for the table.
func (indexRow) TableName() string { return "judgment_index" }

// vectorsRow is a row of judgment_vectors.
type vectorsRow struct {
	Key         int64
	Model       string
	WorkspaceID string
	Revision    int
	Review      []byte `gorm:"not null"`
	Content     []byte
}

// TableName is GORM's hook for the table.
func (vectorsRow) TableName() string { return "judgment_vectors" }
