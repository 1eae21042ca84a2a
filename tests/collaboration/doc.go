// Package collaboration tests annotations, comments, organizations, folders, documents,
// users, access, groups, notifications, mails and activities over HTTP. A test is named
// after the operation, the number of its hard case if it has one, and what happens.
// What it is written with is package kit.
package collaboration
