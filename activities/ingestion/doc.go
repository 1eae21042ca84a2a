// Package ingestion has the activity of the Ingestion workflow: it carries out
// one stage of a version of a source, from the file to objects in the index.
//
// Each stage can be repeated: it begins by asking the rows, and what a former try
// has stored is not made again. A fault of the file ends the version at once,
// other faults only after hours. Few stages work at a time; one that waits for
// the model gives its slot back meanwhile. RemoveLeftovers removes what is left over; it is
// no activity.
//
// The package must not know who may see a source or which version is live.
package ingestion
