package tests

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const readAnnotations = "commentannotations/read"

type readView struct {
	Updated int                 `json:"updated"`
	Data    map[string]itemView `json:"data"`
}

// readBy is a call that says that a user has read annotations of the document d.
func readBy(user string, annotationIDs ...string) map[string]any {
	return doc("d", map[string]any{"userId": user, "annotationIds": annotationIDs})
}

// notAnyMore is a call that takes the marks of readBy back.
func notAnyMore(call map[string]any) map[string]any {
	return with(call, map[string]any{"read": false})
}

func (s *scene) tryRead(call map[string]any) (readView, error) {
	return client.Call[readView](s.ctx, s.keyed, readAnnotations, call)
}

// read makes a call that has to succeed.
func (s *scene) read(call map[string]any) readView {
	s.t.Helper()
	result, err := s.tryRead(call)
	require.NoError(s.t, err)
	return result
}

// unread is how many annotations of the document d a user has not read.
func (s *scene) unread(user string) int {
	s.t.Helper()
	return s.counts(user, "d")["d"][1]
}

// shows proves that an annotation counts as unread by eve just if a comment came behind
// her mark.
func (s *scene) shows(annotationID string) {
	s.t.Helper()
	var behind int
	require.NoError(s.t, s.rows().QueryRow(s.ctx, `SELECT count(*) FROM comments c JOIN annotations a ON a.key = c.annotation_key
WHERE a.workspace_id = $1 AND a.annotation_id = $2 AND c.seq > greatest(
    (SELECT seq FROM read_marks WHERE annotation_key = a.key AND user_id = 'eve'),
    (SELECT seq FROM document_read_marks WHERE annotation_key = a.key AND user_id = 'eve'))`, s.workspace.ID, annotationID).Scan(&behind))
	require.LessOrEqual(s.t, behind, 1)
	require.Equal(s.t, behind, s.unread("eve"))
}

// reads makes a call that has to mark so many annotations, and tells when it has.
func (s *scene) reads(call map[string]any, updated int) <-chan error {
	done := make(chan error, 1)
	go func() {
		result, err := s.tryRead(call)
		if err == nil && result.Updated != updated {
			err = fmt.Errorf("%d marked", result.Updated)
		}
		done <- err
	}()
	return done
}

// copies makes copies of an annotation of one comment, named by number.
func (s *scene) copies(annotationID string, n int) {
	s.t.Helper()
	for _, statement := range []string{
		`INSERT INTO annotations OVERRIDING USER VALUE SELECT (jsonb_populate_record(a, jsonb_build_object('annotation_id', a.annotation_id || ' ' || n))).*
FROM annotations a CROSS JOIN generate_series(1, $3) n WHERE a.workspace_id = $1 AND a.annotation_id = $2`,
		`INSERT INTO comments SELECT (jsonb_populate_record(c, jsonb_build_object('annotation_key', b.key))).* FROM comments c
JOIN annotations a ON a.key = c.annotation_key JOIN annotations b ON b.workspace_id = a.workspace_id AND b.annotation_id LIKE a.annotation_id || ' %'
WHERE a.workspace_id = $1 AND a.annotation_id = $2 AND $3 > 0`,
	} {
		_, err := s.rows().Exec(s.ctx, statement, s.workspace.ID, annotationID, n)
		require.NoError(s.t, err)
	}
}

func TestAnnotationsRead_5_AMigratedDocumentKeepsItsMarks(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("a", wrote("ann", "a")), annotated("b", wrote("ann", "b")), annotated("c", wrote("ann", "c"))))
	s.read(readBy("eve"))
	s.read(readBy("bob", "a"))
	s.migrated(s.migrates("d", "e"))
	require.Equal(t, [2]int{3, 0}, s.counts("eve", "e")["e"])
	require.Equal(t, [2]int{3, 2}, s.counts("bob", "e")["e"])
	require.Equal(t, "document", s.details(readAnnotations, readBy("eve"))["resource"])
}
