package modelstest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// Rename gives a document of acme another id.
func Rename(t testing.TB, db *pg.DB, workspaceID, documentID, newDocumentID string) {
	t.Helper()
	changes(t, db, func(ctx context.Context, tx *pg.Tx) error {
		return subject.Rename(ctx, tx, workspaceID, "acme", documentID, newDocumentID)
	})
}

// Remove marks documents of acme as removed.
func Remove(t testing.TB, db *pg.DB, workspaceID string, documentIDs ...string) {
	t.Helper()
	changes(t, db, func(ctx context.Context, tx *pg.Tx) error {
		return subject.RemoveDocuments(ctx, tx, workspaceID, "acme", documentIDs)
	})
}

// RemoveOrganization marks an organization as removed.
func RemoveOrganization(t testing.TB, db *pg.DB, workspaceID, organizationID string) {
	t.Helper()
	changes(t, db, func(ctx context.Context, tx *pg.Tx) error {
		return subject.RemoveOrganizations(ctx, tx, workspaceID, []string{organizationID})
	})
}

func changes(t testing.TB, db *pg.DB, change func(ctx context.Context, tx *pg.Tx) error) {
	t.Helper()
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error { return change(t.Context(), tx) }))
}
