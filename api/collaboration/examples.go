package collaboration

// Documented calls and results of the operations.
const (
	ExampleUsers = `{"status":"success","message":"Users added.","data":{"u_ann":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"User added."}}}`
	ExampleUsersFound = `{"status":"success","message":"Users found.","data":[{"userId":"u_ann","name":"Ann","email":"ann@example.com",
"initial":"A","accessRole":"editor","team":"press"}],"nextPageToken":"sealed"}`
	ExampleUsersByDocument = `{"status":"success","message":"Users found.","data":{"spring":[{"userId":"u_ann","name":"Ann","initial":"A",
"accessRole":"viewer"}]}}`
	ExampleFolders = `{"status":"success","message":"Folders added.","data":{"campaigns":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"Folder added."}}}`
	ExampleFolderTree = `{"status":"success","message":"Folders found.","data":[{"folderId":"campaigns","folderName":"Campaigns",
"organizationId":"acme","parentFolderId":"root","ancestors":[],"accessType":"public","inheritAccessFromParent":true,
"createdAt":1767225600000,"lastUpdated":1767225600000,"subFolders":[{"folderId":"2026","folderName":"2026","organizationId":"acme",
"parentFolderId":"campaigns","ancestors":["campaigns"],"accessType":"restricted","inheritAccessFromParent":false,
"createdAt":1767225600000,"lastUpdated":1767225600000,"subFolders":[]}]}]}`
	ExampleFolderAccess = `{"status":"success","message":"Access updated.","data":{"campaigns":{"success":true,"accessType":"restricted",
"inheritFromParent":false,"message":"Access updated."}}}`
	ExamplePermissions = `{"status":"success","message":"Permissions found.","data":{"u_ann":{
"organization":{"acme":{"accessRole":null,"accessType":"organizationPrivate","expiresAt":null,"errorCode":"permission_denied"}},
"folders":{"campaigns":{"accessRole":"editor","accessType":"organizationPrivate","expiresAt":1798761600000}},
"documents":{"spring":{"accessRole":null,"accessType":null,"expiresAt":null,"errorCode":"does_not_exist"}}}}}`
	ExampleRemoved   = `{"status":"success","message":"Users removed.","data":{"u_ann":{"success":true,"message":"User removed."}}}`
	ExampleMigrating = `{"status":"success","message":"Document migration accepted.","data":{"migrationId":"mig_01kdvm9w00abcdefghjkmnpqrs"}}`
	ExampleMigration = `{"status":"success","message":"Migration read.","data":{"migrationId":"mig_01kdvm9w00abcdefghjkmnpqrs",
"status":"completed","documentId":"spring","newDocumentId":"spring-2027","createdAt":1767225600000,"completedAt":1767225600120}}`
	ExampleOrganizationsAdded = `{"status":"success","message":"Organizations added.","data":{"acme":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"Organization added."}}}`
	ExampleOrganizations = `{"status":"success","message":"Organizations found.","data":[{"id":"acme","organizationName":"Acme",
"accessType":null,"createdAt":1767225600000,"lastUpdated":1767225600000,"disabled":false,"plan":"team"}]}`
	ExampleOrganizationsUpdated = `{"status":"success","message":"Organizations updated.","data":{"acme":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"Organization updated."}}}`
	ExampleOrganizationsDeleted = `{"status":"success","message":"Organizations deleted.","data":{"acme":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"Organization deleted."}}}`
	ExampleGroupsAdded = `{"status":"success","message":"User groups added.","data":{"legal":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"User group added."}}}`
	ExampleGroups = `{"status":"success","message":"User groups found.","data":[{"groupId":"legal","groupName":"Legal","userCount":12,
"createdAt":1767225600000}]}`
	ExampleGroupsDeleted = `{"status":"success","message":"User groups deleted.","data":{"legal":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"User group deleted."}}}`
	ExampleGroupUsersAdded = `{"status":"success","message":"Users added.","data":{"u_ann":{"success":true,"organizationUserGroupId":"legal",
"message":"User added."},"u_eve":{"success":false,"organizationUserGroupId":"legal","message":"The user is no member of the organization.",
"code":"not-member"}}}`
	ExampleGroupUsersDeleted = `{"status":"success","message":"Users removed.","data":{"u_ann":{"success":true,"organizationUserGroupId":"legal",
"message":"User removed."}}}`
	ExampleDocumentsAdded = `{"status":"success","message":"Documents added.","data":{"spring":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"Document added."}}}`
	ExampleDocuments = `{"status":"success","message":"Documents found.","data":[{"id":"spring","documentName":"Spring","folderId":"seasons",
"accessType":"organizationPrivate","inheritAccess":true,"createdAt":1767225600000,"lastUpdated":1767225600000,"disabled":false,"organizationDisabled":false,"pages":12}],
"nextPageToken":"sealed"}`
	ExampleDocumentsUpdated = `{"status":"success","message":"Documents updated.","data":{"spring":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"Document updated."}}}`
	ExampleDocumentsDeleted = `{"status":"success","message":"Documents deleted.","data":{"spring":{"success":true,
"id":"0123456789abcdef0123456789abcdef","message":"Document deleted."}}}`
	ExampleDocumentsAccess = `{"status":"success","message":"Access set.","data":{"spring":{"success":true,"accessType":"restricted",
"message":"Access set."}}}`
	ExampleDocumentsInherit = `{"status":"success","message":"Access set.","data":{"spring":{"success":true,"accessType":null,
"message":"Access set."}}}`
)
