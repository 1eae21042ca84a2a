// Package delivery sends what is due to the outside: events to the receivers of
// executions, messages to webhook endpoints, mails to their relays.
//
// A run of Temporal has one activity at a time for its destination, the
// dispatcher. It locks the destination, claims due rows, sends them side by
// side and claims again: it lingers for 5 s (REDLINE_DELIVERY_LINGER), notified in process by the commits that
// queue more, and up to 40 s while it waits for slots or for concurrency at its origins. It
// does not linger when less than a quarter of the dispatchers is free, or half where it
// only waits for its origins. A row that is claimed is locked until its attempt must have
// ended; what was not recorded until then is claimed again, and that attempt recorded as
// interrupted.
//
// No row falls between two dispatchers: one that ends unlocks its destination first and
// then looks at the rows once more. Whoever commits rows afterwards finds the
// destination unlocked and notifies it; rows committed before are seen by that
// look.
//
// What a claim may take is decided before it, in memory (allowance.go): of each origin as many
// rows as it may have requests under way (origins.go, internal/pace), and of all as many as
// there are slots (internal/slots). An origin begins with one request and earns more; after
// five failures in a row, or the first of one that has never answered, it is tried one at a
// time, and such origins share a quarter of the slots. Another process has to learn it: what it does not know begins gently. The pace
// that a workspace set for an endpoint, and that of mails, are kept by the claim in the rows.
//
// Slots, origins, the order of first attempts and the recorder belong to the process and
// not to an activity: requests under way outlive it. Slots are shared fairly among
// workspaces. The recorder writes outcomes of all destinations together, 5 ms after
// the first of them or when there are 128, so that many outcomes share one round
// trip and one commit: one by one, deliveries to ten receivers fall from 7,500 a
// second to 1,160; without the wait, the p95 of first deliveries beside a busy
// engine rises from 50 to 75 ms.
//
// The package must not decide when a delivery is tried again or given up: an
// attempt has a class, and the rows know what follows from it. It connects through
// the guard alone, and no secret of a receiver is logged.
package delivery
