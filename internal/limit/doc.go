// Package limit holds callers to their rates, all processes of the service
// together.
//
// A rate is a token bucket: a minute's worth at most, refilled evenly. The
// buckets stand in the store that all processes share. A process does not ask
// it for every call: it borrows a few tokens at once, a small share of the
// bucket, spends them on its own and gives back what it has not used after a
// second. Borrowing may overdraw a bucket by 5 %, which makes up for tokens
// that another process holds and does not use; more can never be let through,
// however many processes there are.
//
// A call of a key counts for its workspace too, which has the rate of two keys however many
// it makes, and one from an IPv6 address for its site (/48), which has that of ten hosts.
//
// A call that changes much weighs more than one, which is counted after it (Weigh) and may leave a
// bucket below zero.
//
// Creating workspaces is counted in a sliding hour instead, one entry a use, and
// a use can be given back.
//
// The package knows no database, no HTTP and no operation: the store is a
// narrow interface, the classes of operations are words.
package limit
