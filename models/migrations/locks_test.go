package migrations_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/migrations"
)

// small are the tables that never have more than a handful of rows, with the reason:
// whatever is done to them takes no time.
var small = map[string]string{
	"secret_canary":     "one row",
	"index_generations": "a row for each time that the index was built anew",
}

// section is what one file does in one direction.
type section struct {
	statements []string
	// transaction says that they are one transaction.
	transaction bool
}

// sections reads the Up and the Down of a migration.
func sections(text string) map[string]section {
	found := map[string]section{}
	transaction := !strings.Contains(text, "-- +goose NO TRANSACTION")
	direction, statement, whole := "", "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch line {
		case "-- +goose Up", "-- +goose Down":
			direction = line[len("-- +goose "):]
		case "-- +goose StatementBegin":
			whole = true
		case "-- +goose StatementEnd":
			whole, statement = false, statement+";"
		}
		statement = strings.TrimSpace(statement + " " + code(line))
		if strings.HasSuffix(statement, ";") && !whole {
			s := section{append(found[direction].statements, normal(statement)), transaction}
			found[direction], statement = s, ""
		}
	}
	return found
}

// code is a line without its comment.
func code(line string) string {
	quoted := false
	for i := range line {
		if line[i] == '\'' {
			quoted = !quoted
		}
		if !quoted && strings.HasPrefix(line[i:], "--") {
			return strings.TrimSpace(line[:i])
		}
	}
	return line
}

// normal is a statement in small letters with single spaces.
func normal(statement string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.TrimRight(statement, "; ")), " "))
}

var (
	makesTable  = regexp.MustCompile(`^create (?:unlogged )?table (?:if not exists )?(\w+)`)
	makesDomain = regexp.MustCompile(`^create domain (\w+)`)
	makesIndex  = regexp.MustCompile(`^create (?:unique )?index (concurrently )?(?:if not exists )?(?:\w+ )?on (?:only )?(\w+)`)
	altersTable = regexp.MustCompile(`^alter table (?:if exists )?(?:only )?(\w+) (.*)$`)
	addsColumn  = regexp.MustCompile(`^add (?:column )?(?:if not exists )?\w+ (\w+)`)
	addsRule    = regexp.MustCompile(`^add (?:constraint|check|foreign|unique|primary|exclude)\b`)
	// costly are the parts of a new column that are computed or looked at for every row.
	costly = regexp.MustCompile(`\b(?:check|unique|primary key|generated)\b|\bdefault \w+\s*\(|\bdefault\b.*\breferences\b|\breferences\b.*\bdefault\b`)
	// brief are the changes of a table that touch no row.
	brief = regexp.MustCompile(`^(?:drop|rename|enable|disable|owner|set \(|reset \(|alter (?:column )?\w+ (?:drop|set default|set statistics|reset|set \())`)
	// total are the statements that take a table for themselves, whatever it is.
	total = regexp.MustCompile(`^(?:lock|cluster|vacuum full|vacuum \(full|truncate|refresh materialized view [^c]|reindex (?:\(.*\) )?(?:index|table|schema|database) [^c])`)
)

// locks gives the statements of a section that keep writers from a table while they
// read or rewrite all of it. Tables that the section has made itself are empty;
// domains are the names of those that any migration has made.
func (s section) locks(domains map[string]bool) (found []string) {
	made := map[string]bool{}
	for _, statement := range s.statements {
		if table := makesTable.FindStringSubmatch(statement); table != nil {
			made[table[1]] = true
		}
		if s.stops(statement, made, domains) {
			found = append(found, statement)
		}
	}
	return found
}

// stops gives whether a statement keeps writers from a table for long.
func (s section) stops(statement string, made, domains map[string]bool) bool {
	free := func(table string) bool { return made[table] || small[table] != "" }
	if index := makesIndex.FindStringSubmatch(statement); index != nil {
		return index[1] == "" && !free(index[2])
	}
	if rest, alters := strings.CutPrefix(statement, "alter domain "); alters {
		return strings.Contains(rest, " add ") && !strings.HasSuffix(rest, " not valid") || s.transaction && strings.Contains(rest, " validate ")
	}
	table := altersTable.FindStringSubmatch(statement)
	if table == nil {
		return total.MatchString(statement)
	}
	if free(table[1]) {
		return false
	}
	for _, action := range actions(table[2]) {
		if !s.isBrief(action, domains) {
			return true
		}
	}
	return false
}

// isBrief gives whether a change of a table takes no time: it touches no row, or it
// reads them beside writers.
func (s section) isBrief(action string, domains map[string]bool) bool {
	if addsRule.MatchString(action) {
		return strings.HasSuffix(action, " not valid") || strings.Contains(action, " using index ")
	}
	if column := addsColumn.FindStringSubmatch(action); column != nil {
		return !domains[column[1]] && !costly.MatchString(action)
	}
	if strings.HasPrefix(action, "validate constraint ") {
		return !s.transaction
	}
	return brief.MatchString(action)
}

// actions are the changes that one statement makes to a table: commas inside of
// brackets do not part them.
func actions(text string) (found []string) {
	depth, from := 0, 0
	for i, letter := range text {
		switch letter {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				found, from = append(found, strings.TrimSpace(text[from:i])), i+1
			}
		}
	}
	return append(found, strings.TrimSpace(text[from:]))
}

// No migration may keep writers from a table that can be large, neither upwards nor
// downwards. It makes indexes concurrently, adds rules NOT VALID and validates them in
// a file without a transaction, and adds a column instead of changing a type.
func TestNoMigrationLocksALargeTable(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.Files(), "*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	files, domains := map[string]map[string]section{}, map[string]bool{}
	for _, name := range names {
		text, err := fs.ReadFile(migrations.Files(), name)
		require.NoError(t, err)
		files[name] = sections(string(text))
		require.NotEmpty(t, files[name]["Up"].statements, name)
		require.NotEmpty(t, files[name]["Down"].statements, name)
		for _, statement := range files[name]["Up"].statements {
			if domain := makesDomain.FindStringSubmatch(statement); domain != nil {
				domains[domain[1]] = true
			}
		}
	}
	for _, name := range names {
		for direction, section := range files[name] {
			assert.Empty(t, section.locks(domains), "%s, %s", name, direction)
		}
	}
}

func TestWhatLocksATableIsRefused(t *testing.T) {
	t.Parallel()
	domains := map[string]bool{"state": true}
	for text, want := range map[string]bool{
		"CREATE INDEX a ON there (b);":                                          true,
		"CREATE UNIQUE INDEX a ON there (b);":                                   true,
		"CREATE INDEX IF NOT EXISTS a\n    ON there (b); -- small":              true,
		"CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON there (b);":               false,
		"CREATE TABLE here (b text);\nCREATE INDEX a ON here (b);":              false,
		"CREATE TABLE here (b text);\nALTER TABLE here ADD PRIMARY KEY (b);":    false,
		"CREATE INDEX a ON secret_canary (b);":                                  false,
		"ALTER TABLE there ALTER COLUMN a TYPE bigint;":                         true,
		"ALTER TABLE there ALTER a SET DATA TYPE bigint;":                       true,
		"ALTER TABLE there ALTER COLUMN a SET NOT NULL;":                        true,
		"ALTER TABLE there ALTER COLUMN a DROP NOT NULL;":                       false,
		"ALTER TABLE there ALTER COLUMN a SET DEFAULT 'x';":                     false,
		"ALTER TABLE there ADD CONSTRAINT c CHECK (a > 0);":                     true,
		"ALTER TABLE there ADD CONSTRAINT c CHECK (a > 0) NOT VALID;":           false,
		"ALTER TABLE there ADD FOREIGN KEY (a) REFERENCES other (a);":           true,
		"ALTER TABLE there ADD FOREIGN KEY (a) REFERENCES other (a) NOT VALID;": false,
		"ALTER TABLE there ADD PRIMARY KEY (a);":                                true,
		"ALTER TABLE there ADD CONSTRAINT c PRIMARY KEY USING INDEX a;":         false,
		"ALTER TABLE there DROP COLUMN a, ADD UNIQUE (b, c);":                   true,
		"ALTER TABLE there DROP CONSTRAINT a, DROP COLUMN b;":                   false,
		"ALTER TABLE there VALIDATE CONSTRAINT c;":                              true,
		"-- +goose NO TRANSACTION\nALTER TABLE there VALIDATE CONSTRAINT c;":    false,
		"ALTER TABLE there ADD COLUMN a text;":                                  false,
		"ALTER TABLE there ADD COLUMN a text NOT NULL DEFAULT 'x';":             false,
		"ALTER TABLE there ADD COLUMN a text REFERENCES other (a);":             false,
		"ALTER TABLE there ADD COLUMN a text DEFAULT 'x' REFERENCES other (a);": true,
		"ALTER TABLE there ADD COLUMN a text CHECK (a <> '');":                  true,
		"ALTER TABLE there ADD COLUMN a timestamptz DEFAULT clock_timestamp();": true,
		"ALTER TABLE there ADD COLUMN a state;":                                 true,
		"ALTER TABLE there SET LOGGED;":                                         true,
		"ALTER DOMAIN state ADD CONSTRAINT c CHECK (VALUE <> '');":              true,
		"ALTER DOMAIN state ADD CONSTRAINT c CHECK (VALUE <> '') NOT VALID;":    false,
		"LOCK TABLE there;":        true,
		"CLUSTER there USING a;":   true,
		"VACUUM FULL there;":       true,
		"REINDEX TABLE there;":     true,
		"INSERT INTO there SELECT": false,
		"-- +goose StatementBegin\nCREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$\nLOCK TABLE there;\n$$;\n-- +goose StatementEnd": false,
	} {
		up := sections("-- +goose Up\n" + text)["Up"]
		assert.Equal(t, want, len(up.locks(domains)) > 0, text)
	}
}
