// Package fault holds the one error type of the service.
//
// Every refusal that a caller may see is a *fault.Error: a status word, a
// sentence, an optional reason word, and the list of single issues when the
// request itself was faulty. Constructors exist one per status. Anything that
// is not a *fault.Error is INTERNAL with a fixed text; its cause is kept for
// the log and never shown.
//
// Three tables use the type and no more: status to HTTP code (here), status to
// "worth another try" for Temporal (here), and driver error to status (in
// models/internal/pg). The package must not know HTTP frameworks, drivers or
// Temporal.
package fault
