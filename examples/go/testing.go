package examples

import (
	"context"
	"os"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
)

// Testing is what a test of yours does against `make run`.
func Testing(ctx context.Context) string {
	client := must(redline.New())

	// [own]
	organization := unique("test") // an organization of its own: no test sees another's
	must(client.Documents.Add(ctx, redline.AddDocumentsRequest{
		OrganizationID: organization, CreateOrganization: new(true), Documents: []redline.AddedDocument{{DocumentID: "spring"}},
	}))
	// [end]

	// [receiver]
	path := unique("/ok/test")
	execution := must(client.Executions.Dispatch(ctx, redline.DispatchRequest{
		DefinitionID: "editorial-sign-off", OrganizationID: &organization, DocumentID: new("spring"),
		WebhookURL: new(os.Getenv("REDLINE_DEV_RECEIVER_URL") + path), WebhookSecret: new("a-secret-of-the-test"),
	})).ExecutionID
	within, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	must(client.WaitForStep(within, redline.ListStepsRequest{ExecutionID: &execution, ReviewerID: new("u_editor")}))
	came := inbox(path) // GET $REDLINE_DEV_INBOX_URL?path=…
	// [end]
	if len(came) == 0 {
		return "nothing"
	}
	return "received"
}
