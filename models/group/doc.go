// Package group holds the user groups of organizations and who is in them.
//
// Only members of an organization can join its groups (members.go). Groups grant
// nothing: callers list people by them. Who is deleted is in no group any more, since
// the rows go with the profile; who loses the grant on the organization neither
// (ForgetUsers). Who has one that is over does not count until it is renewed.
//
// A group that is deleted loses the caller's id, so nobody finds it and the id is free
// at once; one that is emptied gives its id to a new row. So both cost the same however
// many are in it, and a job removes the rows, as it does those of deleted organizations
// (removal.go).
//
// Tables: user_groups, user_group_members.
//
// Locks: whoever changes groups, or who is in them, holds the organization's row for
// changes of its people (directory.LockPeople), so nobody joins who leaves at that
// moment, and takes no other lock.
//
// It must not know folders and documents, nor decide about access.
package group
