package notification_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/notification"
)

// A page costs the same wherever it is, and however many notifications others have, also
// where they came before Postgres has any statistics of them.
func TestAPageReadsWhatItShows(t *testing.T) {
	t.Parallel()
	const notices, size = 3000, 10
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "One.", modelstest.Flagged("bob", "eve"))))
	tables := []string{"notifications", "notification_recipients"}
	for _, table := range tables {
		d.Exec(`ALTER TABLE ` + table + ` SET (autovacuum_enabled = false)`)
	}
	d.Exec(`INSERT INTO notifications SELECT (jsonb_populate_record(n, jsonb_build_object('id', 'ntf_' || lpad(i::text, 8, '0')))).*
FROM notifications n CROSS JOIN generate_series(1, 3000) i`)
	d.Exec(`INSERT INTO notification_recipients SELECT (jsonb_populate_record(r, jsonb_build_object('notification_id', n.id))).*
FROM notification_recipients r JOIN notifications n ON n.id <> r.notification_id`)
	for _, f := range []notification.Filter{{DocumentID: "d"}, {UserID: "bob"}, {UserID: "bob", DocumentID: "d"}, {UserID: "bob", OldestFirst: true}} {
		f.OrganizationID = "acme"
		for _, after := range []*notification.Position{nil, {ID: "ntf_00001500"}} {
			before := modelstest.RowsRead(t, d.DB, tables...)
			page, err := d.Notified.List(t.Context(), modelstest.Workspace, f, after, size)
			require.NoError(t, err)
			require.Len(t, page.Items, size)
			require.NotNil(t, page.Next)
			require.Less(t, modelstest.RowsRead(t, d.DB, tables...)-before, int64(20*size), "%+v", f)
		}
	}
	require.Positive(t, modelstest.RowsRead(t, d.DB, tables...))
}

// What a page leaves out since the user may not see it does not end the walk.
func TestAWalkGoesOnBehindWhatIsHidden(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	for range 7 {
		d.Add("open", modelstest.Note("", modelstest.Says("ann", "Seen.", modelstest.Flagged("bob"))))
		d.Add("closed", modelstest.Note("", modelstest.Says("ann", "Hidden.", modelstest.Flagged("bob"))), modelstest.Note("", modelstest.Says("ann", "Hidden.", modelstest.Flagged("bob"))))
	}
	d.Exec(`UPDATE documents SET access = 'restricted' WHERE document_id = 'closed'`)
	var seen int
	for after := (*notification.Position)(nil); ; {
		page, err := d.Notified.List(t.Context(), modelstest.Workspace, notification.Filter{OrganizationID: "acme", UserID: "bob"}, after, 2)
		require.NoError(t, err)
		for _, v := range page.Items {
			require.Equal(t, "Seen.", v.Text)
		}
		seen += len(page.Items)
		if after = page.Next; after == nil {
			break
		}
		require.Len(t, page.Items, 2)
	}
	require.Equal(t, 7, seen)
}

// A user may see nothing of any number of notifications: a page ends where it has looked often enough, and the next one goes on.
func TestAPageEndsBehindManyThatAreHidden(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("open", modelstest.Note("", modelstest.Says("ann", "Seen.", modelstest.Flagged("bob"))))
	for range 12 {
		all := make([]annotation.NewAnnotation, 0, 10)
		for range 10 {
			all = append(all, modelstest.Note("", modelstest.Says("ann", "Hidden.", modelstest.Flagged("bob"))))
		}
		d.Add("closed", all...)
	}
	d.Exec(`UPDATE documents SET access = 'restricted' WHERE document_id = 'closed'`)
	filter := notification.Filter{OrganizationID: "acme", UserID: "bob"}
	first, err := d.Notified.List(t.Context(), modelstest.Workspace, filter, nil, 1)
	require.NoError(t, err)
	require.Empty(t, first.Items)
	require.NotNil(t, first.Next)
	second, err := d.Notified.List(t.Context(), modelstest.Workspace, filter, first.Next, 1)
	require.NoError(t, err)
	require.Len(t, second.Items, 1)
	require.Equal(t, "Seen.", second.Items[0].Text)
}
