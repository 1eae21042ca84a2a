package examples

import (
	"context"
	"fmt"

	redline "github.com/redline-svc/redline/clients/go"
)

// Comments begins a thread, answers in it and resolves it.
func Comments(ctx context.Context) (answer string) {
	client, organization := must(redline.New()), unique("acme")

	// [begin]
	ann := redline.UserInput{UserID: "u_ann", Name: new("Ann")}
	added := must(client.Annotations.Add(ctx, redline.AddAnnotationsRequest{
		OrganizationID: organization, DocumentID: "spring", CreateOrganization: new(true), CreateDocument: new(true),
		CommentAnnotations: []redline.AnnotationInput{{
			CommentData: []redline.CommentInput{{From: ann, CommentText: new("Where is the second source?")}},
		}},
	}))
	var thread string
	for thread = range added {
	}
	// [end]

	// [reply]
	bob := redline.UserInput{UserID: "u_bob", Name: new("Bob")}
	must(client.Comments.Add(ctx, redline.AddCommentsRequest{
		OrganizationID: organization, DocumentID: "spring", AnnotationID: thread,
		CommentData: []redline.CommentInput{{From: bob, CommentText: new("Found it.")}},
	}))
	// [end]

	// [resolve]
	must(client.Annotations.Update(ctx, redline.UpdateAnnotationsRequest{
		OrganizationID: organization, DocumentID: "spring", AnnotationIds: []string{thread}, ActionUser: &bob,
		UpdatedData: &redline.UpdatedAnnotation{Status: &redline.StatusInput{
			ID: "RESOLVED", Name: "Resolved", Type: redline.StatusInputTypeTerminal,
			Color: "#0a7", LightColor: "#dfd", IconURL: new("https://example.com/done.svg"),
		}},
	}))
	// [end]

	// [read]
	request := redline.FindAnnotationsRequest{OrganizationID: organization, DocumentIds: []string{"spring"}}
	for annotation, err := range client.Annotations.GetAll(ctx, request) {
		check(err)
		for _, comment := range annotation.Comments {
			var author redline.UserInput
			check(comment.From.Decode(&author))
			fmt.Println(*author.Name, comment.CommentText)
		}
		var status redline.StatusInput
		check(annotation.Status.Decode(&status))
		answer = status.Name
	}
	// [end]
	return answer
}
