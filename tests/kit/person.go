package kit

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Person is a person who is found wherever they are: nothing else has what they are known by.
type Person struct {
	ID, Name, Email, Photo string
	// Mark stands in each of these.
	Mark string
}

// NewPerson makes one whom nobody else is.
func NewPerson() Person {
	u := Unique("mark")
	return Person{"id-" + u, "Name " + u, u + "@tests.example.com", "https://person.test/" + u, u}
}

// Marks are what they are known by.
func (m Person) Marks() []string { return []string{m.ID, m.Name, m.Email, m.Photo} }

// User is the person in a call, with more fields.
func (m Person) User(more ...map[string]any) map[string]any {
	all := map[string]any{"userId": m.ID, "name": m.Name, "email": m.Email, "photoUrl": m.Photo}
	for _, fields := range more {
		maps.Copy(all, fields)
	}
	return all
}

// TakesPart lets a person take part in everything that keeps people, beside somebody else.
func TakesPart(env *Env, m Person, other string) {
	env.T.Helper()
	Hooked(env)
	EndpointAt(env, "/told")
	m.joins(env, other)
	m.comments(env, other)
	m.isTold(env, other)
	Dispatch(env, Define(env, []redline.NodeInput{client.Human("review", m.ID, other), client.Mock("end")}, client.Both("review", "end")...), func(d *redline.DispatchRequest) {
		d.TriggerContext = map[string]any{"author": m.User(), "name": m.Name, "note": "as " + other + " said"}
	})
	env.Call(client.CreateAgentGroup, map[string]any{"name": "reviewers", "metadata": map[string]any{"lead": m.User()}}, nil)
	Record(env, With(Verdict(m.ID, "approve", map[string]any{"organizationId": "acme"}), map[string]any{"actionUser": m.User()}))
	Record(env, With(Verdict(m.ID, "reject"), map[string]any{"actionUser": m.User()}))
	env.Call(client.ExportUserData, InAcme(map[string]any{"userId": m.ID}), nil)
}

// joins makes the person a member, of a group and of documents, about whom others say something too.
func (m Person) joins(env *Env, other string) {
	env.T.Helper()
	env.Call(client.UpdateEmails, map[string]any{"useEmailService": true}, nil)
	env.Call(client.AddUsers, InAcme(map[string]any{"users": []any{m.User(map[string]any{"phone": m.Email}), map[string]any{"userId": other, "name": "Other", "boss": m.ID}}}), nil)
	env.Call(client.AddUsers, InAcme(map[string]any{"users": []any{m.User()}, "documentId": "d", "createDocument": true}), nil)
	Items(env, client.AddGroups, Groups("acme", "g"))
	env.Call(client.AddGroupUsers, InAcme(map[string]any{"organizationUserGroupId": "g", "userIds": []string{m.ID}}), nil)
	env.Call(client.SetPreferences, InAcme(map[string]any{"userIds": []string{m.ID}, "config": map[string]any{"inbox": "ALL"}}), nil)
}

// comments lets the person write, be tagged, be assigned and be named beside comments.
func (m Person) comments(env *Env, other string) {
	env.T.Helper()
	by := func(text string) map[string]any {
		return Wrote(m.ID, text, Loud, TriggerActivities, map[string]any{"from": m.User()})
	}
	tagging := Wrote(other, "Ask {{"+m.ID+"}} today", Loud, TriggerActivities, map[string]any{
		"commentHtml": "<b>{{" + m.ID + "}}</b>", "context": map[string]any{"for": m.ID, "n": 1},
		"attachments":        []any{map[string]any{"name": "a", "metadata": map[string]any{"by": m.User()}}},
		"progress":           map[string]any{"state": "active", "visibleToUserIds": []string{m.ID, other}},
		"actions":            []any{map[string]any{"id": "x", "metadata": map[string]any{"for": m.ID}}},
		"taggedUserContacts": []any{map[string]any{"userId": m.ID, "contact": map[string]any{"userId": m.ID, "name": m.Name, "email": m.Email}}},
	})
	Annotate(env, Made("d",
		With(Annotated("theirs", tagging, by("mine in theirs")), map[string]any{"assignedTo": m.User(), "context": map[string]any{"owner": m.User()}, "pageInfo": map[string]any{"by": m.User()}}),
		Annotated("mine", by("I said so")),
		Annotated("mixed", by("root"), Wrote(other, "stays")),
		VisibleTo(Annotated("listed", Wrote(other, "For one only")), m.ID)))
	env.Call(client.UpdateAnnotations, InAcme(InDocument("d"), map[string]any{
		"annotationIds": []string{"mixed"}, "actionUser": m.User(), "triggerActivities": true,
		"updatedData": map[string]any{"resolvedByUserId": m.ID, "assignedTo": m.User()},
	}), nil)
	env.Call(client.ReadAnnotations, InAcme(InDocument("d"), map[string]any{"userId": m.ID}), nil)
}

// isTold notifies the person and somebody else, notes what the person did, and invites both.
func (m Person) isTold(env *Env, other string) {
	env.T.Helper()
	env.Call(client.AddNotification, Doc("d", map[string]any{
		"displayHeadlineMessageTemplate": "{actionUser.name} printed it", "displayBodyMessage": m.Name,
		"actionUser": m.User(), "notifyUsers": []any{m.User(), map[string]any{"userId": other}}, "metadata": map[string]any{"by": m.User()},
		"notificationSourceData": map[string]any{"of": m.ID},
	}), nil)
	AddActivities(env, "d", Activity(m.ID, "x", map[string]any{
		"actionUser": m.User(), "entityData": map[string]any{"by": m.User()}, "displayMessageTemplate": "{{actionUser.name}} did it",
		"changes": map[string]any{"who": map[string]any{"from": m.ID, "to": nil}},
	}))
	for _, invited := range []map[string]any{{"email": m.Email}, {"email": Unique("other") + "@example.com", "invitedBy": m.User()}} {
		env.Call(client.AddInvitation, InAcme(map[string]any{"type": "org_user"}, invited), nil)
	}
}

// staysOfPeople is what an erasure leaves alone: the audit, and definitions, which are the caller's own.
var staysOfPeople = []string{"audit_rows", "definitions", "definition_versions", "inbound_triggers"}

// RowsWith returns a row of each table in which one of the marks stands, but of those that an erasure leaves alone.
func RowsWith(env *Env, marks []string) (found []string) {
	env.T.Helper()
	db := env.DB()
	rows, err := db.Query(env.Ctx, `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	require.NoError(env.T, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(env.T, err)
	for _, table := range tables {
		if slices.Contains(staysOfPeople, table) {
			continue
		}
		text := "t::text"
		if table == "message_bodies" {
			text = "convert_from(t.body, 'UTF8')"
		}
		var row *string
		err := db.QueryRow(env.Ctx, fmt.Sprintf(`SELECT min(%[1]s) FROM %[2]s t WHERE EXISTS (SELECT FROM unnest($1::text[]) m WHERE position(m in %[1]s) > 0)`, text, table), marks).Scan(&row)
		require.NoError(env.T, err, table)
		if row != nil {
			found = append(found, table+": "+*row)
		}
	}
	return found
}

// FilesWith returns the files of the workspace in which one of the marks stands; of archives, in what is in them.
func FilesWith(env *Env, marks []string) (found []string) {
	env.T.Helper()
	err := filepath.WalkDir(Shared.Env["REDLINE_BLOB_DIR"], func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(path, env.Workspace.ID) {
			return nil //nolint:nilerr // a file may go while others are looked at
		}
		for name, content := range contents(path) {
			if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(content, mark) }) {
				found = append(found, path+" "+name)
			}
		}
		return nil
	})
	require.NoError(env.T, err)
	return found
}

// contents are those of a file, or of the files in an archive.
func contents(path string) map[string]string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil // it went
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return map[string]string{"": string(raw)}
	}
	all := map[string]string{}
	for _, f := range archive.File {
		if opened, err := f.Open(); err == nil {
			text, _ := io.ReadAll(opened)
			all[f.Name] = string(text)
		}
	}
	return all
}

// ObjectsWith returns the collections of the index that have one of the marks in an object of the workspace.
func ObjectsWith(env *Env, marks []string) (found []string) {
	env.T.Helper()
	for _, collection := range Collections(env) {
		var objects json.RawMessage
		Weaviate(env.T, http.MethodGet, "objects?limit=1000&class="+collection+"&tenant="+url.QueryEscape(env.Workspace.ID), &objects)
		if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(string(objects), mark) }) {
			found = append(found, collection+": "+string(objects))
		}
	}
	return found
}
