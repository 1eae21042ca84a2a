package workspace

// CredentialQueries are the statements of the credentials look-up.
func CredentialQueries() []string {
	return []string{findByKeyToken + "= $1", findByWorkspaceToken + "= $1"}
}
