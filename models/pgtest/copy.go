package pgtest

import (
	"context"
	_ "embed"
	"errors"

	"github.com/jackc/pgx/v5"
)

// mostRemoved is how many rows are removed from a copy before it is dropped: their pages
// stay, and there are tests that count pages.
const mostRemoved = 300

//go:embed clear.sql
var clearRows string

// replica is a copy of the template. To make one and to drop it costs the system ten times as
// much as to remove the rows that a test has written, so one test after the other has it.
type replica struct {
	name string
	// removed is how many rows were removed from it.
	removed int
}

// claim returns a replica that no test has: one that was cleared, or a new one.
func (m *member) claim(ctx context.Context) (*replica, error) {
	if r := m.takeCleared(); r != nil {
		return r, nil
	}
	name, err := m.create(ctx, m.template)
	if err != nil {
		return nil, err
	}
	return &replica{name: name}, nil
}

func (m *member) takeCleared() *replica {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := len(m.cleared) - 1
	if last < 0 {
		return nil
	}
	r := m.cleared[last]
	m.cleared = m.cleared[:last]
	return r
}

// release clears a replica for another test, or drops it where it would not be like a new one.
func (m *member) release(ctx context.Context, r *replica) error {
	likeNew, err := m.clear(ctx, r)
	if err != nil || !likeNew {
		return errors.Join(err, m.drop(ctx, r.name))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cleared = append(m.cleared, r)
	return nil
}

// clear removes what a test has written, and reports whether the replica is like a new one then.
func (m *member) clear(ctx context.Context, r *replica) (likeNew bool, err error) {
	conn, err := connect(ctx, m.url(r.name), "pgtest clear")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if err := endOthers(ctx, conn); err != nil {
		return false, err
	}
	if changed, err := schemaChanged(ctx, conn); err != nil || changed {
		return false, err
	}
	if _, err := conn.Exec(ctx, clearRows); err != nil {
		return false, err
	}
	var removed int
	if err := conn.QueryRow(ctx, `SELECT current_setting('pgtest.removed')::int`).Scan(&removed); err != nil {
		return false, err
	}
	r.removed += removed
	return r.removed <= mostRemoved, forgetCounts(ctx, conn)
}

// endOthers ends the connections to the database that a test has left open.
func endOthers(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	return err
}

// schemaChanged reports whether somebody has written into the catalog since the counts were
// forgotten: changed the schema, or had statistics made of rows.
func schemaChanged(ctx context.Context, conn *pgx.Conn) (changed bool, err error) {
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_sys_tables s JOIN pg_class c ON c.oid = s.relid
WHERE schemaname = 'pg_catalog' AND NOT relisshared AND n_tup_ins + n_tup_upd + n_tup_del > 0)`).Scan(&changed)
	return changed, err
}

// forgetCounts sets to nothing what the database counts, that of this connection first.
func forgetCounts(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, `SELECT pg_stat_force_next_flush()`); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, `SELECT pg_stat_reset()`)
	return err
}
