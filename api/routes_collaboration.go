package api

import (
	"github.com/redline-svc/redline/api/collaboration"
	"github.com/redline-svc/redline/api/rpc"
)

// organizationRoutes are the operations on people and organizations.
func organizationRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/users/add", h.Users.Add, rpc.Summary("Add users to an organization, a folder or a document"),
			rpc.Example(`{"organizationId":"acme","users":[{"userId":"u_ann","name":"Ann","email":"ann@example.com"}]}`, collaboration.ExampleUsers)),
		rpc.Post("/v2/users/get", h.Users.Get, page, rpc.Lists(), rpc.Summary("List the users of an organization, a folder, a document or of all documents, newest first"),
			rpc.Example(`{"organizationId":"acme","organizationUserGroupIds":["legal"]}`, collaboration.ExampleUsersFound),
			rpc.Example(`{"organizationId":"acme","allDocuments":true,"groupByDocumentId":true}`, collaboration.ExampleUsersByDocument)),
		rpc.Post("/v2/users/update", h.Users.Update, rpc.Summary("Change users"),
			rpc.Example(`{"organizationId":"acme","users":[{"userId":"u_ann","name":"Ann"}]}`, collaboration.ExampleUsers)),
		rpc.Post("/v2/users/delete", h.Users.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Remove users from an organization, a folder or a document"),
			rpc.Example(`{"organizationId":"acme","userIds":["u_ann"]}`, collaboration.ExampleRemoved)),
		rpc.Post("/v2/users/count/get", h.Users.Count, rpc.Lists(), rpc.Summary("Count the users of an organization, of a document or of all documents"),
			rpc.Example(`{"organizationId":"acme","allDocuments":true}`, `{"status":"success","message":"Users counted.","data":{"count":12}}`)),
		rpc.Post("/v2/users/doc/get", h.Users.GetOfDocuments, page, rpc.Lists(), rpc.Summary("List who was added to documents, with these, newest first"),
			rpc.Example(`{"organizationId":"acme","userIds":["u_ann"],"includeInvolvedDocuments":true}`, collaboration.ExampleDocumentUsers)),
		rpc.Post("/v2/organizations/add", h.Organizations.Add, rpc.Summary("Add organizations"),
			rpc.Example(`{"organizations":[{"organizationId":"acme","organizationName":"Acme","accessType":"organizationPrivate","plan":"team"}]}`,
				collaboration.ExampleOrganizationsAdded)),
		rpc.Post("/v2/organizations/get", h.Organizations.Get, page, rpc.Lists(), rpc.Summary("List the organizations, newest first"),
			rpc.Example(`{"organizationIds":["acme"]}`, collaboration.ExampleOrganizations)),
		rpc.Post("/v2/organizations/update", h.Organizations.Update, rpc.Summary("Change organizations"),
			rpc.Example(`{"organizations":[{"organizationId":"acme","accessType":null,"plan":"firm"}]}`, collaboration.ExampleOrganizationsUpdated)),
		rpc.Post("/v2/organizations/access/disablestate/update", h.Organizations.SetDisabled, rpc.Selects(), rpc.Summary("Switch access to organizations off or on"),
			rpc.Example(`{"organizationIds":["acme"],"disabled":true}`, collaboration.ExampleOrganizationsDisabled)),
		rpc.Post("/v2/organizations/delete", h.Organizations.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete organizations with everything in them"),
			rpc.Example(`{"organizationIds":["acme"]}`, collaboration.ExampleOrganizationsDeleted)),
	}
}

// invitationRoutes are the operations on invitations of people by e-mail.
func invitationRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/users/invite/add", h.Invitations.Add, rpc.Summary("Invite somebody by e-mail into an organization, a folder or a document"),
			rpc.Example(`{"organizationId":"acme","email":"bob@example.com","type":"doc_user","documentId":"spring","accessRole":"viewer","invitedBy":{"userId":"u_ann","name":"Ann"}}`,
				collaboration.ExampleInvitation)),
		rpc.Post("/v2/users/invite/respond", h.Invitations.Respond, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Accept, reject or withdraw an invitation"),
			rpc.Example(`{"organizationId":"acme","email":"bob@example.com","type":"doc_user","documentId":"spring","status":"ACCEPTED","user":{"userId":"u_bob"},"authToken":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1X2JvYiJ9.c2ln"}`,
				collaboration.ExampleAccepted)),
		rpc.Post("/v2/users/invite/get", h.Invitations.Get, page, rpc.Lists(), rpc.Summary("List the invitations of an organization, newest first"),
			rpc.Example(`{"organizationId":"acme","isPendingUsersOnly":true}`, collaboration.ExampleInvitations)),
		rpc.Post("/v2/users/invitations/get", h.Invitations.GetOf, page, rpc.Lists(), rpc.Summary("List the invitations of one e-mail, newest first"),
			rpc.Example(`{"organizationId":"acme","email":"bob@example.com","type":"doc_user"}`, collaboration.ExampleInvitations)),
		rpc.Post("/v2/users/invite/pending/count", h.Invitations.Count, rpc.Lists(), rpc.Summary("Count the pending invitations of a kind"),
			rpc.Example(`{"organizationId":"acme","type":"org_user"}`, `{"status":"success","message":"Invitations counted.","data":{"count":3}}`)),
	}
}

// personRoutes are the operations on what is kept of a person.
func personRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/users/data/get", h.Persons.Data, page, rpc.Lists(), rpc.Summary("Read what is kept of a person, page by page"),
			rpc.Example(`{"organizationId":"acme","userId":"u_ann"}`, collaboration.ExamplePersonData)),
		rpc.Post("/v2/users/data/export", h.Persons.Export, rpc.Summary("Write what is kept of a person into a file"),
			rpc.Example(`{"organizationId":"acme","userId":"u_ann"}`, collaboration.ExampleExporting)),
		rpc.Post("/v2/users/data/export/status", h.Persons.ExportStatus, rpc.Summary("Read how an export stands, and where its file is"),
			rpc.Example(`{"jobId":"exp_01kdvm9w00abcdefghjkmnpqrs"}`, collaboration.ExampleExport)),
		rpc.Post("/v2/users/data/delete", h.Persons.Erase, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Forget people, everywhere or in some organizations"),
			rpc.Example(`{"userIds":["u_ann"],"organizationIds":["acme"]}`, collaboration.ExampleErasing)),
		rpc.Post("/v2/users/data/delete/status", h.Persons.ErasureStatus, rpc.Summary("Read how an erasure stands"),
			rpc.Example(`{"jobId":"era_01kdvm9w00abcdefghjkmnpqrs"}`, collaboration.ExampleErasure)),
	}
}

// groupRoutes are the operations on user groups.
func groupRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/organizations/usergroups/add", h.Groups.Add, rpc.Summary("Add user groups to an organization, or rename them"),
			rpc.Example(`{"organizationId":"acme","organizationUserGroups":[{"groupId":"legal","groupName":"Legal"}]}`, collaboration.ExampleGroupsAdded)),
		rpc.Post("/v2/organizations/usergroups/get", h.Groups.Get, page, rpc.Lists(), rpc.Summary("List the user groups of an organization, newest first"),
			rpc.Example(`{"organizationId":"acme","groupIds":["legal"]}`, collaboration.ExampleGroups)),
		rpc.Post("/v2/organizations/usergroups/delete", h.Groups.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete user groups, not the users"),
			rpc.Example(`{"organizationId":"acme","groupIds":["legal"]}`, collaboration.ExampleGroupsDeleted)),
		rpc.Post("/v2/organizations/usergroups/users/add", h.Groups.AddUsers, rpc.Summary("Add members of the organization to a user group"),
			rpc.Example(`{"organizationId":"acme","organizationUserGroupId":"legal","userIds":["u_ann","u_eve"]}`, collaboration.ExampleGroupUsersAdded)),
		rpc.Post("/v2/organizations/usergroups/users/delete", h.Groups.DeleteUsers, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Take users out of a user group"),
			rpc.Example(`{"organizationId":"acme","organizationUserGroupId":"legal","userIds":["u_ann"]}`, collaboration.ExampleGroupUsersDeleted),
			rpc.Example(`{"organizationId":"acme","organizationUserGroupId":"legal","deleteAll":true}`, collaboration.ExampleGroupUsersDeleted)),
	}
}

// documentRoutes are the operations on documents.
func documentRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/organizations/documents/add", h.Documents.Add, rpc.Summary("Add documents"),
			rpc.Example(`{"organizationId":"acme","folderId":"seasons","createFolder":true,"documents":[{"documentId":"spring","documentName":"Spring","pages":12}]}`,
				collaboration.ExampleDocumentsAdded)),
		rpc.Post("/v2/organizations/documents/get", h.Documents.Get, page, rpc.Lists(), rpc.Summary("List the documents of an organization, newest first"),
			rpc.Example(`{"organizationId":"acme","folderId":"seasons","pageSize":2}`, collaboration.ExampleDocuments)),
		rpc.Post("/v2/organizations/documents/count/get", h.Documents.Count, page, rpc.Lists(), rpc.Summary("Count the documents of an organization"),
			rpc.Example(`{"organizationId":"acme","filters":[{"key":"pages","operator":">","value":10}]}`,
				`{"status":"success","message":"Documents counted.","data":{"count":2,"filtersApplied":true}}`)),
		rpc.Post("/v2/organizations/documents/update", h.Documents.Update, rpc.Summary("Change documents"),
			rpc.Example(`{"organizationId":"acme","documents":[{"documentId":"spring","documentName":null,"pages":13}]}`, collaboration.ExampleDocumentsUpdated)),
		rpc.Post("/v2/organizations/documents/delete", h.Documents.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete documents with everything in them"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"]}`, collaboration.ExampleDocumentsDeleted)),
		rpc.Post("/v2/organizations/documents/access/update", h.Documents.SetAccess, rpc.Summary("Set who may enter documents"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"accessType":"restricted"}`, collaboration.ExampleDocumentsAccess),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"accessType":null}`, collaboration.ExampleDocumentsInherit)),
		rpc.Post("/v2/organizations/documents/access/disablestate/update", h.Documents.SetDisabled, rpc.Selects(), rpc.Summary("Switch access to documents off or on"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"disabled":true}`, collaboration.ExampleDocumentsDisabled)),
		rpc.Post("/v2/organizations/documents/move", h.Documents.Move, rpc.Summary("Move documents into a folder"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"folderId":"root"}`, `{"status":"success","message":"Documents moved."}`)),
		rpc.Post("/v2/organizations/documents/migrate", h.Migrations.Migrate, rpc.Summary("Give a document another id, with all that belongs to it"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","newDocumentId":"spring-2027"}`, collaboration.ExampleMigrating)),
		rpc.Post("/v2/organizations/documents/migrate/status", h.Migrations.Status, rpc.Summary("Read how a migration stands"),
			rpc.Example(`{"organizationId":"acme","migrationId":"mig_01kdvm9w00abcdefghjkmnpqrs"}`, collaboration.ExampleMigration)),
	}
}

// folderRoutes are the operations on folders.
func folderRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/organizations/folders/add", h.Folders.Add, rpc.Summary("Add folders to an organization"),
			rpc.Example(`{"organizationId":"acme","folders":[{"folderId":"campaigns","folderName":"Campaigns"},{"folderId":"2026","parentFolderId":"campaigns"}]}`,
				collaboration.ExampleFolders)),
		rpc.Post("/v2/organizations/folders/get", h.Folders.Get, page, rpc.Lists(), rpc.Summary("Read folders with what stands in them, newest first"),
			rpc.Example(`{"organizationId":"acme","maxDepth":2}`, collaboration.ExampleFolderTree)),
		rpc.Post("/v2/organizations/folders/update", h.Folders.Update, rpc.Summary("Rename and move folders"),
			rpc.Example(`{"organizationId":"acme","folders":[{"folderId":"2026","folderName":"Year 2026","parentFolderId":"root"}]}`, collaboration.ExampleFolders)),
		rpc.Post("/v2/organizations/folders/delete", h.Folders.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete a folder with all that stands in it"),
			rpc.Example(`{"organizationId":"acme","folderId":"campaigns"}`, `{"status":"success","message":"Folder deleted.","data":null}`)),
		rpc.Post("/v2/organizations/folders/access/update", h.Folders.UpdateAccess, rpc.Summary("Set who may enter folders"),
			rpc.Example(`{"organizationId":"acme","folderIds":["campaigns"],"accessType":"restricted"}`, collaboration.ExampleFolderAccess),
			rpc.Example(`{"organizationId":"acme","folderIds":["campaigns"],"inheritFromParent":true}`, collaboration.ExampleFolderAccess)),
	}
}

// permissionRoutes are the operations on what users are granted, and on tokens that name them.
func permissionRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/auth/generate_token", h.UserTokens.Generate, rpc.Summary("Make a token that says who a user is"),
			rpc.Example(`{"userId":"u_ann","userProperties":{"name":"Ann"},"expiresInSeconds":3600}`, collaboration.ExampleToken)),
		rpc.Post("/v2/auth/verify_token", h.UserTokens.Verify, rpc.PastQuota(), rpc.Summary("Check a token that says who a user is"),
			rpc.Example(`{"token":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1X2FubiJ9.c2ln"}`, collaboration.ExampleTokenState)),
		rpc.Post("/v2/auth/permissions/add", h.Permissions.Add, rpc.Summary("Grant a user organizations, folders and documents"),
			rpc.Example(`{"user":{"userId":"u_ann"},"permissions":{"resources":[{"type":"folder","id":"campaigns","organizationId":"acme","accessRole":"viewer","expiresAt":1798761600000}]}}`,
				`{"status":"success","message":"Permissions added."}`)),
		rpc.Post("/v2/auth/permissions/get", h.Permissions.Get, page, rpc.Summary("Read what users may do"),
			rpc.Example(`{"organizationId":"acme","userIds":["u_ann"],"folderIds":["campaigns"],"documentIds":["spring"]}`, collaboration.ExamplePermissions)),
		rpc.Post("/v2/auth/permissions/remove", h.Permissions.Remove, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Take grants from a user"),
			rpc.Example(`{"userId":"u_ann","permissions":{"resources":[{"type":"organization","id":"acme"}]}}`,
				`{"status":"success","message":"Permissions removed."}`)),
	}
}

// annotationRoutes are the operations on annotations and their comments.
func annotationRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/commentannotations/add", h.Annotations.Add, rpc.Once("commentAnnotations.annotationId", "commentAnnotations.commentData.commentId", "commentAnnotations.comments.commentId"), rpc.Summary("Add annotations to a document"),
			rpc.Example(collaboration.ExampleAnnotation, collaboration.ExampleAdded)),
		rpc.Post("/v2/commentannotations/update", h.Annotations.Update, threads, rpc.Selects(), rpc.Summary("Change annotations of a document"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationIds":["a1","a2"],"updatedData":{"status":{"id":"DONE","name":"Done","type":"terminal",
"color":"#0a7","lightColor":"#dfd","iconUrl":"https://example.com/done.svg"},"priority":null},"actionUser":{"userId":"u_ann"}}`, collaboration.ExampleAnnotationsUpdated)),
		rpc.Post("/v2/commentannotations/delete", h.Annotations.Delete, threads, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete annotations of a document"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationIds":["a1","a2"],"actionUser":{"userId":"u_ann"}}`, collaboration.ExampleAnnotationsDeleted)),
		rpc.Post("/v2/commentannotations/comments/add", h.Annotations.AddComments, threads, rpc.Once("commentData.commentId", "comments.commentId"), rpc.Summary("Add comments to an annotation"),
			rpc.Example(collaboration.ExampleReply, `{"status":"success","message":"Comments added.","data":[2]}`)),
		rpc.Post("/v2/commentannotations/comments/update", h.Annotations.UpdateComments, threads, rpc.Selects(), rpc.Summary("Change comments of an annotation"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","commentIds":[1,2],"updatedData":{"commentText":"Which month, {{u_bob}}?",
"context":null},"actionUser":{"userId":"u_ann"},"triggerNotification":true}`, collaboration.ExampleEdited)),
		rpc.Post("/v2/commentannotations/comments/delete", h.Annotations.DeleteComments, threads, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete comments of an annotation, and it with the last one"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","commentIds":[1,2],"actionUser":{"userId":"u_ann"}}`, collaboration.ExampleCommentsDeleted)),
		rpc.Post("/v2/commentannotations/read", h.Annotations.Read, rpc.Selects(), rpc.Summary("Mark annotations as read by a user"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","userId":"u_ann","annotationIds":["a1","a2"]}`, collaboration.ExampleRead)),
		rpc.Post("/v1/commentannotations/get", h.Annotations.Get, page, rpc.Summary("Read annotations of a document, latest change first"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationIds":["a1","a2"]}`, collaboration.ExampleAnnotations)),
		rpc.Post("/v2/commentannotations/get", h.Annotations.Find, page, rpc.Lists(), rpc.Summary("Read annotations of documents with all that is known of them, by their latest change"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"statusIds":["OPEN"],"viewerUserId":"u_ann"}`, collaboration.ExampleWholeAnnotations),
			rpc.Example(`{"organizationId":"acme","folderId":"seasons","groupByDocumentId":true,"order":"asc"}`, collaboration.ExampleGroupedAnnotations)),
		rpc.Post("/v1/commentannotations/comments/get", h.Annotations.Comments, page, rpc.Summary("Read the comments of an annotation, oldest first"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","commentIds":[1,2]}`, collaboration.ExampleComments)),
		rpc.Post("/v2/commentannotations/comments/get", h.Annotations.WholeComments, page, rpc.Lists(), rpc.Summary("Read the comments of an annotation with all that is known of them, oldest first"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","annotationId":"a1","viewerUserId":"u_ann"}`, collaboration.ExampleWholeComments)),
		rpc.Post("/v1/commentannotations/count/get", h.Annotations.Count, rpc.Summary("Count the annotations of documents for a user"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"userId":"u_ann"}`, collaboration.ExampleCounts)),
		rpc.Post("/v2/commentannotations/count/get", h.Annotations.Count, rpc.Summary("Count the annotations of documents for a user"),
			rpc.Example(`{"organizationId":"acme","documentIds":["spring"],"userId":"u_ann","statusIds":["OPEN"]}`, collaboration.ExampleCounts)),
	}
}

// activityRoutes are the operations on what was done.
func activityRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/activities/add", h.Activities.Add, rpc.Once("activities.id"), rpc.Summary("Keep a record of what was done"),
			rpc.Example(collaboration.ExampleActivity,
				`{"status":"success","message":"Activities added.","data":{"act-1":{"success":true,"id":"act-1","message":"Activity added."}}}`)),
		rpc.Post("/v2/activities/update", h.Activities.Update, rpc.Summary("Change records that are not immutable"),
			rpc.Example(`{"organizationId":"acme","activities":[{"id":"act-1","changes":{"copies":{"from":0,"to":3}}}]}`, collaboration.ExampleActivitiesUpdated)),
		rpc.Post("/v2/activities/delete", h.Activities.Delete, rpc.Selects(), rpc.Summary("Delete records that are not immutable"),
			rpc.Example(`{"organizationId":"acme","activityIds":["act-1"]}`, collaboration.ExampleActivitiesDeleted)),
		rpc.Post("/v2/activities/get", h.Activities.Get, page, rpc.Lists(), rpc.Summary("List what was done in an organization, newest first"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","featureTypes":["custom"],"viewerUserId":"u_ann"}`, collaboration.ExampleActivities)),
	}
}
