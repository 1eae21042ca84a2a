package examples

import (
	"context"
	"fmt"
	"strconv"

	redline "github.com/redline-svc/redline/clients/go"
)

// Paging reads a list, all of it and page by page.
func Paging(ctx context.Context) string {
	client, run := must(redline.New()), unique("nightly")
	for range 5 {
		must(client.Executions.Dispatch(ctx, redline.DispatchRequest{DefinitionID: "editorial-sign-off", CorrelationID: &run}))
	}

	// [all]
	all := redline.ListExecutionsRequest{CorrelationID: &run, PageSize: new(int64(2))}
	for execution, err := range client.Executions.ListAll(ctx, all) {
		check(err)
		fmt.Println(execution.ExecutionID, execution.Status)
	}
	// [end]

	// [page]
	page := must(client.Executions.List(ctx, redline.ListExecutionsRequest{CorrelationID: &run, PageSize: new(int64(2))}))
	var further redline.ExecutionList
	if page.HasMore {
		further = must(client.Executions.List(ctx, redline.ListExecutionsRequest{
			CorrelationID: &run, PageSize: new(int64(2)), Cursor: &page.NextCursor,
		}))
	}
	// [end]
	return strconv.Itoa(len(page.Items) + len(further.Items))
}
