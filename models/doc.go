// Package models is the root of the packages that hold the rows of the service
// and the transactions over them: a package a thing, schema for the tables,
// internal/pg below all of them, internal/list for what they list. What is true stands in rows; Temporal and the
// vector index only follow.
//
// Here is what belongs to no single one of them: Open makes the pool from which
// every store is made, ReadBacklog counts what waits in all tables, and
// AllSealedColumns lists every sealed column, so that keys can be rotated.
//
// For all packages below: a store is made by its package's New from a DB, its
// methods take the workspace first after the context, and no query is without
// it. A package writes its own tables only; a transaction that spans several
// calls functions of the owners on the same pg.Tx or batch. Rows that
// Temporal has to hear of are the outbox themselves, nothing is handed over by
// memory alone. Times in rows are those of Postgres, taken after the lock. Rows that
// are read and written one by one are GORM's, by the structs in models/*/rows.go. SQL is
// by hand where a lock order, a plan or the number of round trips matters; a line
// above the statement, or for all of them the package's doc.go, says which.
//
// None of them may know HTTP, Temporal or any caller.
//
// A table has one owner, which alone writes it:
//
//	activity      activities
//	agent         agents, agent_secrets, agent_groups
//	annotation    annotations, comments, annotation_mentions, read_marks, document_read_marks,
//	              deleted_annotations
//	backup        none; it reads which files rows name
//	deletion      none; it removes rows of one workspace from all
//	definition    definitions, definition_versions, inbound_triggers, schedules
//	delivery      messages, message_bodies, deliveries, open_deliveries, attempts,
//	              destinations, endpoints, endpoint_secrets,
//	              webhook_settings, recoveries
//	directory     organizations, folders, document_rows, document_migrations, profiles, grants
//	execution     executions, deleted_executions, steps, step_reviewers, events, callback_tokens
//	group         user_groups, user_group_members
//	health        none; it asks Postgres of itself
//	job           jobs
//	judgment      judgments, judgment_index, judgment_vectors
//	knowledge     sources, source_versions, chunks, rules, vectors, uploads, unclaimed_files,
//	              index_generations, index_copies, index_uses
//	mail          mails, email_settings, step_mails, relay_uses
//	notification  notifications, notification_recipients, notification_preferences
//	person        exports, erasures, erased_marks
//	queue         work
//	quota         storage_use, storage_changes, storage_counts
//	pattern       patterns, pattern_runs, pattern_scopes
//	subject       subjects, former_members
//	workspace     workspaces, owners, api_keys, api_key_domains, auth_tokens, audit_rows,
//	              limit_overrides, rate_buckets, rate_uses, secret_canary, figures,
//	              permission_providers
package models
