// Package slots shares what a process can do at once among workspaces.
//
// Who works holds slots, one or as many as the work is large. Acquire waits for them; who can
// do with fewer takes what there is (Take), and queues for one where there is none (Queue). A
// workspace has at most four times as many as it leaves free, so what another one brings finds
// a slot even while all that is under way takes long, and at most half of all while others
// wait (New); or at most so many whoever waits (NewLimited). Those that wait have their turns:
// a slot that becomes free goes to the workspace whose turn is the longest ago, however many
// wait of another. Of one workspace the first one that came is the first one served.
//
// For whom something is done stands in the context of a call (For), for those who hand out
// slots far below the call: connections to Postgres.
//
// The package must not know what is done in a slot, and keeps nothing beyond the process.
package slots
