package person

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/erase"
)

// place is a table of which some columns may name people, walked in the order of keys.
type place struct {
	table string
	// keys are the columns that order it within a workspace, each with its type.
	keys []key
	// scope is the condition for the organizations of an erasure: given has their keys and those of their subjects. Empty
	// where rows are of no organization: they are looked at by every erasure.
	scope string
	// where narrows the walk to the rows that an index has in its order.
	where string
	// locks is the statement that holds off writers of the rows, by the first key of each; empty where their own locks do.
	locks   string
	columns []column
}

type key struct{ name, sqlType string }

// column is a column that may name people; erase is what it is without them.
type column struct {
	name, sqlType string
	erase         func(m *erase.Marks, stored string) *string
}

// What becomes of a column. The value is as Postgres writes it as text.

func asJSON(name string) column {
	return column{name, "json", func(m *erase.Marks, stored string) *string { return new(string(m.JSON(json.RawMessage(stored)))) }}
}

func asPerson(name string) column {
	return column{name, "json", func(m *erase.Marks, stored string) *string { return new(string(m.Person(json.RawMessage(stored)))) }}
}

func asText(name string) column {
	return column{name, "text", func(m *erase.Marks, stored string) *string { return new(m.Text(stored)) }}
}

// asSaid is for texts that the service composed.
func asSaid(name string) column {
	return column{name, "text", func(m *erase.Marks, stored string) *string { return new(m.Said(stored)) }}
}

// asNull is for texts from outside, which go as a whole.
func asNull(name string) column {
	return column{name, "text", func(m *erase.Marks, stored string) *string {
		if m.Said(stored) != stored || m.Names(json.RawMessage(stored)) && json.Valid([]byte(stored)) {
			return nil
		}
		return &stored
	}}
}

// asNobody is for people who go as a whole.
func asNobody(name string) column {
	return column{name, "json", func(m *erase.Marks, stored string) *string {
		if m.Names(json.RawMessage(stored)) {
			return nil
		}
		return &stored
	}}
}

// asIDs is for lists of users, who are left out.
func asIDs(name string) column {
	return column{name, "text[]", func(m *erase.Marks, stored string) *string { return new(m.List(stored)) }}
}

const (
	inOrganizations = `(given.organizations IS NULL OR t.organization_key = ANY (given.organizations))`
	inDocuments     = `(given.organizations IS NULL OR t.document_key IN (SELECT d.key FROM document_rows d WHERE d.organization_key = ANY (given.organizations)))`
	inAnnotations   = `(given.organizations IS NULL OR t.annotation_key IN (SELECT a.key FROM annotations a JOIN document_rows d ON d.key = a.document_key
    WHERE d.organization_key = ANY (given.organizations)))`
	inSubjects   = `(given.subjects IS NULL OR t.organization_key = ANY (given.subjects))`
	inExecutions = `(given.subjects IS NULL OR (SELECT x.organization_key = ANY (given.subjects) FROM executions x WHERE x.workspace_id = t.workspace_id AND x.id = t.execution_id))`
	// ofWorkspace finds rows of organizations by an index that begins with the organization.
	ofWorkspace = `t.organization_key = ANY (ARRAY(SELECT o.key FROM organizations o WHERE o.workspace_id = given.workspace AND o.organization_id IS NOT NULL))`
	// lockExecutions holds off whoever takes executions further.
	lockExecutions = `SELECT FROM executions WHERE workspace_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE`
	// lockAnnotations holds off whoever changes comments of annotations.
	lockAnnotations = `SELECT FROM annotations WHERE workspace_id = $1 AND key = ANY ($2::text[]::bigint[]) ORDER BY key FOR NO KEY UPDATE`
)

var (
	ofExecution = key{"execution_id", "text"}
	byID        = []key{{"id", "text"}}
)

// places are the tables whose rows stay without the people, each a task of an erasure.
var places = []place{
	{
		table: "activities", keys: byID, scope: inOrganizations,
		columns: []column{
			asPerson("action_user"), asText("annotation_id"), asText("target_sub"), asJSON("changes"), asJSON("entity_data"),
			asJSON("entity_target"), asJSON("template_data"), asSaid("message"),
		},
	},
	{
		table: "deleted_annotations", keys: []key{{"annotation_id", "text"}, {"annotation_key", "bigint"}}, scope: inDocuments,
		columns: []column{asText("author_id"), asIDs("visible_to")},
	},
	{
		table: "annotations", keys: []key{{"annotation_id", "text"}}, scope: inDocuments, where: "t.kept IS NOT NULL", columns: []column{asJSON("kept")},
	},
	{
		table: "comments", keys: []key{{"annotation_key", "bigint"}, {"seq", "bigint"}}, scope: inAnnotations, where: "t.kept IS NOT NULL", locks: lockAnnotations,
		columns: []column{asJSON("kept")},
	},
	{
		table: "notifications", keys: byID, scope: inDocuments, where: "t.custom IS NOT NULL",
		columns: []column{asJSON("custom"), asPerson("action_user")},
	},
	{
		table: "executions", keys: byID, scope: inSubjects, locks: lockExecutions,
		columns: []column{asJSON("trigger_context"), asSaid("failure_message")},
	},
	{
		table: "steps", keys: []key{ofExecution, {"id", "text"}}, scope: inExecutions, locks: lockExecutions,
		columns: []column{asJSON("input"), asJSON("output"), asJSON("agent"), asJSON("callback"), asText("end_actor"), asSaid("error_message")},
	},
	{
		table: "events", keys: []key{ofExecution, {"seq", "bigint"}}, scope: inExecutions, locks: lockExecutions,
		columns: []column{asJSON("data")},
	},
	{
		table: "mails", keys: byID, where: "t.result IS NULL",
		columns: []column{asSaid("subject"), asSaid("body_text"), asSaid("body_html")},
	},
	{
		table: "attempts", keys: []key{{"destination_id", "text"}, {"started_at", "timestamptz"}, {"id", "text"}}, where: "t.message_id IS NOT NULL",
		columns: []column{asNull("response_body")},
	},
	{table: "organizations", keys: []key{{"key", "bigint"}}, scope: `(given.organizations IS NULL OR t.key = ANY (given.organizations))`, columns: []column{asJSON("extra")}},
	{table: "document_rows", keys: []key{{"key", "bigint"}}, scope: inOrganizations, where: ofWorkspace, columns: []column{asJSON("extra")}},
	{
		table: "profiles", keys: []key{{"organization_key", "bigint"}, {"user_id", "text"}}, scope: inOrganizations, where: ofWorkspace,
		columns: []column{asJSON("extra")},
	},
	{
		table: "source_versions", keys: []key{{"source_id", "text"}, {"version", "integer"}},
		columns: []column{{"metadata", "jsonb", asJSON("").erase}},
	},
	{table: "invitations", keys: byID, scope: inOrganizations, where: "t.invited_by IS NOT NULL", columns: []column{asNobody("invited_by")}},
	{table: "alerts", keys: byID, where: "t.dismissed_by IS NOT NULL", columns: []column{asText("dismissed_by")}},
	{table: "judgments", keys: []key{{"record_id", "text"}}, scope: inSubjects, columns: []column{asJSON("agent")}},
	{table: "agent_versions", keys: []key{{"agent_id", "text"}, {"version", "integer"}}, columns: []column{asJSON("behaviour")}},
	{table: "agent_groups", keys: byID, columns: []column{asJSON("metadata")}},
	{table: "notification_portions", keys: []key{{"job_id", "text"}, {"n", "integer"}}, columns: []column{asJSON("portion")}},
}

// elsewhere are the columns with people of which other statements take care, and what becomes of each.
var elsewhere = map[string]string{
	"profiles.user_id": "the row goes as the erasure is accepted, with grants and memberships of groups", "profiles.name": "likewise",
	"profiles.email": "likewise", "profiles.initial": "likewise", "profiles.photo_url": "likewise",
	"grants.user_id": "likewise", "user_group_members.user_id": "likewise",
	"notification_preferences.user_id": "the row goes as the erasure is accepted",
	"annotations.author_id":            "pseudonym", "annotations.author": "pseudonym", "annotations.resolved_by": "pseudonym",
	"annotations.status_updated_by": "pseudonym", "annotations.visible_to": "left out of the list", "annotations.assigned": "nobody",
	"annotations.last_author": "the author of the last comment that is left", "annotations.agent": "pseudonym in its values",
	"annotations.suggestion": "pseudonym in its values", "annotations.context": "pseudonym in its values",
	"comments.author_id": "the row goes", "comments.author": "the row goes", "comments.comment_text": "tags become [deleted user]",
	"comments.comment_html": "tags become [deleted user]", "comments.context": "pseudonym in its values", "comments.contacts": "left out of the list",
	"comments.agent": "pseudonym in its values", "annotation_mentions.user_id": "the row goes",
	"read_marks.user_id": "the row goes", "document_read_marks.user_id": "the row goes",
	"notification_recipients.user_id": "the row goes",
	"judgments.user_id":               "the row goes, from the index too", "judgments.user_name": "likewise", "judgments.user_email": "likewise",
	"judgments.reasoning": "what it quotes of a comment is as that is now", "judgments.content": "likewise",
	"former_members.user_id": "the row goes with the judgments",
	"step_reviewers.user_id": "pseudonym, with a number where a step has several", "step_reviewers.replaces": "pseudonym",
	"alerts.reviewer_id": "the row goes as the erasure is accepted", "alerts.found": "the row goes with the judgment that it quotes, or with the reviewer",
	"pattern_scopes.alerts": "emptied as the erasure is accepted, and looked for again",
	"mail_batches.user_id":  "the row goes with its mail",
	"mails.user_id":         "the row goes", "mails.recipient": "the row goes", "mails.recipient_name": "the row goes",
	"message_bodies.body": "the row goes, as if it were too old", "message_bodies.simple": "likewise",
	"invitations.user_id": "the row goes", "invitations.email": "the row goes", "invitations.email_key": "the row goes",
	"exports.user_id":   "the row goes, with the file",
	"erased_marks.mark": "the rows go with the last task",
}
