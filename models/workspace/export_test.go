package workspace

// CredentialQueries are the statements of the credentials look-up
// while hash keys rotate: with two hashes.
func CredentialQueries() []string {
	return []string{findByKeyToken + hashes(2), findByWorkspaceToken + hashes(2)}
}

// KeyUseStatements are the statements that count the values of columns by their
// keys, by the column and what names the key.
func KeyUseStatements(columns []SealedColumn) map[string]string {
	found := map[string]string{}
	for _, column := range columns {
		for _, use := range column.keyUses() {
			found[column.Table+"."+column.Column+" "+use.key] = use.statement()
		}
	}
	return found
}
