package knowledge

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// drawnRows are the chunks or the rules of a version, in their order.
type drawnRows struct {
	table   string
	columns []string
	count   int
	row     func(i int) []any
}

func chunkRows(chunks []StoredChunk) drawnRows {
	return drawnRows{"chunks", []string{"path", "content", "tokens"}, len(chunks), func(i int) []any {
		return []any{chunks[i].Path, chunks[i].Content, chunks[i].Tokens}
	}}
}

func ruleRows(rules []StoredRule) drawnRows {
	return drawnRows{"rules", []string{"id", "content", "category", "identity"}, len(rules), func(i int) []any {
		return []any{rules[i].ID, rules[i].Content, pg.Optional(rules[i].Category), rules[i].Identity}
	}}
}

// idsOf gives the ids of rules by what they say.
func idsOf(rules []ruleRow) map[string]string {
	known := make(map[string]string, len(rules))
	for _, rule := range rules {
		known[string(rule.Identity)] = rule.ID
	}
	return known
}

// keepIDs gives rules the ids that they had, by what they say.
func keepIDs(rules []StoredRule, known map[string]string) []StoredRule {
	kept := make([]StoredRule, len(rules))
	for i, r := range rules {
		if before, ok := known[string(r.Identity)]; ok {
			r.ID = before
		}
		kept[i] = r
	}
	return kept
}

// write stores the rows, by hand: all in one copy.
func (d drawnRows) write(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{d.table}, append([]string{"workspace_id", "source_id", "version", "ordinal"}, d.columns...),
		pgx.CopyFromSlice(d.count, func(i int) ([]any, error) {
			return append([]any{v.WorkspaceID, v.SourceID, v.Version, i}, d.row(i)...), nil
		}))
	return err
}

// clear removes the rows of an earlier try.
func (d drawnRows) clear(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	_, err := tx.Exec(ctx, `DELETE FROM `+d.table+` WHERE workspace_id = $1 AND source_id = $2 AND version = $3`, v.WorkspaceID, v.SourceID, v.Version)
	return err
}
