// Package idle measures the memory of an index that holds the tenants of many
// workspaces of which few are in use. It fills the index past the service, and lets the
// service have it release those that its rows say nobody uses. It must not start or
// stop anything.
package idle
