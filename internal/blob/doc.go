// Package blob keeps files: in a folder, or in S3 and what speaks like it.
//
// A file appears whole or not at all: what is written shows only once its
// writer ended well, and has reached the disk by then, its name too. Files of a folder
// are for the service's user alone. Keys are made by the caller and say nothing of what is in
// the file. The package signs no addresses: files are served by the service
// itself, so that size, type and use are checked at one point.
//
// Both kinds of store pass the same table of tests. Google's store is reached by
// its S3 interface (https://storage.googleapis.com with an HMAC key): it refuses
// checksums in headers and trailers, bodies in signed chunks, and a signature over
// Accept-Encoding. The client sends none of them there; a test holds that.
package blob
