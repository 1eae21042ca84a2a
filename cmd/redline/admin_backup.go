package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/cmd/redline/backup"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models"
	rows "github.com/redline-svc/redline/models/backup"
	"github.com/redline-svc/redline/models/schema"
	"github.com/redline-svc/redline/models/workspace"
)

func (a *admin) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup <folder>",
		Short: "Back up database and files into a new folder, while the service runs",
		Long: `Back up database and files into a new folder, while the service runs. The folder gets its name
when it is whole. The keys are not in it: keep REDLINE_ENCRYPTION_KEYS and REDLINE_HASH_KEYS
elsewhere. Temporal and the vector index need no backup. It takes pg_dump of the server's major
version: from REDLINE_POSTGRES_TOOLS, or else where Debian keeps it and on the PATH.`,
		Args: cobra.ExactArgs(1), Annotations: map[string]string{anySchema: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error { return a.backup(cmd.Context(), args[0]) },
	}
}

func (a *admin) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore <folder>",
		Short: "Put a backup back into an empty database, with the service stopped",
		Long: `Put a backup back into an empty database and the store of files, with the service stopped. Nothing
is changed unless all of it can be put back. Then call redline admin temporal resync and redline
admin index rebuild, start the workers, then the api.`,
		Args: cobra.ExactArgs(1), Annotations: map[string]string{anySchema: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error { return a.restore(cmd.Context(), args[0]) },
	}
}

func (a *admin) files() (*blob.Store, error) {
	if (a.config.Blob.Dir == "") == (a.config.Blob.S3Bucket == "") {
		return nil, errors.New("REDLINE_BLOB_DIR or REDLINE_BLOB_S3_BUCKET: exactly one must be set")
	}
	return blob.Open(blobOptions(a.config.Blob))
}

func (a *admin) backup(ctx context.Context, folder string) error {
	files, err := a.files()
	if err != nil {
		return err
	}
	about, err := a.about(ctx)
	if err != nil {
		return err
	}
	tools, err := backup.FindTools(ctx, a.config.Database.Tools, about.Postgres)
	if err != nil {
		return err
	}
	if err := a.operator().Note(ctx, "admin backup"); err != nil {
		return err
	}
	m, err := backup.Write(ctx, folder, backup.Source{
		Begin: func(ctx context.Context) (*rows.Snapshot, error) { return rows.Begin(ctx, a.db) },
		Files: files, DatabaseURL: a.config.Database.URL.Reveal(), Tools: tools, About: *about,
	})
	if err != nil {
		return err
	}
	return a.printManifest(m)
}

// about is what the manifest says beside the files.
func (a *admin) about(ctx context.Context) (*backup.Manifest, error) {
	m := &backup.Manifest{Version: telemetry.Version()}
	var err error
	if m.Schema, err = schema.DatabaseVersion(ctx, a.db); err != nil {
		return nil, err
	}
	if own := schema.SchemaVersion(); m.Schema != own {
		return nil, fmt.Errorf("the database has the schema %d and this program %d: back up with the program that migrated the database, as only that one can restore it", m.Schema, own)
	}
	if err := workspace.CheckKeys(ctx, a.db, a.box); err != nil {
		return nil, err
	}
	if m.Postgres, err = rows.Server(ctx, a.db); err != nil {
		return nil, err
	}
	counts, err := workspace.NewRewrap(a.db, a.box, models.AllSealedColumns).Count(ctx)
	if err != nil {
		return nil, err
	}
	used := map[string][]string{"encryption": {a.box.WritingKeyID()}, "hash": {a.box.HashKeyID()}}
	for _, c := range counts {
		if !slices.Contains(used[c.Kind], c.KeyID) {
			used[c.Kind] = append(used[c.Kind], c.KeyID)
		}
	}
	if m.EncryptionKeys, err = backup.Prints(a.config.Keys.Encryption, used["encryption"]); err != nil {
		return nil, fmt.Errorf("REDLINE_ENCRYPTION_KEYS: %w", err)
	}
	if m.HashKeys, err = backup.Prints(a.config.Keys.Hash, used["hash"]); err != nil {
		return nil, fmt.Errorf("REDLINE_HASH_KEYS: %w", err)
	}
	return m, nil
}

func (a *admin) restore(ctx context.Context, folder string) error {
	files, err := a.files()
	if err != nil {
		return err
	}
	server, err := rows.Server(ctx, a.db)
	if err != nil {
		return err
	}
	m, err := backup.Restore(ctx, folder, backup.Target{
		Vacant: func(ctx context.Context) (func(), error) { return rows.Vacant(ctx, a.db) },
		Files:  files, DatabaseURL: a.config.Database.URL.Reveal(), Postgres: server, Schema: schema.SchemaVersion(),
		EncryptionKeys: a.config.Keys.Encryption, HashKeys: a.config.Keys.Hash, ToolsFolder: a.config.Database.Tools,
		AboutToBeChanged: func(m *backup.Manifest) error {
			return a.confirm(fmt.Sprintf("The backup of %s is put into the empty database.", m.TakenAt.Format("2006-01-02 15:04 UTC")))
		},
	})
	if err != nil {
		return err
	}
	if err := a.operator().Note(ctx, "admin restore"); err != nil {
		return err
	}
	if err := a.printManifest(m); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(a.asked, "The rows and files are back. Now: redline admin temporal resync, redline admin index rebuild, then start the workers, then the api.")
	return nil
}

func (a *admin) printManifest(m *backup.Manifest) error {
	return a.print(m, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "taken\t%s\nversion\t%s\nschema\t%d\nfiles\t%d\nbytes of files\t%d\nmissing files\t%d\n",
			m.TakenAt.Format("2006-01-02T15:04:05Z"), m.Version, m.Schema, m.Files, m.FileBytes, len(m.Missing))
	})
}
