package view

import "github.com/redline-svc/redline/models/internal/pg"

// Views reads annotations and comments.
type Views struct {
	db *pg.DB
	// many is from how many annotations on a count, and from how many documents on a search, waits for others of its workspace.
	many int64
}

// New makes the store.
func New(db *pg.DB) *Views { return &Views{db, pg.ManyRows} }
