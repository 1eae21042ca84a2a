// Package health is what the operator's tool asks the database about itself: its version and
// settings, its clock, and how many workspaces have used up a quota.
//
// It owns no table and changes no row. SQL is by hand: it asks the catalog. It must not judge
// what it finds.
package health
