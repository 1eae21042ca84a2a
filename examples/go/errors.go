package examples

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
)

// Errors reads refusals, and repeats a dispatch.
func Errors(ctx context.Context) string {
	// [client]
	client := must(redline.New(redline.WithTimeout(20*time.Second), redline.WithRetries(2))) // of one try; tries after the first
	// [end]

	// [refused]
	_, err := client.Users.Get(ctx, redline.GetUsersRequest{OrganizationID: strings.Repeat("x", 201)})
	if refused := redline.AsError(err); refused != nil {
		fmt.Println(refused.Status, refused.Reason, refused.RequestID)
		for _, issue := range refused.Issues {
			fmt.Println(strings.Join(issue.Path, "."), issue.Code, issue.Message)
		}
	}
	// [end]
	if err == nil {
		panic(errors.New("not refused"))
	}

	// [missing]
	_, err = client.Executions.Dispatch(ctx, redline.DispatchRequest{DefinitionID: "nowhere"})
	if !redline.IsNotFound(err) {
		panic(err)
	}
	// [end]

	// [key]
	order := redline.DispatchRequest{DefinitionID: "editorial-sign-off", IdempotencyKey: new("order-4711")}
	first, again := must(client.Executions.Dispatch(ctx, order)), must(client.Executions.Dispatch(ctx, order))
	if first.ExecutionID != again.ExecutionID {
		panic(errors.New("two executions"))
	}
	// [end]
	return "one execution"
}
