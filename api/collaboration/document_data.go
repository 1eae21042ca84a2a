package collaboration

import (
	"github.com/redline-svc/redline/models/directory"
)

// DocumentData names a document of an organization.
type DocumentData struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string `json:"documentId" minLength:"1" maxLength:"200" format:"caller-id"`
}

// container is the document for the stores.
func (d DocumentData) container() directory.Container {
	return directory.Container{OrganizationID: d.OrganizationID, DocumentID: d.DocumentID}
}
