// Package view reads the people of organizations as callers see them.
//
// Users (users.go) reads who is at a level: an organization, a folder, a document or
// every document. The statement has the conditions in use only. It walks the profiles
// of the organization from the newest on, so a page of members costs the same anywhere,
// and who is added meanwhile stands in front of what was read. Of a folder, a document
// or groups it reads first who has a grant there or is in them, which are few beside
// the organization.
//
// Tables: none of its own; those of the packages directory and group are read without
// a lock.
//
// It must not write, nor decide about access.
package view
