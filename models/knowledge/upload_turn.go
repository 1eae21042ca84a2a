package knowledge

import (
	"context"
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// turnLife is how long a PUT has the turn of its address, unless it asks for it again: as
// long as others wait for one whose process has died.
const turnLife = 15 * time.Second

// takeTurn gives the address to a PUT, unless another one has it. SQL by hand: it compares
// with the clock of Postgres and reads the state in the same trip.
const takeTurn = `
WITH taken AS (
    UPDATE uploads SET put_by = $3, put_until = clock_timestamp() + $4::interval
    WHERE workspace_id = $1 AND path = $2 AND state = 'issued' AND (put_by = $3 OR coalesce(put_until <= clock_timestamp(), true))
    RETURNING true
)
SELECT EXISTS (SELECT FROM taken), state = 'issued' FROM uploads WHERE workspace_id = $1 AND path = $2`

// TakeTurn gives the address to a PUT, which has a name of its own, or lets it have the
// address for longer: one at a time has it. waits says that the address still takes a file,
// so that one which was not given it may ask again.
func (k *Knowledge) TakeTurn(ctx context.Context, u *Upload, put string) (taken, waits bool, err error) {
	err = k.db.Pool.QueryRow(ctx, takeTurn, u.WorkspaceID, u.Path, put, turnLife).Scan(&taken, &waits)
	return taken, waits, pg.Translate(err)
}

// EndTurn gives the address back for the next PUT.
func (k *Knowledge) EndTurn(ctx context.Context, u *Upload, put string) error {
	_, err := uploadAt(k.db.Gorm, u.WorkspaceID, u.Path).Where("put_by = ?", put).Update(ctx, "put_until", nil)
	return pg.Translate(err)
}
