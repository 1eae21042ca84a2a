package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/schema"
	"github.com/redline-svc/redline/models/workspace"
)

// stored is a desk with a store of files.
type stored struct {
	*desk
	files blob.Options
	tools string
}

func newStored(t *testing.T) *stored {
	t.Helper()
	cache, err := pglocal.DefaultCacheDir()
	require.NoError(t, err)
	tools := cmp.Or(os.Getenv("REDLINE_POSTGRES_TOOLS"), filepath.Join(cache, pglocal.ToolsFolder))
	require.FileExists(t, filepath.Join(tools, "pg_dump"), "make postgres-tools fetches it")
	return &stored{desk: newDesk(t), files: blob.Options{Dir: t.TempDir()}, tools: tools}
}

func (s *stored) with(more ...string) *desk {
	at := *s.desk
	at.more = append(append(s.where(), "REDLINE_POSTGRES_TOOLS="+s.tools), more...)
	return &at
}

// where are the variables of the store.
func (s *stored) where() []string {
	if s.files.Dir != "" {
		return []string{"REDLINE_BLOB_DIR=" + s.files.Dir}
	}
	return []string{
		"REDLINE_BLOB_S3_BUCKET=" + s.files.S3Bucket, "REDLINE_BLOB_S3_REGION=" + s.files.S3Region, "REDLINE_BLOB_S3_ENDPOINT=" + s.files.S3Endpoint,
		"REDLINE_BLOB_S3_ACCESS_KEY=" + s.files.S3AccessKey, "REDLINE_BLOB_S3_SECRET_KEY=" + s.files.S3SecretKey,
	}
}

// newBucket is an empty bucket of a server that speaks like S3.
func newBucket(t *testing.T) blob.Options {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("files"))
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(server.Close)
	return blob.Options{S3Bucket: "files", S3Region: "eu-1", S3Endpoint: server.URL, S3AccessKey: "key", S3SecretKey: "secret"}
}

// keep has a row name a file, which is there unless the content is empty.
func (s *stored) keep(key, content string) {
	s.t.Helper()
	_, err := s.db.Pool.Exec(s.t.Context(), `INSERT INTO uploads (workspace_id, path, token_hash, mime_type, file_name, file_size, state, expires_at, blob_key)
VALUES ($1, $2, convert_to($2, 'UTF8'), 'text/plain', 'a.txt', 3, 'uploaded', now(), $2)`, s.workspace.ID, key)
	require.NoError(s.t, err)
	if content != "" {
		require.NoError(s.t, s.store().Write(s.t.Context(), key, "text/plain", strings.NewReader(content)))
	}
}

func (s *stored) store() *blob.Store {
	files, err := blob.Open(s.files)
	require.NoError(s.t, err)
	return files
}

// backUp makes a backup and returns its folder.
func (s *stored) backUp() string {
	s.t.Helper()
	folder := filepath.Join(s.t.TempDir(), "backup")
	s.with().run("backup", folder)
	return folder
}

// elsewhere is the same operator before an empty database and an empty store.
func (s *stored) elsewhere() *stored {
	s.t.Helper()
	other := *s.desk
	other.url = pgtest.Empty(s.t)
	return &stored{desk: &other, files: blob.Options{Dir: s.t.TempDir()}, tools: s.tools}
}

func TestLong_ABackupIsRestored(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	s.keep("uploads/a/1", "one")
	s.keep("uploads/b/2", "two")
	s.keep("uploads/b/gone", "")
	folder := s.backUp()
	dump, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	require.NoError(t, err)
	for _, key := range s.keys {
		require.NotContains(t, string(dump), key.Encode()[len(key.ID)+1:])
		require.Contains(t, string(dump), key.Fingerprint())
	}

	other := s.elsewhere()
	var m struct {
		Files     int
		FileBytes int64
		Missing   []string
	}
	other.with().json(&m, "restore", folder)
	require.Equal(t, 2, m.Files)
	require.EqualValues(t, 6, m.FileBytes)
	require.Equal(t, []string{"uploads/b/gone"}, m.Missing)
	content, err := other.store().ReadAll(t.Context(), "uploads/b/2")
	require.NoError(t, err)
	require.Equal(t, "two", string(content))

	db, err := models.Open(t.Context(), other.url, models.PoolOptions{Conns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.NoError(t, workspace.CheckKeys(t.Context(), db, s.box()))
	var found []workspace.Summary
	other.with().json(&found, "workspace", "list")
	require.Len(t, found, 1)
	require.Equal(t, s.workspace.ID, found[0].ID)
	other.with().run("temporal", "resync")
}

// Files go from a bucket into a backup, and from it into a bucket or a folder.
func TestLong_ABackupOfABucketIsRestored(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	s.files = newBucket(t)
	content := strings.Repeat("content ", 1<<17)
	s.keep("uploads/a/1", content)
	s.keep("uploads/b/gone", "")
	folder := s.backUp()
	bucket, dir := s.elsewhere(), s.elsewhere()
	bucket.files = newBucket(t)
	for _, other := range []*stored{bucket, dir} {
		var m struct {
			Files   int
			Missing []string
		}
		other.with().json(&m, "restore", folder)
		require.Equal(t, 1, m.Files)
		require.Equal(t, []string{"uploads/b/gone"}, m.Missing)
		found, err := other.store().ReadAll(t.Context(), "uploads/a/1")
		require.NoError(t, err)
		require.Equal(t, content, string(found))
	}
}

// While somebody copies files none is removed.
func TestLong_ABackupHoldsFiles(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	stores := models.NewStores(s.db, s.box(), models.Options{})
	release, held, err := stores.Knowledge.RemovingFiles(t.Context())
	require.NoError(t, err)
	require.False(t, held)
	done := make(chan error, 1)
	folder := filepath.Join(t.TempDir(), "backup")
	go func() {
		_, err := s.with().types("", "--as", "ann", "backup", folder)
		done <- err
	}()
	require.Eventually(t, func() bool {
		waiting := false
		return s.db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waiting) == nil && waiting
	}, time.Minute, 10*time.Millisecond, "it waits for who removes some")
	_, held, err = stores.Deletions.RemovingFiles(t.Context())
	require.NoError(t, err)
	require.True(t, held)
	release()
	require.NoError(t, <-done)
	release, held, err = stores.Deletions.RemovingFiles(t.Context())
	require.NoError(t, err)
	require.False(t, held)
	release()
}

func TestLong_ABackupIsRefused(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	for name, c := range map[string]struct {
		folder string
		more   []string
		says   string
	}{
		"a folder that is there": {t.TempDir(), nil, "is there already"},
		"no tools":               {"new", []string{"REDLINE_POSTGRES_TOOLS=" + t.TempDir()}, "none were found"},
		"tools of another":       {"new", []string{"REDLINE_POSTGRES_TOOLS=" + toolsOf(t, "15.4")}, "are of 15"},
		"no store":               {"new", []string{"REDLINE_BLOB_S3_BUCKET=b"}, "exactly one must be set"},
	} {
		folder := c.folder
		if folder == "new" {
			folder = filepath.Join(t.TempDir(), "backup")
		}
		_, err := s.with(c.more...).types("", "--as", "ann", "backup", folder)
		require.ErrorContains(t, err, c.says, name)
		require.NoDirExists(t, folder+".partial", name)
	}
	next := s.schemaOfTheNextRelease()
	_, err := s.with().types("", "--as", "ann", "backup", filepath.Join(t.TempDir(), "backup"))
	require.ErrorContains(t, err, "back up with the program that migrated the database")
	next()
	left := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, os.Mkdir(left+".partial", 0o700))
	_, err = s.with().types("", "--as", "ann", "backup", left)
	require.ErrorContains(t, err, "is to be removed first")
}

// schemaOfTheNextRelease makes the database look as after the migration of the next release, until
// it is called back.
func (s *stored) schemaOfTheNextRelease() (back func()) {
	s.t.Helper()
	change := func(from, to int64) {
		_, err := s.db.Pool.Exec(s.t.Context(), `UPDATE goose_db_version SET version_id = $2 WHERE version_id = $1`, from, to)
		require.NoError(s.t, err)
	}
	own := schema.SchemaVersion()
	change(own, own+1)
	return func() { change(own+1, own) }
}

// toolsOf are tools that only say their version.
func toolsOf(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range []string{"pg_dump", "pg_restore"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, tool), []byte("#!/bin/sh\necho '"+tool+" (PostgreSQL) "+version+"'\n"), 0o700))
	}
	return dir
}

// What a restore refuses, each says what to do, and neither the database nor the store is changed.
func TestLong_ARestoreIsRefused(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	s.keep("uploads/a/1", "one")
	whole := s.backUp()
	other := s.elsewhere()
	rekeyed := other.with()
	rekeyed.keys[0] = secret.NewKey("e1")
	hashes := other.with()
	hashes.keys[1] = secret.NewKey("h2")
	own := fmt.Sprintf(`"schema": %d`, schema.SchemaVersion())
	for name, c := range map[string]struct {
		desk   *desk
		change func(folder string) error
		says   string
	}{
		"no folder":              {change: os.RemoveAll, says: "there is no such folder"},
		"no backup":              {change: remove("manifest.json"), says: "is no backup"},
		"half-written":           {change: remove("SHA256SUMS"), says: "is not whole, it has no SHA256SUMS"},
		"without a file":         {change: remove("files/uploads/a/1"), says: "files/uploads/a/1 cannot be read"},
		"without the dump":       {change: remove("database.dump"), says: "database.dump cannot be read"},
		"a damaged file":         {change: edit("files/uploads/a/1", "one", "two"), says: "files/uploads/a/1 is damaged"},
		"a damaged dump":         {change: edit("database.dump", "PGDMP", "PGDMQ"), says: "database.dump is damaged"},
		"a damaged manifest":     {change: edit("manifest.json", "{", ""), says: "manifest.json is damaged"},
		"a changed manifest":     {change: edit("manifest.json", `"fileBytes": 3`, `"fileBytes": 4`), says: "manifest.json is damaged"},
		"sums cut short":         {change: cut("SHA256SUMS"), says: "has 2 lines in place of 3"},
		"sums that lead out":     {change: edit("SHA256SUMS", "files/uploads", "../../uploads"), says: "SHA256SUMS is damaged"},
		"another format":         {change: edit("manifest.json", `"format": 1`, `"format": 2`), says: "restore with version"},
		"a newer schema":         {change: edit("manifest.json", own, own+"0"), says: "or a later one"},
		"an older schema":        {change: edit("manifest.json", own, `"schema": 0`), says: "then run redline migrate of this one"},
		"a newer server":         {change: edit("manifest.json", `"postgres": 16`, `"postgres": 99`), says: "restore into a server of 99 or newer"},
		"another encryption key": {desk: rekeyed, says: "REDLINE_ENCRYPTION_KEYS: the key e1 of the backup"},
		"without the hash key":   {desk: hashes, says: "REDLINE_HASH_KEYS: the key h1 of the backup"},
		"without tools":          {desk: other.with("REDLINE_POSTGRES_TOOLS=" + t.TempDir()), says: "postgresql-client-16"},
		"with tools of before":   {desk: other.with("REDLINE_POSTGRES_TOOLS=" + toolsOf(t, "15.4")), says: "are of 15"},
		"over a running service": {desk: s.with(), says: "the database is in use"},
		"nobody who says yes":    {says: "nothing was changed"},
	} {
		folder := filepath.Join(t.TempDir(), "backup")
		require.NoError(t, os.CopyFS(folder, os.DirFS(whole)), name)
		if c.change != nil {
			require.NoError(t, c.change(folder), name)
		}
		if c.desk == nil {
			c.desk = other.with()
		}
		_, err := c.desk.types("no\n", "--as", "ann", "restore", folder)
		require.ErrorContains(t, err, c.says, name)
	}
	unnamed := filepath.Join(t.TempDir(), "backup.partial")
	require.NoError(t, os.CopyFS(unnamed, os.DirFS(whole)))
	_, err := other.with().types("", "--as", "ann", "restore", unnamed+"/")
	require.ErrorContains(t, err, "broke off or is still being written")

	keyless := &admin{in: strings.NewReader(""), out: io.Discard, asked: io.Discard, environ: append(other.where(), "REDLINE_DATABASE_URL="+other.url)}
	require.ErrorContains(t, keyless.run(t.Context(), []string{"--yes", "--as", "ann", "restore", whole}), "REDLINE_ENCRYPTION_KEYS: is required")

	empty, err := os.ReadDir(other.files.Dir)
	require.NoError(t, err)
	require.Empty(t, empty, "no file was written")
	other.with().run("restore", whole) // which an empty database alone takes
	_, err = other.with().types("yes\n", "--as", "ann", "restore", whole)
	require.ErrorContains(t, err, "the database is not empty")
}

// A restore that breaks off while the rows are put back leaves the database empty.
func TestLong_ARestoreThatBreaksOffIsBegunAgain(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	s.keep("uploads/a/1", "one")
	whole := s.backUp()
	other, short := s.elsewhere(), filepath.Join(t.TempDir(), "backup")
	require.NoError(t, os.CopyFS(short, os.DirFS(whole)))
	path := filepath.Join(short, "database.dump")
	dump, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, dump[:len(dump)-len(dump)/8], 0o600))
	require.NoError(t, edit("SHA256SUMS", digest(dump), digest(dump[:len(dump)-len(dump)/8]))(short))
	_, err = other.with().types("", "--yes", "--as", "ann", "restore", short)
	require.ErrorContains(t, err, "pg_restore: ")
	other.with().run("restore", whole)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func remove(name string) func(string) error {
	return func(folder string) error { return os.Remove(filepath.Join(folder, filepath.FromSlash(name))) }
}

func edit(name, from, to string) func(string) error {
	return func(folder string) error {
		path := filepath.Join(folder, filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.Replace(text, []byte(from), []byte(to), 1), 0o600)
	}
}

func cut(name string) func(string) error {
	return func(folder string) error {
		path := filepath.Join(folder, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		return os.WriteFile(path, bytes.Join(lines[:len(lines)-2], nil), 0o600)
	}
}
