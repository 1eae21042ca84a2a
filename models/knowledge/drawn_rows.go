package knowledge

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/vector"
)

// drawnRows are the chunks or the rules of a version, in their order.
type drawnRows struct {
	corpus  vector.Corpus
	columns []string
	count   int
	row     func(i int) []any
	// text is what a row is found by, as textOfRow reads it.
	text func(i int) string
}

func chunkRows(chunks []StoredChunk) drawnRows {
	return drawnRows{
		vector.Chunks,
		[]string{"path", "content", "tokens"},
		len(chunks),
		func(i int) []any { return []any{chunks[i].Path, chunks[i].Content, chunks[i].Tokens} },
		func(i int) string { return chunks[i].Path + "\n" + chunks[i].Content },
	}
}

func ruleRows(rules []StoredRule) drawnRows {
	return drawnRows{
		vector.Rules,
		[]string{"id", "content", "category", "identity"},
		len(rules),
		func(i int) []any {
			return []any{rules[i].ID, rules[i].Content, pg.Optional(rules[i].Category), rules[i].Identity}
		},
		func(i int) string { return rules[i].Category + "\n" + rules[i].Content },
	}
}

// idsOf returns the ids of rules by what they say.
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

// names are the hashes that vectors are found by, by the SHA-256 of the texts of their
// rows. They differ where a model took less of a text than there was.
type names map[[sha256.Size]byte][]byte

// write stores the rows, by hand: all in one copy. Those whose text has a name keep it.
func (d drawnRows) write(ctx context.Context, tx *pg.Tx, v VersionRef, known names) error {
	columns := append([]string{"workspace_id", "source_id", "version", "ordinal", "text_hash"}, d.columns...)
	_, err := tx.CopyFrom(ctx, pgx.Identifier{corpusTables[d.corpus].table}, columns, pgx.CopyFromSlice(d.count, func(i int) ([]any, error) {
		var name []byte
		if len(known) > 0 {
			name = known[sha256.Sum256([]byte(d.text(i)))]
		}
		return append([]any{v.WorkspaceID, v.SourceID, v.Version, i, name}, d.row(i)...), nil
	}))
	return err
}

// replace writes the rows in the place of those of an earlier try. What stands there
// again keeps its vector; those that no row names any more go.
func (d drawnRows) replace(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	known, former, err := d.clear(ctx, tx, v)
	if err != nil {
		return err
	}
	if err := d.write(ctx, tx, v, known); err != nil || len(former) == 0 {
		return err
	}
	return dropUnnamed(ctx, tx, v.WorkspaceID, former)
}

// clearRows is by hand for what it gives back: of texts that have a vector its name.
const clearRows = `
WITH gone AS (DELETE FROM %[1]s r WHERE r.workspace_id = $1 AND r.source_id = $2 AND r.version = $3
    RETURNING sha256(convert_to(` + textOfRow + `, 'UTF8')) AS text, r.text_hash)
SELECT text, text_hash FROM gone WHERE text_hash IS NOT NULL`

// clear removes the rows of an earlier try. It returns the names that their texts had, by
// the text and all of them.
func (d drawnRows) clear(ctx context.Context, tx *pg.Tx, v VersionRef) (known names, former [][]byte, err error) {
	t := corpusTables[d.corpus]
	rows, err := tx.Query(ctx, fmt.Sprintf(clearRows, t.table, t.item, t.path), v.WorkspaceID, v.SourceID, v.Version)
	if err != nil {
		return nil, nil, err
	}
	known = names{}
	var text, name []byte
	_, err = pgx.ForEachRow(rows, []any{&text, &name}, func() error {
		known[[sha256.Size]byte(text)] = name
		former = append(former, name)
		return nil
	})
	return known, former, err
}
