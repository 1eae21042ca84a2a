// Package erase takes people out of what is stored: out of JSON, out of texts, out of the tags of comments.
//
// A person is known by marks: ids, and the names, addresses and pictures that went with them. In JSON a
// string that is a mark becomes the pseudonym, and an object that describes a person keeps nothing but
// that; a text that only mentions a mark is what somebody wrote, and stays. Everything that is not about
// a person stays as it was written, numbers with their spelling.
//
// It must not know rows.
package erase
