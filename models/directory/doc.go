// Package directory holds who is where: organizations with their folders and
// documents, profiles of users, and the roles that are granted at each level. It
// also decides: Access tells who may read and write a document, Audience who sees
// what is not visible to all.
//
// A Container names an organization and maybe a folder or document; opening it
// finds the rows, makes what the caller lets it make, and holds them until the
// end of the transaction (Scope).
//
// What is deleted loses the caller's id, so nobody finds it and the id is free at once;
// a job removes its rows later (Removal, Deleted). A document's migration to another
// id is an update of its row as well (Migrations): others refer to keys.
//
// Tables: organizations, folders, documents, document_migrations, profiles, grants.
//
// Statements are SQL by hand: they lock in the order below, and take all users of a
// call as an array, so that their text is the same for any number of users and is
// prepared once.
//
// Locks: the organization's row before anything in it. LockPeople, for changes of
// people and folders, makes such calls follow one another; LockStay, for comments,
// keeps the row from deletion only. One that turns out to need LockPeople takes it
// before it locks or makes a folder or document. Folders and documents are held
// FOR KEY SHARE by those who write into them. Whoever deletes, moves or migrates a
// document holds its row FOR NO KEY UPDATE, several in the order of their keys, so
// such calls follow one another and writers wait for none of them. Who makes a
// document and who reserves its id for a migration take the advisory lock of that id
// (lockID) after all rows, several in the order of the ids.
//
// It must not know what stands in documents. What goes with a user who is deleted
// is told by functions that the process gives to NewUsers.
package directory
