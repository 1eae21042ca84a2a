package judgment

import (
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Kinds of acts about annotations themselves.
const (
	ActStatus     = "status"
	ActSuggestion = "suggestion"
)

// Act is what was done with an annotation itself: its status was changed, or what it
// suggests was decided.
type Act struct {
	// Comment is what the judgment of a comment says too, but for its origin.
	Comment
	// AnnotationKey keeps an id that is used again apart.
	AnnotationKey int64
	// Kind is one of the kinds above, Decision the word for what was done.
	Kind, Decision string
}

// Queue adds the judgment to the transaction of the act. Each act is another one, also where
// the same is done again, so its origin has the id of its judgment.
func (a Act) Queue(tx *pg.Tx, b *pgx.Batch) {
	recordID := id.New(id.Judgment)
	a.Origin = strconv.FormatInt(a.AnnotationKey, 10) + "/" + recordID
	a.queue(tx, b, recordID, a.Kind, a.Decision)
}
