package pg

import (
	"database/sql/driver"

	"github.com/jackc/pgx/v5/pgtype"
)

// Texts is a column of texts as GORM reads and writes it; nil is NULL.
type Texts []string

// GormDataType is GORM's hook: without it a slice would be other rows.
func (Texts) GormDataType() string { return "text[]" }

// Scan reads the column.
func (t *Texts) Scan(column any) error {
	return pgtype.NewMap().SQLScanner((*[]string)(t)).Scan(column)
}

// Value is the text that Postgres reads as an array.
func (t Texts) Value() (driver.Value, error) {
	if t == nil {
		return nil, nil //nolint:nilnil // NULL
	}
	text, err := pgtype.NewMap().Encode(pgtype.TextArrayOID, pgtype.TextFormatCode, []string(t), nil)
	return string(text), err
}
