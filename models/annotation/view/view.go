package view

import "github.com/redline-svc/redline/models/internal/pg"

// Views reads annotations and comments.
type Views struct{ db *pg.DB }

// New makes the store.
func New(db *pg.DB) *Views { return &Views{db: db} }
