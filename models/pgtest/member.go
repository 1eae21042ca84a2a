package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// member is a test binary's share in the server of its run.
type member struct {
	address url.URL
	// prefix begins the names of this binary's databases.
	prefix   string
	template string

	mu    sync.Mutex
	conn  *pgx.Conn
	count int
	// cleared are the replicas that no test has.
	cleared []*replica
}

func newMember(conn *pgx.Conn, address url.URL) *member {
	return &member{conn: conn, address: address, prefix: "test_" + strings.ToLower(rand.Text()[:12])}
}

// url is the address of a database.
func (m *member) url(database string) string {
	address := m.address
	address.Path = "/" + database
	return address.String()
}

// create copies the template into a new database and returns its name. Files are copied as
// files: to log each of their pages costs several times as much.
func (m *member) create(ctx context.Context, template string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	name := fmt.Sprintf("%s_%d", m.prefix, m.count)
	_, err := m.conn.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy")
	return name, err
}

// drop removes a database, with connections that a test has left open.
func (m *member) drop(ctx context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
	return err
}

// prepare makes the template of these migrations unless another binary has done so.
func (m *member) prepare(ctx context.Context, migrations fs.FS, migrate func(ctx context.Context, url string) error) error {
	sum, err := fingerprint(migrations)
	if err != nil {
		return err
	}
	m.template = "template_" + sum
	// A lock of the session goes with the session, also when this binary is killed.
	const lock, unlock = `SELECT pg_advisory_lock(hashtextextended($1, 0))`, `SELECT pg_advisory_unlock(hashtextextended($1, 0))`
	if _, err := m.conn.Exec(ctx, lock, m.template); err != nil {
		return err
	}
	err = m.makeTemplate(ctx, migrate)
	_, unlockErr := m.conn.Exec(ctx, unlock, m.template)
	return errors.Join(err, unlockErr)
}

// makeTemplate migrates a new database. The mark of a template says that it is
// complete; without it the database was left by a binary that was killed.
func (m *member) makeTemplate(ctx context.Context, migrate func(ctx context.Context, url string) error) error {
	var complete bool
	const query = `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)`
	if err := m.conn.QueryRow(ctx, query, m.template).Scan(&complete); err != nil || complete {
		return err
	}
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + m.template + " WITH (FORCE)", "CREATE DATABASE " + m.template} {
		if _, err := m.conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if err := migrate(ctx, m.url(m.template)); err != nil {
		return err
	}
	// A database that somebody is connected to cannot be copied.
	_, err := m.conn.Exec(ctx, "ALTER DATABASE "+m.template+" WITH IS_TEMPLATE true ALLOW_CONNECTIONS false")
	return err
}

// fingerprint returns what differs between schemas: it follows the names and the content of the files.
func fingerprint(files fs.FS) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(content), content)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}
