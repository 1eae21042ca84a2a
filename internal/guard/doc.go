// Package guard is the egress guard: the only way in which the service opens a
// connection to an address that a tenant can influence (endpoints, receivers of
// executions, webhook steps, agents, permission providers, mail hosts).
//
// It checks three times. When an address is written, CheckURL and CheckHost
// check its form: scheme, port, spelling, name, literal address; no name is
// resolved then. Before every call the name is resolved, also when a pooled
// connection exists, and every answer is checked: one refused address refuses
// the call. And on every socket a control hook checks the peer that the kernel
// is about to be asked for, so a name that changes between two look-ups gains
// nothing: only checked addresses are dialled and no second look-up is made.
//
// Operators open ranges by allow-lists and close some by a deny-list, which
// wins over all. Metadata services pass only when their own address is listed.
// For what an execution calls (Receiver, Step) a literal address and the names
// that the interface forbids stay refused whatever the lists say; the lists
// lift the answers for other names only. The operator's own mail relay is not
// checked at all: it is no tenant's word.
//
// Errors are *Error with a class of the delivery outcome table. A tenant is
// shown the class; the rule behind a refusal is for the operator's log.
//
// One Guard serves a process, and keeps the pace of all calls to origins that have never answered one with a 2xx
// (internal/pace), whoever makes them. Of answers of more than 64 KiB it has few in memory at once, in the turns of their workspaces.
//
// The package must not follow redirects, use a proxy, decompress, share a
// connection between two keys, or skip a certificate check; there is no switch
// for any of it.
package guard
