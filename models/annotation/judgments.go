package annotation

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	words "github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
)

// noteJudged notes of comments, by the origins of their judgments (judgmentOf), whether they
// have got one.
const noteJudged = `
UPDATE comments c SET judged = $2 FROM unnest($1::text[]) AS o (origin)
WHERE c.annotation_key = split_part(o.origin, '/', 1)::bigint AND c.seq = split_part(o.origin, '/', 2)::bigint`

// recordJudgments stores a judgment for every comment that begins to say something, added or
// edited, and lets an edited one replace what its judgment says; whether somebody is notified
// has no part in it. Those of what is deleted go. A judgment that was deleted is not made again. It is the last thing that
// a transaction does, the last of it on the batch: who removes judgments holds what others wait for.
func recordJudgments(ctx context.Context, tx *pg.Tx, c *change, last *pgx.Batch) error {
	in := judgment.Document{
		WorkspaceID: c.workspaceID, OrganizationID: c.container.OrganizationID, DocumentID: c.container.DocumentID, Key: *c.scope.Document,
	}
	more := false
	for some := range pg.Portions(c.judgments(), pg.PortionRows) {
		if more { // the first portion goes with what the batch has
			if err := tx.SendQueued(ctx, last); err != nil {
				return err
			}
		}
		if err := in.QueueActs(tx, last, some); err != nil {
			return err
		}
		more = true
	}
	return c.storedJudgments().follow(ctx, tx, last)
}

// judgments are those that the change makes, with about how many bytes each takes.
func (c *change) judgments() iter.Seq2[*judgment.Act, int64] {
	return func(yield func(*judgment.Act, int64) bool) {
		for _, a := range c.annotations {
			for act := range judged(c, a) {
				if !yield(act, act.Bytes()) {
					return
				}
			}
		}
	}
}

// judged are the judgments of one annotation: of what was done with it, then of its comments.
func judged(c *change, a *annotation) iter.Seq[*judgment.Act] {
	return func(yield func(*judgment.Act) bool) {
		if a.gone() {
			return
		}
		for _, done := range reviewsOf(c, a) {
			if !yield(done) {
				return
			}
		}
		for _, comment := range a.changed {
			if !comment.unjudged() {
				continue
			}
			if j := judgmentOf(c, a, comment); j.Reasoning != "" && !yield(j) {
				return
			}
		}
	}
}

// unjudged reports whether the comment gets a judgment where it says something.
func (c *comment) unjudged() bool { return !c.deleted && (c.isNew() || !c.judged) }

// storedJudgments are what a change does to judgments that there are: origins of those of stored comments that
// begin to say something and of deleted ones, edits of the others, and the annotations that are gone.
type storedJudgments struct {
	workspaceID   string
	made, deleted []string
	edits         []judgment.Edit
	gone          judgment.Annotations
}

func (c *change) storedJudgments() *storedJudgments {
	s := &storedJudgments{workspaceID: c.workspaceID, gone: judgment.Annotations{WorkspaceID: c.workspaceID}}
	for _, a := range c.annotations {
		if a.gone() {
			s.gone.Add(a.key, a.id)
			continue
		}
		for _, comment := range a.changed {
			switch {
			case comment.isNew():
			case comment.deleted:
				s.deleted = append(s.deleted, a.origin(comment))
			case comment.judged:
				s.edits = append(s.edits, judgmentOf(c, a, comment).Edit)
			case comment.reasoning() != "":
				s.made = append(s.made, a.origin(comment))
			default:
			}
		}
	}
	return s
}

// none reports whether there are none.
func (s *storedJudgments) none() bool {
	return len(s.made)+len(s.deleted)+len(s.edits) == 0 && s.gone.None()
}

// follow lets the judgments follow their comments, behind what the batch has, and notes of these whether they have one.
func (s *storedJudgments) follow(ctx context.Context, tx *pg.Tx, b *pgx.Batch) error {
	if s.none() {
		return nil
	}
	var removed []string
	judgment.QueueDeletions(tx, b, s.workspaceID, s.deleted)
	s.gone.QueueDeletion(tx, b)
	judgment.QueueEdits(tx, b, s.workspaceID, s.edits, &removed)
	if err := tx.SendQueued(ctx, b); err != nil || len(s.made)+len(removed) == 0 {
		return err
	}
	b.Queue(noteJudged, s.made, true)
	b.Queue(noteJudged, removed, false)
	return nil
}

// origin names a comment. The key of the annotation keeps an id that is used again apart.
func (a *annotation) origin(comment *comment) string {
	return strconv.FormatInt(a.key, 10) + "/" + strconv.FormatInt(comment.seq, 10)
}

func judgmentOf(c *change, a *annotation, comment *comment) *judgment.Act {
	j := judgmentBy(c, a, comment.From)
	j.Kind, j.Decision = judgment.ActComment, words.Comment
	j.Origin, j.Reasoning = a.origin(comment), comment.reasoning()
	j.Content, j.Confidence = a.subject(comment), comment.Agent.confidence()
	j.Agent, j.CreatedAt = comment.Agent.inJudgment(), time.UnixMilli(comment.createdMs)
	return j
}

// judgmentBy is a judgment of somebody about the annotation, of this moment.
func judgmentBy(c *change, a *annotation, user person.Person) *judgment.Act {
	name, email := nameAndEmail(c, user)
	return &judgment.Act{
		AnnotationID: a.id, ContentType: a.contentType(),
		Edit: judgment.Edit{UserID: user.UserID, UserName: name, UserEmail: email, CreatedAt: time.UnixMilli(c.now.UnixMilli())},
	}
}

// reviewsOf are the judgments of what an update decided: another type of status, and what
// became of a suggestion.
func reviewsOf(c *change, a *annotation) (all []*judgment.Act) {
	if a.before == nil {
		return nil
	}
	did := func(kind, decision string, confidence float64, reasoning, content string) {
		j := judgmentBy(c, a, *a.doer())
		j.Kind, j.Decision, j.Origin = kind, decision, strconv.FormatInt(a.key, 10)
		j.Reasoning, j.Content, j.Confidence = reasoning, content, confidence
		all = append(all, j)
	}
	if status := statusReviews[a.statusType()]; status.decision != "" && a.statusType() != a.before.statusType() {
		newest := a.comments[len(a.comments)-1]
		did(judgment.ActStatus, status.decision, status.confidence, cmp.Or(newest.reasoning(), shape.Text(a.status, "name")), a.subject(nil))
	}
	if decision := suggestionReviews[a.decided()]; decision != "" && a.decided() != a.before.decided() {
		reason, confidence := shape.Unblank(shape.Text(a.suggestion, "reason")), reasonedConfidence
		if reason == "" {
			confidence = unreasonedConfidence
		}
		content := cmp.Or(a.suggested("oldValue", "newValue"), a.comments[0].readable())
		did(judgment.ActSuggestion, decision, confidence, cmp.Or(reason, a.suggested("summary")), content)
	}
	return all
}

// statusReviews are what another type of status decides, and how much that counts.
var statusReviews = map[string]struct {
	decision   string
	confidence float64
}{statusTerminal: {words.Resolve, 0.70}, statusOngoing: {words.InProgress, 0.50}}

// suggestionReviews are the decisions by what became of a suggestion.
var suggestionReviews = map[string]string{SuggestionAccepted: words.Approve, SuggestionRejected: words.Reject}

// How much a decision on a suggestion counts, with a reason and without.
const (
	reasonedConfidence   = 0.90
	unreasonedConfidence = 0.80
)

// suggested are values of what was suggested, one a line: as the decision has them, else as
// they were before it. What is no text is JSON.
func (a *annotation) suggested(names ...string) string {
	for _, suggestion := range []json.RawMessage{a.suggestion, a.before.suggestion} {
		var lines []string
		for _, name := range names {
			value := shape.Value(suggestion, name)
			text := shape.Text(suggestion, name)
			if text == "" && len(value) > 0 && value[0] != '"' && string(value) != "null" {
				text = compact(value)
			}
			if shape.Unblank(text) != "" {
				lines = append(lines, text)
			}
		}
		if len(lines) > 0 {
			return strings.Join(lines, "\n")
		}
	}
	return ""
}

// reasoning is what a judgment says of the comment: its text, else what its agent
// found; empty where neither says anything.
func (c *comment) reasoning() string {
	for _, text := range []string{c.readable(), c.Agent.summary()} {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// readable is what the comment says with its tags as names, or as ids where no
// name is known.
func (c *comment) readable() string {
	names := map[string]string{}
	for _, user := range c.Tags {
		names[user] = user
	}
	for _, contact := range c.Contacts {
		if name := contact.Contact.Name; name != nil && *name != "" {
			names[contact.UserID] = *name
		}
	}
	return thread.Named(thread.Said(c.Text, c.HTML), names)
}

// nameAndEmail are an author's as known in the organization, or as sent; the name
// falls back to the id, and a blank address is none.
func nameAndEmail(c *change, author person.Person) (name string, email *string) {
	if profile := c.profiles[author.UserID]; profile != nil {
		author = profile.Filled(&author)
	}
	if author.Name != nil {
		name = *author.Name
	}
	return cmp.Or(shape.Unblank(name), author.UserID), pg.Optional(shape.Unblank(pg.Present(author.Email)))
}

// subject is what a comment is about, or, without one, what an act is about: the target
// text, else the root comment.
func (a *annotation) subject(c *comment) string {
	text := shape.Unblank(shape.Text(a.target, "targetText"))
	if root := a.comments[0]; text == "" && (c == nil || c.seq > root.seq) {
		if a.rootSays == "" {
			a.rootSays = root.readable()
		}
		text = a.rootSays
	}
	return text
}

// contentType is context.contentType where that is a text, else the annotation's
// type.
func (a *annotation) contentType() string {
	return cmp.Or(shape.Unblank(shape.Text(a.context, "contentType")), a.kind)
}

// summary is what an agent found, for a comment without text.
func (n *Agent) summary() string {
	if n == nil {
		return ""
	}
	return strings.TrimSpace(shape.Text(n.Reason, "title") + "\n" + shape.Text(n.Reason, "description"))
}

// Confidence of comments; an agent may give its own, in percent.
const (
	commentConfidence = 0.50
	agentConfidence   = 0.60
	percent           = 100
)

func (n *Agent) confidence() float64 {
	if n == nil {
		return commentConfidence
	}
	var own *float64
	if json.Unmarshal(shape.Value(n.Reason, "confidence"), &own) != nil || own == nil {
		return agentConfidence
	}
	return *own / percent
}

// inJudgment is the agent as judgments show it; what is absent is null.
func (n *Agent) inJudgment() json.RawMessage {
	if n == nil {
		return nil
	}
	type fields struct {
		URL    *string         `json:"url"`
		Reason json.RawMessage `json:"reason"`
	}
	text, _ := json.Marshal(struct { // the reason was read as JSON
		AgentID     *string `json:"agentId"`
		AgentType   string  `json:"agentType"`
		AgentName   string  `json:"agentName"`
		ExecutionID *string `json:"executionId"`
		AgentFields fields  `json:"agentFields"`
	}{pg.Optional(n.ID), n.Source, n.Name, pg.Optional(n.ExecutionID), fields{pg.Optional(n.URL), n.Reason}})
	return text
}
