package view

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/shape"
)

// How many bytes stand around the texts of an item where it is written as JSON:
// names, numbers, times and marks, and of an annotation its share of the answer
// that it stands in. Each is a little more than it takes.
const (
	aroundAnnotation = 512
	aroundComment    = 192
	aroundRest       = 256
	aroundWhole      = 1024
)

// measure says how large annotations and comments are as they are written: a page
// ends by that. Few authors wrote many comments, so each is measured once.
type measure struct{ authors map[string]int64 }

func newMeasure() measure { return measure{map[string]int64{}} }

// annotation is the size of an annotation with its thread, in bytes.
func (m measure) annotation(a *View) int64 {
	if a.Rest != nil {
		return m.whole(a)
	}
	size := aroundAnnotation + shape.WrittenLen(a.AnnotationID) + m.author(a.From)
	for _, name := range []string{"id", "name", "color", "color", "type"} { // the color stands twice
		size += shape.WrittenLen(shape.Text(a.Status, name))
	}
	for i := range a.Comments {
		size += m.comment(&a.Comments[i])
	}
	return size
}

// whole is the size of a whole annotation with its thread, which shows what is stored as
// it is stored. What it is in may be named twice, a document of a group once more.
func (m measure) whole(a *View) int64 {
	r := a.Rest
	size := aroundWhole + shape.WrittenLen(a.AnnotationID) + 2*shape.WrittenLen(r.OrganizationID) + 3*shape.WrittenLen(r.DocumentID)
	for _, text := range []string{r.FolderID, r.FolderID, r.DocumentName, r.ResolvedBy, r.StatusUpdatedBy, r.Visibility.OrganizationID} {
		size += shape.WrittenLen(text)
	}
	for _, users := range [][]string{r.Mentioned, r.Visibility.UserIDs} {
		for _, user := range users {
			size += shape.WrittenLen(user) + int64(len(`"",`))
		}
	}
	for _, stored := range []json.RawMessage{a.From, a.Status, r.Location, r.Target, r.Context, r.Assigned, r.Priority, r.Suggestion, r.Agent, r.Kept} {
		size += int64(len(stored))
	}
	for i := range a.Comments {
		size += m.comment(&a.Comments[i])
	}
	return size
}

// comment is the size of a comment, in bytes. Of a whole one it shows the author's
// snapshot and all else as they are stored.
func (m measure) comment(c *CommentView) int64 {
	size := aroundComment + shape.WrittenLen(c.Text) + shape.WrittenLen(c.HTML)
	if c.Rest == nil {
		return size + m.author(c.From)
	}
	return size + aroundRest + int64(len(c.From)+len(c.Rest.Context)+len(c.Rest.Contacts)+len(c.Rest.Agent)+len(c.Rest.Kept))
}

// author is the size of what is read of a snapshot.
func (m measure) author(snapshot json.RawMessage) int64 {
	size, known := m.authors[string(snapshot)]
	if !known {
		for _, name := range []string{"userId", "name", "email"} {
			size += shape.WrittenLen(shape.Text(snapshot, name))
		}
		m.authors[string(snapshot)] = size
	}
	return size
}
