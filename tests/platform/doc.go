// Package platform tests workspaces, keys, limits, secrets, domains and the form of
// requests and answers over HTTP, and that no workspace sees another one's things.
// What it is written with is package kit.
package platform
