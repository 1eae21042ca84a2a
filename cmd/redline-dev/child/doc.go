// Package child runs other programs, such as the local servers of the development
// stack, as processes that do not outlive the process which started them.
//
// Start gives back a Process; Stop asks it to end, waits and then insists.
// Each child is the leader of a process group of its own, so Ctrl-C in a
// terminal reaches only the parent, which then stops its children in order.
// On Linux the kernel signals the child when its parent dies, however it dies.
// Elsewhere, and for what slipped through, the pid of a child may be kept in
// a file: Reap ends the process named there, if it is still the one it was.
//
// The package knows nothing of the programs it runs.
package child
