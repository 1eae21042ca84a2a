package collaboration

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/directory"
)

// DisableOrganizations is the request of organizations/access/disablestate/update.
type DisableOrganizations struct {
	OrganizationIDs []string `json:"organizationIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
	DisabledState
}

// DisableDocuments is the request of documents/access/disablestate/update.
type DisableDocuments struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs    []string `json:"documentIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
	DisabledState
}

// DisabledState says whether access is switched off.
type DisabledState struct {
	Disabled bool `json:"disabled" doc:"true: nobody enters, whatever is set and granted, and nothing of that changes"`
}

// Disabled says what became of one organization or document.
type Disabled struct {
	Success  bool   `json:"success"`
	Disabled bool   `json:"disabled" doc:"as it was sent"`
	Message  string `json:"message" doc:"a short sentence, not part of the contract"`
	Code     string `json:"code,omitempty" enum:"not-found"`
}

// shown says what became of each.
func (d DisabledState) shown(entries []directory.Entry) *rpc.Success[rpc.Keyed[Disabled]] {
	show := func(e directory.Entry) rpc.KeyedEntry[Disabled] {
		return rpc.KeyedEntry[Disabled]{Key: e.ID, Value: Disabled{e.Success(), d.Disabled, thingSentences.of(e, "Access switched."), e.Code}}
	}
	return rpc.Succeed("Access switched.", rpc.Keyed[Disabled](rpc.Each(entries, show)))
}

// SetDisabled switches access to organizations with all their documents off or on.
func (o *Organizations) SetDisabled(ctx context.Context, req *DisableOrganizations) (*rpc.Success[rpc.Keyed[Disabled]], error) {
	entries, err := o.store.SetDisabled(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationIDs, req.Disabled)
	if err != nil {
		return nil, err
	}
	return req.shown(entries), nil
}

// SetDisabled switches access to documents off or on.
func (d *Documents) SetDisabled(ctx context.Context, req *DisableDocuments) (*rpc.Success[rpc.Keyed[Disabled]], error) {
	entries, err := d.store.SetDisabled(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.DocumentIDs, req.Disabled)
	if err != nil {
		return nil, err
	}
	return req.shown(entries), nil
}

// Examples of the operations on access and on who was added to documents.
const (
	ExampleOrganizationsDisabled = `{"status":"success","message":"Access switched.","data":{"acme":{"success":true,"disabled":true,"message":"Access switched."}}}`
	ExampleDocumentsDisabled     = `{"status":"success","message":"Access switched.","data":{"spring":{"success":true,"disabled":true,"message":"Access switched."}}}`
	ExampleDocumentUsers         = `{"status":"success","message":"Users found.","data":[{"userId":"u_ann","name":"Ann","email":"ann@example.com","initial":"A",
"accessRole":"editor","documentIds":["spring"],"documentsCount":1,"involvedDocuments":["spring"]}]}`
)
