package examples

import (
	"context"
	"errors"
	"fmt"
	"strings"

	redline "github.com/redline-svc/redline/clients/go"
)

// Knowledge brings a file in, searches it and asks.
func Knowledge(ctx context.Context) string {
	client := must(redline.New())
	text := "# " + unique("Style guide") + "\n\nHeadlines must be in sentence case.\n"

	// [ingest]
	source := must(client.Upload(ctx, redline.Upload{
		FileName: "guide.txt", MimeType: redline.UploadURLRequestMimeTypeTextPlain,
		Size: int64(len(text)), Content: strings.NewReader(text),
		Progress: func(p redline.IngestProgress) { fmt.Println(p.Stage) },
	}))
	if source.Status != redline.IngestStatusStatusCompleted {
		panic(errors.New(source.FailureMessage))
	}
	// [end]

	// [search]
	found := must(client.Knowledge.Search(ctx, redline.KnowledgeSearchRequest{
		Query: "How are headlines written?", Hybrid: new(true), Limit: new(int64(3)),
	}))
	for _, hit := range found.Results {
		fmt.Println(hit.SourceID, hit.Text)
	}
	// [end]

	// [ask]
	said := must(client.Memory.Ask(ctx, redline.AskRequest{Question: "How are headlines written?"}))
	for i, sentence := range strings.Split(said.Answer, "\n") {
		if i < len(said.Citations) {
			fmt.Println(sentence, said.Citations[i].Kind)
		}
	}
	// [end]
	must(client.Knowledge.Delete(ctx, redline.DeleteSourceRequest{SourceID: source.SourceID}))
	for _, hit := range found.Results {
		if strings.Contains(hit.Text, "Headlines must be in sentence case.") {
			return "found"
		}
	}
	return "missed"
}
