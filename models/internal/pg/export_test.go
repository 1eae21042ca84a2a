package pg

import (
	"time"

	"github.com/jackc/pgx/v5/multitracer"
)

// SetTurnLimit changes how long calls wait for a connection of a shared pool.
func SetTurnLimit(db *DB, limit time.Duration) {
	for _, tracer := range db.Pool.Config().ConnConfig.Tracer.(*multitracer.Tracer).PoolAcquireTracers {
		tracer.(*shares).limit = limit
	}
}
