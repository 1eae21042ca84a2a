// Package parts builds the servers of the development stack from their Go
// modules, once for each user and version.
//
// A part is one program of one module. Ensure builds those that are not in
// the cache folder yet, one after the other, and has the next one's modules
// fetched while one compiles. A program is built under a temporary name and
// renamed, under a lock, so two checkouts that start at once build once and a
// build that was killed leaves nothing that looks finished. Tools and disk
// space are looked at before anything is begun.
package parts
