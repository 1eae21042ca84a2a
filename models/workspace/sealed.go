package workspace

// SealedColumn is a column that holds sealed values. Row and Workspace are SQL
// expressions over its row that give the secret.Binding it was sealed for.
type SealedColumn struct {
	Table, Column  string
	Row, Workspace string
	// Lookup is the keyed hash of the same value, if it is found by one.
	Lookup *SealedLookup
}

// SealedLookup names the columns of a hash by which a sealed value is found. It
// was made over row and value under the use.
type SealedLookup struct{ MAC, HashKeyID, Use string }

// KeyCheckColumn is rewrapped when nothing else is left: from then on a process
// without the new keys does not start.
var KeyCheckColumn = SealedColumn{
	Table: "secret_canary", Column: "sealed", Row: "'1'", Workspace: "''",
	Lookup: &SealedLookup{MAC: "mac", HashKeyID: "hash_key_id", Use: keyCheckUse},
}

// SealedColumns are those of this package's tables, but for the key check's.
var SealedColumns = []SealedColumn{
	{
		Table: "workspaces", Column: "token_sealed", Row: "id", Workspace: "id",
		Lookup: &SealedLookup{MAC: "token_mac", HashKeyID: "hash_key_id", Use: workspaceTokenUse},
	},
	{
		Table: "auth_tokens", Column: "token_sealed", Row: "api_key_id", Workspace: "workspace_id",
		Lookup: &SealedLookup{MAC: "token_mac", HashKeyID: "hash_key_id", Use: keyTokenUse},
	},
	{Table: "permission_providers", Column: "token_sealed", Row: "workspace_id", Workspace: "workspace_id"},
}
