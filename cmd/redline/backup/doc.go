// Package backup keeps the whole service in a folder and puts it back, for `redline admin
// backup` and `redline admin restore`: a dump of the database by Postgres' own tools, the
// files of the store, and a manifest. Temporal and the vector index follow from the rows.
//
// A backup runs beside the service. It holds the files that the rows name, dumps one snapshot
// of the rows, and copies the files that this names (models/backup). It is written into a
// folder of another name that gets its own once it is whole:
//
//	manifest.json    what it is of: versions, keys, files (Manifest)
//	database.dump    for pg_restore, in its own format
//	files/<key>      the files
//	SHA256SUMS       of all of these; sha256sum -c reads it
//
// The keys are not in it, only fingerprints that tell the right ones.
//
// A restore looks at everything before it changes anything. Then it writes the files, whose
// names no row knows yet, and last the rows, in one transaction: broken off, it is simply
// begun again.
//
// Nothing of the service may use the package, and it must not know Temporal or the index.
package backup
