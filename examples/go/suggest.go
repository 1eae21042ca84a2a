package examples

import (
	"context"
	"fmt"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
)

const clause = "The supplier's liability for damages is unlimited."

// Suggest records what people decided, and asks what they would say.
func Suggest(ctx context.Context) string {
	client, organization := must(redline.New()), unique("acme")

	// [record]
	for _, reviewer := range []string{"u_ann", "u_bob", "u_eve"} {
		must(client.Judgments.Record(ctx, redline.RecordJudgmentsRequest{
			RecordID:       new(unique("review")), // yours: recording it again changes nothing
			OrganizationID: &organization, ActionUser: &redline.JudgmentActor{UserID: reviewer}, Content: new(clause),
			Decision: new("reject"), Reasoning: new("We never accept unlimited liability."),
		}))
	}
	// [end]

	// [suggest]
	advice := func(text string) redline.SuggestResult {
		return must(client.Memory.Suggest(ctx, redline.SuggestRequest{Query: text, OrganizationID: &organization}))
	}
	// [end]

	for advice(clause).Primary == nil { // what is recorded is indexed within seconds
		time.Sleep(250 * time.Millisecond)
	}

	// [show]
	advised := advice(clause)
	if primary := advised.Primary; primary != nil {
		fmt.Printf("%s (%.0f %%, %d reviewers)\n", primary.Recommendation, 100*primary.Confidence, primary.UniqueReviewers)
		fmt.Println(primary.TopReasons, primary.Caveats)
	}
	if advised.Conflict != nil {
		fmt.Println("but others say", advised.Conflict.Recommendation)
	}
	// [end]
	return string(advised.Primary.Recommendation)
}
