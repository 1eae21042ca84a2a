// Package directory holds who is where: organizations with their folders and
// documents, profiles of users, and the roles that are granted at each level. It
// also decides: Access tells who may read and write a document, Audience who sees
// what is not visible to all.
//
// Folders and what stands in them (folder.go, folder_get.go, folder_delete.go) are
// changed under the organization's lock, so they never stand in a circle. What a user
// is granted at any level is in permission.go, what follows from it in
// permission_get.go. Access is read from the rows by one statement, never kept: what
// is moved, set or granted acts on the next decision about all that stands below.
//
// What is deleted loses its id; the row stays until it is removed. Whoever reaches
// rows in another way than by a caller's id leaves those without one out.
//
// A Container names an organization and maybe a folder or document; opening it
// finds the rows, makes what the caller lets it make, and holds them until the
// end of the transaction (Scope).
//
// Tables: organizations, folders, documents, profiles, grants.
//
// Statements are SQL by hand: they lock in the order below, and take all users of a
// call as an array, so that their text is the same for any number of users and is
// prepared once.
//
// Locks: the organization's row before anything in it. LockPeople, for changes of
// people and folders, makes such calls follow one another; LockStay, for comments,
// keeps the row from deletion only. One that turns out to need LockPeople takes it
// before it locks or makes a folder or document. Folders and documents are held
// FOR KEY SHARE by whoever puts something into them; the deletion of a folder waits
// for those who hold the folder, and not for those who hold a document in it.
//
// It must not know what stands in documents. What goes with a user who is deleted
// is told by functions that the process gives to NewUsers.
package directory
