package pg

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
)

// sharedConn is a connection of the pool over which pgx and, once it is asked
// for, GORM speak in turn. GORM needs it as one of database/sql, which costs more
// than the connection alone, so a transaction without GORM does not pay for it.
type sharedConn struct {
	pgx *stdlib.Conn
	db  *DB
	std *sql.DB
	orm *gorm.DB
}

func (db *DB) acquire(ctx context.Context) (*sharedConn, error) {
	conn, err := stdlib.GetPoolConnector(db.Pool).Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &sharedConn{pgx: conn.(*stdlib.Conn), db: db}, nil
}

// Connect gives database/sql the connection that is there already.
func (c *sharedConn) Connect(context.Context) (driver.Conn, error) { return c.pgx, nil }

// Driver is not asked for.
func (c *sharedConn) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// gorm is GORM over the connection. It sees statements alone: that the connection
// could begin another transaction is hidden from it.
func (c *sharedConn) gorm() *gorm.DB {
	if c.orm == nil {
		c.std = sql.OpenDB(c)
		// A session without a context would share its pool with that of the store.
		c.orm = c.db.Gorm.Session(&gorm.Session{NewDB: true, Context: context.Background()})
		// One lease for all statements: between two of them database/sql would
		// discard a connection that is in a transaction.
		lease, err := c.std.Conn(context.Background())
		_ = c.orm.AddError(err)
		c.orm.Statement.ConnPool = struct{ gorm.ConnPool }{lease}
	}
	return c.orm
}

// release gives the connection back to the pool.
func (c *sharedConn) release() {
	_ = c.pgx.Close()
	if c.std != nil {
		_ = c.std.Close()
	}
}
