// Package attackers measures what a workspace of others has while one with the limits of a free
// key takes all that it can: connections by updates of one document, memory by the largest
// requests, and by users who want every comment, converters by slow files, deliveries by endpoints that hang, the index by judgments, rows by a folder of 100,000 documents.
// Everything runs in one process. It must not start or stop anything.
package attackers
