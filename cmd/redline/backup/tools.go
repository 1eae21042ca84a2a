package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Tools are the folder of pg_dump and pg_restore.
type Tools struct{ dir string }

// FindTools looks for the tools of a server's major version: in the folder that the operator
// named, or else where Debian keeps them and on the PATH. Others cannot do it: older ones do
// not know the server, and what newer ones write an older server does not take.
func FindTools(ctx context.Context, named string, major int) (Tools, error) {
	folders := []string{named}
	if named == "" {
		folders = []string{fmt.Sprintf("/usr/lib/postgresql/%d/bin", major)}
		if found, err := exec.LookPath("pg_dump"); err == nil {
			folders = append(folders, filepath.Dir(found))
		}
	}
	var seen []string
	for _, folder := range folders {
		version := versionOf(ctx, folder)
		if version == major {
			return Tools{folder}, nil
		}
		if version != 0 {
			seen = append(seen, fmt.Sprintf("those in %s are of %d", folder, version))
		}
	}
	if len(seen) == 0 {
		seen = []string{"none were found"}
	}
	return Tools{}, fmt.Errorf("the server is Postgres %d and needs pg_dump and pg_restore of %d, but %s: install them (Debian: postgresql-client-%d) and name their folder in REDLINE_POSTGRES_TOOLS",
		major, major, strings.Join(seen, ", "), major)
}

// Dir is the folder that the tools stand in.
func (t Tools) Dir() string { return t.dir }

var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// versionOf is the major version that both tools of a folder have; 0 where they are not there or differ.
func versionOf(ctx context.Context, folder string) int {
	common := 0
	for _, tool := range []string{"pg_dump", "pg_restore"} {
		text, err := exec.CommandContext(ctx, filepath.Join(folder, tool), "--version").Output() //nolint:gosec // the operator names the folder
		found := versionLine.FindSubmatch(text)
		if err != nil || found == nil {
			return 0
		}
		major, _ := strconv.Atoi(string(found[1])) // digits
		if common != 0 && major != common {
			return 0
		}
		common = major
	}
	return common
}

// dump writes the rows of a snapshot into a file. Owners and rights are left out: the database
// that they are restored into has its own.
func (t Tools) dump(ctx context.Context, databaseURL, snapshot, path string) error {
	return t.run(ctx, databaseURL, "pg_dump", "--no-password", "--format=custom", "--no-owner", "--no-privileges", "--snapshot="+snapshot, "--file="+path)
}

// restore puts a dump into an empty database: all of it or, after an error, nothing.
func (t Tools) restore(ctx context.Context, databaseURL, path string) error {
	return t.run(ctx, databaseURL, "pg_restore", "--no-password", "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--dbname=", path)
}

// run runs a tool against the database. It has the address by variables, as others see arguments.
func (t Tools) run(ctx context.Context, databaseURL, tool string, args ...string) error {
	address, err := variables(databaseURL)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, filepath.Join(t.dir, tool), args...) //nolint:gosec // the operator names the folder
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "REDLINE_") {
			command.Env = append(command.Env, pair)
		}
	}
	command.Env = append(command.Env, address...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", tool, err, strings.TrimSpace(said.String()))
	}
	return nil
}

// byVariable are the settings of an address that Postgres' tools know, with the variable of each.
var byVariable = map[string]string{
	"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY",
	"channel_binding": "PGCHANNELBINDING", "target_session_attrs": "PGTARGETSESSIONATTRS", "connect_timeout": "PGCONNECT_TIMEOUT",
}

// variables is the address of a database as Postgres' tools read it from their environment.
func variables(databaseURL string) ([]string, error) {
	address, err := url.Parse(databaseURL)
	read, wrong := pgx.ParseConfig(databaseURL)
	if err != nil || wrong != nil || !strings.HasPrefix(address.Scheme, "postgres") {
		return nil, errors.New("REDLINE_DATABASE_URL: must be a URL that begins with postgres://, for the tools of Postgres to know it")
	}
	found := []string{
		"PGHOST=" + read.Host, "PGPORT=" + strconv.Itoa(int(read.Port)), "PGUSER=" + read.User, "PGPASSWORD=" + read.Password,
		"PGDATABASE=" + read.Database, "PGAPPNAME=redline admin",
	}
	for name, values := range address.Query() {
		if variable, known := byVariable[name]; known {
			found = append(found, variable+"="+values[0])
		}
	}
	return found, nil
}
