package notification

import "github.com/redline-svc/redline/models/internal/pg"

// Notifications reads and changes what people were told, and what they want to be told of.
type Notifications struct{ db *pg.DB }

// New makes the store.
func New(db *pg.DB) *Notifications { return &Notifications{db: db} }
