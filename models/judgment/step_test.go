package judgment_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

// What was judged is found and quoted by its words, so none of them is written as an escape.
func TestContentThatIsNoTextIsCompactJSON(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	require.NoError(t, c.db.InTx(t.Context(), func(tx *pg.Tx) error {
		b := &pgx.Batch{}
		judgment.Step{
			WorkspaceID: modelstest.Workspace, ExecutionID: "exe", StepID: "s", ReviewerID: "ann", Word: "approve", DecidedAt: time.Now(),
			TriggerContext: []byte(`{"content": {"price": 0.10, "text": "R&D for <b>Ann</b>"}}`),
		}.Queue(tx, b)
		return tx.SendBatch(t.Context(), b).Close()
	}))
	require.Equal(t, `{"price":0.10,"text":"R&D for <b>Ann</b>"}`, c.claim(1)[0].Text.Content)
}
