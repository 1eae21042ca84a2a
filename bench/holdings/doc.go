// Package holdings measures what depends on how much knowledge an installation holds:
// the removal of a large source, the index built again, and a search in a small workspace
// beside large ones.
//
// What is held is made by SQL, with vectors near some that are drawn at random, as if it
// had been chunked and embedded. From there on the service does its own work: it brings
// everything into the index. So no figure depends on the speed of the model.
//
// It asks the service over its interface, and the rows and the index only to see what is
// there.
package holdings
