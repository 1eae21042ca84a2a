package models_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// owners are the tables of each package: nobody else writes them.
var owners = map[string]string{
	"workspace":    `workspaces owners api_keys api_key_domains auth_tokens audit_rows limit_overrides rate_buckets rate_uses secret_canary figures permission_providers`,
	"directory":    `organizations folders documents document_migrations profiles grants`,
	"delivery":     `messages message_bodies deliveries open_deliveries delivery_attempts endpoint_attempts destinations origins`,
	"endpoint":     `endpoints endpoint_secrets webhook_settings recoveries`,
	"mail":         `mails email_settings step_mails`,
	"job":          `jobs`,
	"judgment":     `judgments judgment_index judgment_vectors`,
	"pattern":      `patterns pattern_changes pattern_runs pattern_scopes`,
	"subject":      `subjects departures`,
	"definition":   `definitions definition_versions inbound_triggers schedules`,
	"execution":    `executions steps step_reviewers events callback_tokens`,
	"agent":        `agents agent_secrets`,
	"annotation":   `annotations comments annotation_mentions read_marks document_read_marks deleted_annotations`,
	"activity":     `activities`,
	"group":        `user_groups user_group_members`,
	"notification": `notifications notification_recipients notification_preferences`,
	"knowledge":    `sources source_versions chunks rules vectors uploads unclaimed_files index_generations index_copies index_uses`,
}

// partWrites are the tables that a part of a package writes for the whole.
var partWrites = map[string][]string{
	"annotation/change": {"comments"}, // which of them have got judgments, as these are stored
}

// foreignReads are the tables of others that the statements of a package read,
// each because a join or one statement more would cost a round trip there. What
// is not obvious has its reason beside it.
var foreignReads = map[string][]string{
	".": {"executions", "jobs", "judgment_index", "open_deliveries", "origins", "schedules", "source_versions"}, // the backlog counts what waits in all of them
	"activity": {
		"annotations", "deleted_annotations", // who may see what a record is about
		"documents", "folders", "organizations",
	},
	"annotation": {
		"activities", // whether there are any about what is deleted
		"documents", "organizations",
		"workspaces", // the settings that an added comment follows, and the time after the lock
	},
	"annotation/change": {
		"annotations", "comments", // what stands before the change
		"documents", "folders", // in which folder an annotation is, for its events
	},
	"annotation/view": {"annotation_mentions", "annotations", "comments", "document_read_marks", "documents", "folders", "organizations", "read_marks"}, // it shows what the package annotation keeps
	"definition": {
		"api_keys",   // who an inbound trigger's key belongs to
		"executions", // one that has executions leaves a tombstone
		"workspaces", // as api_keys
	},
	"delivery": {
		"documents",        // names and metadata that a message carries
		"email_settings",   // a mail starts only while its trigger is on
		"endpoint_secrets", // what signs a claimed message
		"endpoints",        // whom an event reaches; where a claimed message goes
		"events",           // the body of a claimed event
		"executions",       // the receiver of a claimed event
		"mails",            // the template of a mail that starts late
		"organizations",    // as documents
		"webhook_settings", // whether and in which form events are published
	},
	"directory": {
		"jobs",       // a migration that ended within a day
		"workspaces", // the default access of what is made
	},
	"directory/view": {"documents", "folders", "grants", "profiles", "user_group_members", "user_groups"}, // it shows what directory and group keep
	"endpoint": {
		"deliveries",        // the list of messages shows what has become of each
		"endpoint_attempts", // the list of attempts
		"limit_overrides",   // the quota of endpoints
		"message_bodies",    // as deliveries
		"messages",          // as deliveries
		"open_deliveries",   // as deliveries
	},
	"execution": {
		"agents",                             // the name of an agent whose resolution is a judgment
		"definition_versions", "definitions", // the version that a dispatch pins, under a lock of the definition
		"email_settings",            // whether reviewers get mails
		"organizations", "profiles", // the addresses of reviewers
		"webhook_settings", // whether events are published
		"workspaces",       // whether the workspace of a token is suspended
	},
	"annotation/selection": {"annotations"},                                     // it holds what the package annotation keeps
	"execution/view":       {"events", "executions", "step_reviewers", "steps"}, // it shows what the package execution keeps
	"group":                {"grants", "organizations"},                         // who is a member of what
	"judgment": {
		"departures",                // who left, with what is to be removed
		"documents",                 // names, as they were when it was made
		"index_generations",         // where judgments are found, and whether that still serves
		"organizations", "profiles", // as documents
		"subjects", // of which something is left
	},
	"knowledge": {
		"judgment_index", // whether a generation that is to serve has all judgments
		"judgments",      // whether the index holds any of a workspace
		"subjects",       // to which nothing is scoped any more
		"workspaces",     // whether it is suspended
	},
	"mail": {
		"annotations", "comments", "documents", // what a mail about a comment says, as it is when it leaves
		"organizations", // whether the document's and the recipient's is there still
		"workspaces",    // the plan, for the operator's relay
	},
	"notification": {
		"annotations", "comments", // what a notification says, as it is when it is read
		"document_read_marks",                   // how far its recipients have read
		"documents", "folders", "organizations", // as annotations
		"read_marks", // as document_read_marks
	},
	"pattern": {
		"index_generations",                               // the model whose vectors serve
		"jobs",                                            // whether a workspace has one open
		"judgment_index", "judgment_vectors", "judgments", // what patterns are found among
		"workspaces", // those that an operator names
	},
	"search": {"chunks", "index_generations", "index_uses", "rules", "source_versions", "sources", "vectors"}, // it finds what the package knowledge keeps
}

// unnamedWrites are the files whose statements get the name of a table at run
// time, and which those are.
var unnamedWrites = map[string]string{
	"annotation/update_users.go": "both kinds of read marks, of users in the place of others",
	"annotation/marks.go":        "both kinds of read marks, moved and removed alike",
	"knowledge/drawn_rows.go":    "chunks and rules, written alike",
	"knowledge/vectors.go":       "chunks and rules, whose hashes are noted alike",
	"workspace/rewrap.go":        "every sealed column, under new keys; the value that is sealed stays",
}

// fixtures of tests and what has no table of the schema.
var notHeld = []string{"migrations", "modelstest", "pgtest"}

func TestEveryTableHasOneOwner(t *testing.T) {
	var owned []string
	for _, tables := range owners {
		owned = append(owned, strings.Fields(tables)...)
	}
	require.ElementsMatch(t, tableNames(t), owned)
}

func TestPackagesWriteTheirOwnTablesAndReadThoseOnTheList(t *testing.T) {
	tables := tableNames(t)
	folders, err := sourcesBelow(".")
	require.NoError(t, err)
	require.Subset(t, slices.Collect(maps.Keys(folders)), slices.Collect(maps.Keys(owners)))
	unnamed := map[string]bool{}
	for folder, sources := range folders {
		if slices.Contains(notHeld, folder) {
			continue
		}
		use, err := sqlOf(sources)
		require.NoError(t, err)
		own := strings.Fields(owners[folder])
		for table, file := range use.writes {
			require.Contains(t, slices.Concat(own, partWrites[folder]), table, "%s/%s writes a table of another package", folder, file)
		}
		for file := range use.unnamed {
			unnamed[folder+"/"+file] = true
		}
		foreign := []string{}
		for table := range use.reads {
			if slices.Contains(tables, table) && !slices.Contains(own, table) {
				foreign = append(foreign, table)
			}
		}
		require.ElementsMatch(t, foreignReads[folder], foreign, "%s: what it reads of others stands on the list, and nothing else: %v", folder, use.reads)
		require.True(t, slices.IsSorted(foreignReads[folder]), "%s: the list is sorted", folder)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(unnamedWrites)), slices.Collect(maps.Keys(unnamed)))
}

// Packages without an entry read nothing of others, and entries without a package
// are gone.
func TestListsNamePackages(t *testing.T) {
	for folder := range foreignReads {
		require.DirExists(t, folder)
	}
}

// The statements that the test above must see.
func TestStatementsAreFound(t *testing.T) {
	for text, want := range map[string]sqlUse{
		"const q = `INSERT INTO a (x) SELECT x FROM b JOIN c ON true ON CONFLICT DO UPDATE SET x = 1`": wrote("a").read("b", "c"),
		"var q = `UPDATE a t SET x = 1 FROM unnest($1) u WHERE t.x = u`":                               wrote("a").read("unnest"),
		"const t = `a`\nconst q = `DELETE FROM ` + t + ` USING b`":                                     wrote("a").read("b"),
		"func f(t string) { run(`DELETE FROM ` + t) }":                                                 wrote().hidden(),
		"var q = fmt.Sprintf(`UPDATE %[1]s SET x = 1`, t)":                                             wrote().hidden(),
		"var q = `SELECT FROM a FOR UPDATE`":                                                           wrote().read("a"),
		"var q = `SELECT FROM a x, b AS y, c WHERE true`":                                              wrote().read("a", "b", "c"),
		"var q = `SELECT FROM ONLY a, LATERAL (SELECT FROM b) z`":                                      wrote().read("a", "b"),
		"var q = pgx.Identifier{`a`}":                                                                  wrote("a"),
		"var q = pgx.Identifier{t}":                                                                    wrote().hidden(),
		"func (r row) TableName() string { return `a` }":                                               wrote("a"),
		"var q = TwoWay{From: `a WHERE x = $1`}":                                                       wrote().read("a"),
		"// DELETE FROM a\nvar q = `to update a, delete from b`":                                       wrote(),
	} {
		found, err := sqlOf(map[string]string{"x.go": "package x\n" + text})
		require.NoError(t, err, text)
		require.Equal(t, want, found, text)
	}
}

func wrote(tables ...string) sqlUse {
	u := sqlUse{writes: map[string]string{}, reads: map[string]string{}, unnamed: map[string]bool{}}
	for _, table := range tables {
		u.writes[table] = "x.go"
	}
	return u
}

func (u sqlUse) read(tables ...string) sqlUse {
	for _, table := range tables {
		u.reads[table] = "x.go"
	}
	return u
}

func (u sqlUse) hidden() sqlUse {
	u.unnamed["x.go"] = true
	return u
}

// tableNames are the tables that the migrations leave.
func tableNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	tables := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, found := range created.FindAllStringSubmatch(up, -1) {
			tables[found[1]] = true
		}
		for _, found := range dropped.FindAllStringSubmatch(up, -1) {
			delete(tables, found[1])
		}
	}
	require.NotEmpty(t, tables)
	return slices.Collect(maps.Keys(tables))
}
