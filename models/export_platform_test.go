package models

// CredentialQueries are the statements of the credentials look-up.
func CredentialQueries() []string {
	return []string{findByKeyToken + "= $1", findByWorkspaceToken + "= $1"}
}

// SealedColumns are all sealed columns, the canary's too.
func SealedColumns() []SealedColumn {
	return append(append([]SealedColumn{}, sealedColumns...), canaryColumn)
}
