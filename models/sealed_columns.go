package models

import (
	"slices"

	"github.com/redline-svc/redline/models/workspace"
)

// AllSealedColumns lists every sealed column of the schema, so that keys can be
// rotated: whoever adds a column that secret.Box seals adds its line here, and an
// index on sealed_under of it, by which its values are counted. A
// test compares the list with the names of the schema's bytea columns.
var AllSealedColumns = slices.Concat(workspace.SealedColumns, []workspace.SealedColumn{
	{Table: "definition_versions", Column: "receiver_secret", Row: "id", Workspace: "workspace_id"},
	{Table: "inbound_triggers", Column: "secret_sealed", Row: "id", Workspace: "workspace_id"},
	{Table: "executions", Column: "receiver_secret", Row: "id", Workspace: "workspace_id"},
	{Table: "executions", Column: "webhook_auth", Row: "id", Workspace: "workspace_id"},
	{Table: "endpoint_secrets", Column: "secret_sealed", Row: "id", Workspace: "workspace_id"},
	{Table: "endpoints", Column: "token_sealed", Row: "id", Workspace: "workspace_id"},
	{Table: "agent_secrets", Column: "secret_sealed", Row: "id", Workspace: "workspace_id"},
	{Table: "email_settings", Column: "password_sealed", Row: "workspace_id", Workspace: "workspace_id"},
})
