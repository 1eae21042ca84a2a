package annotation

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/thread"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
)

// recordJudgments stores a judgment for every comment that says something; whether
// somebody is notified has no part in it.
func (a *change) recordJudgments(ctx context.Context, tx *pg.Tx) error {
	b := &pgx.Batch{}
	for _, r := range a.rows {
		for i := range r.comments {
			a.queueJudgment(b, r, &r.comments[i])
		}
	}
	return tx.SendBatch(ctx, b).Close()
}

func (a *change) queueJudgment(b *pgx.Batch, r *annotationRow, c *commentRow) {
	reasoning := a.named(c)
	if strings.TrimSpace(reasoning) == "" {
		reasoning = c.Agent.summary()
	}
	if strings.TrimSpace(reasoning) == "" {
		return
	}
	// The key of the annotation keeps an id that is used again apart.
	origin := strconv.FormatInt(r.key, 10) + "/" + strconv.FormatInt(c.seq, 10)
	name, email := a.known(c)
	judgment.Comment{
		WorkspaceID: a.workspaceID, OrganizationID: a.OrganizationID, DocumentID: a.DocumentID, AnnotationID: r.id, Origin: origin,
		Reasoning: reasoning, Content: a.content(r, c), ContentType: r.contentType(), Confidence: c.Agent.confidence(),
		UserID: c.From.UserID, UserName: name, UserEmail: email, Agent: c.Agent.inJudgment(), CreatedAt: time.UnixMilli(c.createdMs),
	}.Queue(b)
}

// named is what the comment says with its tags as names, or as ids where no name
// is known.
func (a *change) named(c *commentRow) string {
	names := map[string]string{}
	for _, user := range c.Tags {
		names[user] = user
	}
	for _, contact := range c.contacts {
		if name := contact.Contact.Name; name != nil && *name != "" {
			names[contact.UserID] = *name
		}
	}
	return thread.Named(thread.Said(c.Text, c.HTML), names)
}

// known is the author's name and e-mail as known in the organization, or as
// sent; the name falls back to the id.
func (a *change) known(c *commentRow) (name string, email *string) {
	p := c.From
	if found := a.profiles[p.UserID]; found != nil {
		p = found.Filled(&p)
	}
	if p.Name != nil {
		name = *p.Name
	}
	return cmp.Or(name, p.UserID), p.Email
}

// content is what a comment is about: the target text, else the root comment.
func (a *change) content(r *annotationRow, c *commentRow) string {
	about := shape.Text(r.Target, "targetText")
	if about == "" && c.seq > r.comments[0].seq {
		about = a.named(&r.comments[0])
	}
	return about
}

// contentType is context.contentType where that is a text, else the annotation's
// type.
func (r *annotationRow) contentType() string {
	return cmp.Or(shape.Text(r.Context, "contentType"), r.Kind)
}

// summary is what an agent found, for a comment without text.
func (n *NewAgent) summary() string {
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

func (n *NewAgent) confidence() float64 {
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
func (n *NewAgent) inJudgment() json.RawMessage {
	if n == nil {
		return nil
	}
	name := n.Name
	if n.Source == AgentOfService {
		name = builtInAgents[n.ID]
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
	}{pg.Optional(n.ID), n.Source, name, pg.Optional(n.ExecutionID), fields{pg.Optional(n.URL), n.Reason}})
	return text
}
