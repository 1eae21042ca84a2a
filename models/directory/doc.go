// Package directory holds who is where: organizations with their folders and
// documents, profiles of users, and the roles that are granted at each level. It
// also decides: Access tells who may read and write a document, Viewers who sees
// what is not visible to all.
//
// Organizations, Documents and Users are the stores behind the operations on these, with
// the lists of them (document_list.go, user_list.go); what a caller sends of an organization
// or a document are its Properties. Every organization is made by
// createOrganizations, every document by createDocuments.
//
// What is deleted loses the caller's id, so nobody finds it and the id is free at
// once; a job removes its row with what belongs to it (Removal, Deleted). Lookups by
// id need no further condition; whoever comes by a key, by what is above, or by a list
// leaves out rows without an id. What is in a deleted organization keeps its ids,
// since it is found through that alone. What is in a deleted folder keeps its id in the
// table, document_rows, until the deletion or the job takes it, together with what is about it (package
// subject): everybody else reads the view documents, where it is not. Who makes a document with such an id takes it before (freeHidden).
//
// Folders and what stands in them (folder.go, folder_get.go, folder_delete.go) are
// changed under the organization's lock, so they never stand in a circle; more than one transaction deletes go in
// portions from below, so what is left is a tree. What a user
// is granted at any level is in permission.go, what follows from it in
// permission_get.go. Access is read from the rows by one statement, never kept: what
// is moved, set or granted acts on the next decision about all that stands below.
//
// A Container names an organization and maybe a folder or document; opening it
// finds the rows, makes what the caller lets it make, and holds them until the
// end of the transaction (Scope).
//
// Invitations (invitation.go) are people known by their e-mail alone; accepting one grants what
// adding a user to its place does. Who mails them is a function that the process gives.
//
// A document's migration to another id is an update of its row (Migrations): what
// belongs to it refers to its key, or to that of its subject.
//
// Tables: organizations, folders, document_rows, document_migrations, profiles, grants, invitations.
//
// Statements are SQL by hand: they lock in the order below, and take all users of a
// call as an array, so that their text is the same for any number of users and is
// prepared once.
//
// Locks: the organization's row before anything in it. LockPeople, for changes of
// people and folders, and of what is in a folder, makes such calls follow one another;
// LockStay, for comments and for documents at the top, keeps the row from removal
// only; the deletion of a folder waits for those who hold the folder, and not for
// those who hold a document in it. One that turns out to need LockPeople takes it
// before it locks or makes a folder or document. Whoever writes into a folder or a
// document holds it FOR KEY SHARE. Whoever changes documents themselves, their ids
// too, holds them FOR NO KEY UPDATE in the order of their keys, and organizations
// likewise; the two kinds of locks do not wait for each other. New rows are made in
// the order of their ids. Who makes a document and who reserves its id for a migration
// take the advisory lock of that id (lockIDs) after all rows, several in the order of
// the ids.
//
// It must not know what stands in documents. What goes with a user who is deleted
// is told by functions that the process gives to NewUsers.
package directory
