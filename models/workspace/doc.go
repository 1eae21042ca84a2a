// Package workspace holds workspaces and what belongs to them as a whole: owners,
// API keys with their tokens and domains, settings, rows of the audit, limits of
// rates and their exceptions, and what an operator may do about them.
//
// Credentials finds the caller of a request by one statement; nothing of it is
// cached, so a token that was reset is dead in every process at once. Tokens are
// found by hashes and kept sealed. Rewrap moves every sealed value of the schema
// to new keys while the service runs, and CheckKeys refuses to start with keys
// that do not fit the rows. Figures are counted by one process for all.
//
// Tables: workspaces, owners, api_keys, api_key_domains, auth_tokens, audit_rows,
// limit_overrides, rate_buckets, rate_uses, secret_canary, figures. Rewrap writes sealed
// columns of all others, and nothing but their sealing.
//
// Locks, in this order: the owner's row, for a new workspace; the workspace's row,
// for a new key; the key's row, for a new token or other domains; then their rows are inserted. The
// uses of a rate have an advisory lock of their subject, and no other.
//
// It must not import another package that holds rows: others may read its tables
// and queue its audit rows (Audit.Queue) in their transactions.
package workspace
