package person

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// walkedAtOnce is how many rows one portion of an erasure looks at, fewer where there are many marks.
const walkedAtOnce = 1000

// walk looks at rows of a place behind a position and puts the pseudonym into those that name people. It returns the position of
// the last one, nil when there are no more, and how many it has changed. A portion that is not full was the last one, though rows
// come on: whoever waited for one without any would never end where somebody writes all the time.
func (e *erasure) walk(ctx context.Context, tx *pg.Tx, p place, after []string) (last []string, changed int, err error) {
	found, err := e.look(ctx, tx, p, after)
	if err != nil || len(found) == 0 {
		return nil, 0, err
	}
	var named [][]string
	for _, row := range found {
		if row.named {
			named = append(named, row.at)
		}
	}
	if len(named) > 0 {
		if changed, err = e.eraseRows(ctx, tx, p, named); err != nil {
			return nil, 0, err
		}
	}
	if len(found) < e.marks.AtOnce(walkedAtOnce) {
		return nil, changed, nil
	}
	return found[len(found)-1].at, changed, nil
}

// lookedAt is a row by its position, and whether it may name people.
type lookedAt struct {
	at    []string
	named bool
}

// look looks at rows behind a position.
func (e *erasure) look(ctx context.Context, tx *pg.Tx, p place, after []string) ([]lookedAt, error) {
	rows, err := tx.Query(ctx, p.statement(after != nil), e.workspaceID, e.organizations, e.subjects, e.marks.All(), after, e.marks.AtOnce(walkedAtOnce))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (l lookedAt, err error) { return l, row.Scan(&l.at, &l.named) })
}

// statement looks at rows of the workspace, from the first on or behind the position that is given.
func (p place) statement(behind bool) string {
	conditions := []string{"t.workspace_id = given.workspace"}
	for _, condition := range []string{p.scope, p.where} {
		if condition != "" {
			conditions = append(conditions, condition)
		}
	}
	if behind {
		conditions = append(conditions, "("+p.names()+") > ("+p.values("given.after")+")")
	}
	said := make([]string, len(p.columns))
	for i, c := range p.columns {
		said[i] = "t." + c.name + "::text"
	}
	return fmt.Sprintf(`SELECT ARRAY[%s]::text[], may_name(concat_ws(' ', %s), given.marks)
FROM (SELECT $1::text AS workspace, $2::bigint[] AS organizations, $3::bigint[] AS subjects, $4::text[] AS marks, $5::text[] AS after) given, %s t
WHERE %s ORDER BY %s LIMIT $6`, p.texts(), strings.Join(said, ", "), p.table, strings.Join(conditions, " AND "), p.names())
}

// names are the keys, texts these as texts, values their values in an array of texts.
func (p place) names() string {
	return p.each(func(k key, _ int) string { return "t." + k.name })
}

func (p place) texts() string {
	return p.each(func(k key, _ int) string { return "t." + k.name + "::text" })
}

func (p place) values(array string) string {
	return p.each(func(k key, n int) string { return fmt.Sprintf("(%s)[%d]::%s", array, n, k.sqlType) })
}

func (p place) each(write func(k key, n int) string) string {
	all := make([]string, len(p.keys))
	for i, k := range p.keys {
		all[i] = write(k, i+1)
	}
	return strings.Join(all, ", ")
}

// eraseRows holds rows, reads them and stores those that are others without the people.
func (e *erasure) eraseRows(ctx context.Context, tx *pg.Tx, p place, named [][]string) (changed int, err error) {
	if p.locks != "" {
		first := make([]string, len(named))
		for i, at := range named {
			first[i] = at[0]
		}
		if _, err := tx.Exec(ctx, p.locks, e.workspaceID, pg.Distinct(first)); err != nil {
			return 0, err
		}
	}
	for _, at := range named {
		one, err := e.eraseRow(ctx, tx, p, at)
		if err != nil {
			return changed, err
		}
		if one {
			changed++
		}
	}
	return changed, nil
}

// eraseRow stores one row without the people, and reports whether they were in it.
func (e *erasure) eraseRow(ctx context.Context, tx *pg.Tx, p place, at []string) (changed bool, err error) {
	stored, into := make([]*string, len(p.columns)), make([]any, len(p.columns))
	read, set := make([]string, len(p.columns)), []string{}
	for i, c := range p.columns {
		into[i], read[i] = &stored[i], "t."+c.name+"::text"
		if c.sqlType == "text[]" {
			read[i] = "to_json(t." + c.name + ")::text"
		}
	}
	which := ` WHERE t.workspace_id = $1 AND (` + p.names() + `) = (` + p.values("$2::text[]") + `)`
	err = tx.QueryRow(ctx, `SELECT `+strings.Join(read, ", ")+` FROM `+p.table+` t`+which+` FOR NO KEY UPDATE`, e.workspaceID, at).Scan(into...)
	if pg.IsNoRow(err) {
		return false, nil // it went meanwhile
	}
	if err != nil {
		return false, err
	}
	args := []any{e.workspaceID, at}
	for i, c := range p.columns {
		if stored[i] == nil {
			continue
		}
		erased := c.erase(e.marks, *stored[i])
		if erased == nil || *erased != *stored[i] {
			args = append(args, erased)
			set = append(set, c.assign(len(args)))
		}
	}
	if len(set) == 0 {
		return false, nil
	}
	_, err = tx.Exec(ctx, `UPDATE `+p.table+` t SET `+strings.Join(set, ", ")+which, args...)
	return true, err
}

// assign sets the column to a parameter.
func (c column) assign(parameter int) string {
	if c.sqlType == "text[]" {
		return fmt.Sprintf("%s = ARRAY(SELECT json_array_elements_text($%d::text::json))", c.name, parameter)
	}
	return fmt.Sprintf("%s = $%d::text::%s", c.name, parameter, c.sqlType)
}
