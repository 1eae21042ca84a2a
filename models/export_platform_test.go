package models

// CredentialQueries are the statements of the credentials look-up.
func CredentialQueries() []string {
	return []string{findByKeyToken + "= $1", findByWorkspaceToken + "= $1"}
}

// EverySealedColumn is all of them, the key check's too.
func EverySealedColumn() []SealedColumn {
	return append(append([]SealedColumn{}, AllSealedColumns...), canaryColumn)
}
