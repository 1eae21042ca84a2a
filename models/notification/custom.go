package notification

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/template"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// CodeNotEditable is that of an entry whose notification no caller added.
const CodeNotEditable = "not-editable"

// Custom is what a caller says in a notification that it adds: a headline and a body, which are
// templates with places {a.b} filled from their data, or a body as it is. What is not sent is
// nil.
type Custom struct {
	Headline     *string         `json:"headline,omitempty"`
	HeadlineData json.RawMessage `json:"headlineData,omitempty"`
	Body         *string         `json:"body,omitempty"`
	BodyTemplate *string         `json:"bodyTemplate,omitempty"`
	BodyData     json.RawMessage `json:"bodyData,omitempty"`
	SourceData   json.RawMessage `json:"sourceData,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
	Location     json.RawMessage `json:"location,omitempty"`

	bytes int64
}

func storedCustom(text []byte) (*Custom, error) {
	c := &Custom{bytes: int64(len(text))}
	return c, json.Unmarshal(text, c)
}

// How long a headline and a body are once they are filled, in characters.
const (
	maxHeadline = 2000
	maxBody     = 10_000
)

// size is a little more than what it takes as it is written, 0 for nothing: filled, the texts
// may be as long as they can be.
func (c *Custom) size() int64 {
	if c == nil {
		return 0
	}
	return 2*c.bytes + maxHeadline + maxBody
}

// Shown are headline and body as they read, by who caused the notification.
func (c *Custom) Shown(actor json.RawMessage) (headline, body string) {
	headline = filled(c.Headline, c.HeadlineData, actor, maxHeadline)
	if c.BodyTemplate != nil {
		return headline, filled(c.BodyTemplate, c.BodyData, actor, maxBody)
	}
	return headline, pg.Present(c.Body)
}

// filled is a template with its places filled, and cut. What is too long for a text at all is
// shown as it was sent.
func filled(text *string, data, actor json.RawMessage, most int) string {
	roots := template.Roots{"actionUser": actor}
	for _, member := range shape.MembersOf(data) {
		if member.Name != "actionUser" {
			roots[member.Name] = member.Value
		}
	}
	shown, ok := template.FillSingle(pg.Present(text), roots, template.Text)
	if !ok {
		shown = pg.Present(text)
	}
	if utf8.RuneCountInString(shown) > most {
		shown = string([]rune(shown)[:most])
	}
	return shown
}

// CustomEdit is what an edit gives a notification that a caller added; what is nil stays.
type CustomEdit struct {
	Actor *person.Person
	Custom
}

// isEmpty reports whether nothing is sent.
func (e *CustomEdit) isEmpty() bool {
	return e.Actor == nil && string(shape.Encode(e.Custom)) == "{}"
}

// onto returns a stored text with what is sent. A body and a template of one are each in the
// place of the other.
func (e *CustomEdit) onto(stored *Custom) Custom {
	c := *stored
	if e.Body != nil || e.BodyTemplate != nil {
		c.Body, c.BodyTemplate = e.Body, e.BodyTemplate
	}
	if e.Headline != nil {
		c.Headline = e.Headline
	}
	for _, part := range []struct{ into, sent *json.RawMessage }{
		{&c.HeadlineData, &e.HeadlineData}, {&c.BodyData, &e.BodyData}, {&c.SourceData, &e.SourceData}, {&c.Metadata, &e.Metadata},
	} {
		if *part.sent != nil {
			*part.into = *part.sent
		}
	}
	return c
}

// edits are what all edits of a call share.
type edits struct {
	organization int64
	verify       bool
	keys         keys
}

// editAll edits those of the notifications whose entries say nothing else, and returns the
// marks that hold: those of one that cannot be edited do not.
func editAll(ctx context.Context, tx *pg.Tx, of edits, marks []Mark, entries []directory.Entry) (applied []Mark, err error) {
	b := &pgx.Batch{}
	denied := fault.PermissionDenied("", "an action user may not write to the document")
	for i, m := range marks {
		m.ID = of.keys[m.ID]
		if entries[i].Success() && !m.Edit.isEmpty() {
			stored, document, err := lockCustom(ctx, tx, m.ID)
			if err != nil {
				return nil, err
			}
			if stored == nil {
				entries[i].Code = CodeNotEditable
				continue
			}
			if err := of.check(ctx, tx, document, i, m.Edit.Actor, denied); err != nil {
				return nil, err
			}
			m.Edit.queue(b, m.ID, stored)
		}
		applied = append(applied, m)
	}
	if len(denied.Details.Denied) > 0 {
		return nil, denied
	}
	return applied, tx.SendBatch(ctx, b).Close()
}

// lockCustom reads what a caller says in a notification that is held, nil where it is about a
// comment.
func lockCustom(ctx context.Context, tx *pg.Tx, key string) (*Custom, int64, error) {
	var text []byte
	var document int64
	err := tx.QueryRow(ctx, `SELECT custom, document_key FROM notifications WHERE id = $1`, key).Scan(&text, &document)
	if err != nil || text == nil {
		return nil, 0, err
	}
	c, err := storedCustom(text)
	return c, document, err
}

// check notes that an actor may not write to the document, where the call asks for that.
func (of edits) check(ctx context.Context, tx *pg.Tx, document int64, index int, actor *person.Person, denied *fault.Error) error {
	if !of.verify || actor == nil {
		return nil
	}
	access, err := directory.ReadAccess(ctx, tx, of.organization, []int64{document}, []string{actor.UserID})
	if err == nil && !access.Decide(document, actor.UserID).Write {
		denied.Details.Denied = append(denied.Details.Denied, fault.DeniedUser{Index: index, UserID: actor.UserID})
	}
	return err
}

// queue stores a notification with what is sent.
func (e *CustomEdit) queue(b *pgx.Batch, key string, stored *Custom) {
	var actor *string
	if e.Actor != nil {
		actor = pg.Optional(string(e.Actor.Snapshot()))
	}
	b.Queue(`UPDATE notifications SET custom = $2, action_user = coalesce($3::text::json, action_user) WHERE id = $1`,
		key, string(shape.Encode(e.onto(stored))), actor)
}
