// Package slots shares what a process can do at once among workspaces.
//
// Who works holds slots, one or as many as the work is large, and waits for them by
// Acquire. A workspace has at most half of them while others wait, and never all of them
// (New), or at most so many whoever waits (NewLimited): what another one brings finds a
// slot even while all that is under way takes long. Those
// that wait have their turns: a slot that becomes free goes to the workspace whose turn is
// the longest ago, however many wait of another. Of one workspace the first one that came
// is the first one served.
//
// For whom something is done stands in the context of a call (For), for those who hand out
// slots far below the call: connections to Postgres.
//
// The package must not know what is done in a slot, and keeps nothing beyond the process.
package slots
