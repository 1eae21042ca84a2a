package directory

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// MaxUserDocuments is how many documents of one user are named.
const MaxUserDocuments = 100

// Granted are the documents that are granted to a user: the last MaxUserDocuments that
// were granted, newest grant first, and how many these are in all.
type Granted struct {
	DocumentIDs []string
	Count       int64
}

//go:embed granted_documents.sql
var grantedDocuments string

// grantedAtOnce is of how many users documents are read at once.
const grantedAtOnce = 50

// readGranted adds to users the documents that are granted to them, until there is more of
// these than an answer holds, and returns of how many users that is.
func (f UserFilter) readGranted(ctx context.Context, q pg.Queryer, workspaceID string, users []UserView) (done int, err error) {
	bytes := 0
	for done < len(users) && bytes <= list.AnswerLimit {
		some := users[done:min(done+grantedAtOnce, len(users))]
		byID := map[string]*Granted{}
		var ids []string
		for i := range some {
			some[i].Granted = &Granted{DocumentIDs: []string{}}
			byID[some[i].UserID] = some[i].Granted
			ids = append(ids, some[i].UserID)
		}
		rows, err := q.Query(ctx, grantedDocuments, pgx.NamedArgs{
			"workspace": workspaceID, "organization": f.OrganizationID, "users": ids, "most": MaxUserDocuments,
		})
		if err != nil {
			return done, err
		}
		var user, document string
		var count int64
		_, err = pgx.ForEachRow(rows, []any{&user, &document, &count}, func() error {
			of := byID[user]
			of.DocumentIDs, of.Count = append(of.DocumentIDs, document), count
			bytes += len(document) + quotedBytes
			return nil
		})
		if err != nil {
			return done, err
		}
		done += len(some)
	}
	return done, nil
}

// quotedBytes is what stands around a text in a list.
const quotedBytes = 3

// UserCount says who is counted: who has a grant on the organization that counts, on one
// document, or on any; of these one user alone where one is named.
type UserCount struct {
	OrganizationID, DocumentID string
	AllDocuments               bool
	UserID                     string
}

// Count returns how many people these are.
func (s *Users) Count(ctx context.Context, workspaceID string, c UserCount) (n int64, err error) {
	q := pg.NewConditions(workspaceID)
	q.And("g.organization_key = "+OrganizationOf, c.OrganizationID)
	q.Equal("g.user_id", c.UserID)
	from := `SELECT DISTINCT g.user_id FROM grants g` + onADocument
	switch {
	case c.DocumentID != "":
		q.And("d.document_id = %s", c.DocumentID)
	case !c.AllDocuments:
		from = `SELECT g.user_id FROM grants g`
		q.Parts = append(q.Parts, "g.folder_key IS NULL AND g.document_key IS NULL")
	default:
	}
	err = s.db.CountMany(ctx, workspaceID, func() error {
		return s.db.Pool.QueryRow(ctx, `SELECT count(*) FROM (`+from+` WHERE g.workspace_id = $1 AND `+Unexpired+q.Text()+`) people`, q.Args...).Scan(&n)
	})
	return n, err
}
