// Package pg is what all packages of the models stand on: the pool (DB), the
// transaction (Tx), the errors of the driver, conditions and nulls. Go
// itself keeps everybody but the models from importing it.
//
// There are two kinds of transaction (Tx): InTx, for what changes rows, and Read, for
// several statements that see one moment. Both have SQL by hand, of which several
// statements go in one round trip as a batch (Tx.Send), and GORM (Tx.Gorm), for rows
// that are read and written one by one; Tenant is the scope that narrows those to a
// workspace. BEGIN goes with the first statement or batch, COMMIT with what is written once,
// at the end (AtEnd, SendLast); a Read that is one batch is one round trip (ReadBatch). A transaction
// collects whom it notifies (Tx.Notify) and passes it on once, after the commit; one that is
// undone notifies nobody. One statement, or one batch on the pool, is a transaction by itself.
//
// What may be more rows than are to be in memory at once is stored a portion at a time (Portions). Rows of few columns come as
// an array for each of these; of many columns, where each array would cost more than what is in it, as one JSON value.
//
// A pool that answers calls is shared (PoolOptions): for one workspace at most a quarter of
// its connections is held. Whoever asks for one more, in whatever way, waits before the pool
// lends it (shares), so what waits holds none.
//
// Translate turns an error of the driver into a *fault.Error, once. A commit whose
// answer was lost is DEADLINE_EXCEEDED: what it did is not known.
//
// It has no tables and takes no locks in the database. It must not know any row,
// and imports no other package of the models.
package pg
