// Package selection finds and holds the annotations of a document that a call means: by
// their ids, by what they are like, or all. They are taken in the order of their ids, so many at
// once that a call has bounds.
//
// It must not change rows, and reads no thread.
package selection
