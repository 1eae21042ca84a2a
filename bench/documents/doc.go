// Package documents measures what happens to many things at once in the directory:
// the switch of a document to another id while callers write into it, the deletion of
// an organization with a million annotations, a decision about access below twenty
// folders, the page of ten thousand folders, and the count of a million documents.
// Rows are made by SQL, as copies of rows that the service has made. It must not start
// or stop anything.
package documents
