package notification_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/notification"
)

// told makes a notification in d of so many people, and one in another document.
func told(t *testing.T, people int) *modelstest.Annotations {
	t.Helper()
	d := modelstest.NewAnnotations(t)
	for _, document := range []string{"d", "other"} {
		d.Add(document, modelstest.Note("", modelstest.Says("ann", "One.", modelstest.Flagged("bob"))))
	}
	d.Exec(`INSERT INTO notification_recipients SELECT (jsonb_populate_record(r, jsonb_build_object('user_id', 'fan' || i))).*
FROM notification_recipients r JOIN documents d ON d.key = r.document_key AND d.document_id = 'd', generate_series(1, $1::int) i`, people)
	return d
}

// Of a notification any number of people may be told: they go some at a time, and it with the last of them.
func TestNotificationsGoInPortions(t *testing.T) {
	t.Parallel()
	d := told(t, notification.EntriesAtOnce+1)
	of := notification.Deletion{Narrowing: notification.Narrowing{Container: modelstest.In("d")}}
	entries, err := d.Notified.Delete(t.Context(), modelstest.Workspace, of)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Equal(t, []string{"other"}, d.Rows(`SELECT d.document_id FROM notifications n JOIN documents d ON d.key = n.document_key`))
	require.Equal(t, []string{"bob"}, d.Rows(`SELECT user_id FROM notification_recipients`))
	of.UserID = "bob"
	of.DocumentID = "other"
	_, err = d.Notified.Delete(t.Context(), modelstest.Workspace, of)
	require.NoError(t, err)
	require.Empty(t, d.Rows(`SELECT id FROM notifications`), "nobody is told of it any more")
}

// Whoever has read everything may have been told of any number of things: they are marked some at a time.
func TestEverythingIsReadInPortions(t *testing.T) {
	t.Parallel()
	const more = notification.MarkedAtOnce
	d := told(t, 1)
	d.Exec(`INSERT INTO notifications SELECT (jsonb_populate_record(n, jsonb_build_object('id', 'ntf_' || i))).*
FROM notifications n JOIN documents d ON d.key = n.document_key AND d.document_id = 'd', generate_series(1, $1::int) i`, more)
	d.Exec(`INSERT INTO notification_recipients SELECT (jsonb_populate_record(r, jsonb_build_object('notification_id', n.id))).*
FROM notification_recipients r JOIN notifications n ON n.document_key = r.document_key AND n.id <> r.notification_id WHERE r.user_id = 'bob'`)
	changed, err := d.Notified.MarkAll(t.Context(), modelstest.Workspace, notification.Narrowing{Container: modelstest.In("d"), UserID: "bob"})
	require.NoError(t, err)
	require.EqualValues(t, more+1, changed)
	require.Equal(t, []string{"fan1 d", "bob other"}, d.Rows(`SELECT r.user_id || ' ' || d.document_id FROM notification_recipients r
JOIN documents d ON d.key = r.document_key WHERE r.read_at IS NULL ORDER BY d.document_id`))
}
