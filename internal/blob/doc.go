// Package blob keeps files: in a folder, in S3 or what speaks like it, or in
// Google Cloud Storage.
//
// A file appears whole or not at all: what is written shows only once its
// writer ended well. Keys are made by the caller and say nothing of what is in
// the file. The package signs no addresses: files are served by the service
// itself, so that size, type and use are checked at one point.
package blob
