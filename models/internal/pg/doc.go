// Package pg is what all packages of the models stand on: the pool (DB), the
// transaction (Tx), the errors of the driver, conditions and nulls. Go
// itself keeps everybody but the models from importing it.
//
// A transaction collects what it wakes (Tx.Wake) and passes it on once, after the
// commit; one that is undone wakes nobody. InTx is for plain transactions, and its
// Tx is the one that has GORM (Tx.Gorm), for rows that are read and written one by
// one; Tenant is the scope that narrows those to a workspace. TwoTrips is for
// transactions that read everything in one round trip under their locks and write
// everything in a second one, ReadTx, TwoReads and Snapshot for reads of one
// moment: they have SQL by hand alone (SQLTx).
//
// Translate turns an error of the driver into a *fault.Error, once. A commit whose
// answer was lost is UNAVAILABLE: what it did is not known.
//
// It has no tables and takes no locks in the database. It must not know any row,
// and imports no other package of the models.
package pg
