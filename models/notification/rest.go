package notification

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
)

// Rest is the input of a job that notifies those of a change whom its transaction did not:
// the keys of organization and document. The portions are rows of their own.
type Rest struct {
	Organization int64 `json:"organization"`
	Document     int64 `json:"document"`
}

// takePortion takes the next portion of a job. It goes with the transaction that writes it.
const takePortion = `
DELETE FROM notification_portions WHERE job_id = $1
   AND n = (SELECT n FROM notification_portions WHERE job_id = $1 ORDER BY n LIMIT 1 FOR UPDATE) RETURNING portion`

// WritePortion notifies the next ones of a job and returns how many these were; 0 means that
// nobody is left. Who has lost access meanwhile gets no mail, and sees no notification: that
// is judged when it leaves, and when it is read.
func (s *Notifications) WritePortion(ctx context.Context, j *job.Job) (rows int64, err error) {
	var of Rest
	if err := json.Unmarshal(j.Input, &of); err != nil {
		return 0, err
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		var text []byte
		switch err := tx.QueryRow(ctx, takePortion, j.ID).Scan(&text); {
		case pg.IsNoRow(err):
			return nil
		case err != nil:
			return err
		}
		var p Portion
		if err := json.Unmarshal(text, &p); err != nil {
			return err
		}
		rows = int64(len(p.Recipients) + len(p.Mails))
		b := &pgx.Batch{}
		if err := p.queue(ctx, tx, b, j.WorkspaceID, directory.Scope{Organization: of.Organization, Document: &of.Document}); err != nil {
			return err
		}
		return tx.SendBatch(ctx, b).Close()
	})
	return rows, err
}
