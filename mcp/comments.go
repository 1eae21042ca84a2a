package mcp

import (
	"context"
	"errors"

	redline "github.com/redline-svc/redline/clients/go"
)

type readComments struct {
	OrganizationID string `json:"organizationId"`
	DocumentID     string `json:"documentId" jsonschema:"the document whose threads are read"`
	AnnotationID   string `json:"annotationId,omitempty" jsonschema:"all comments of this thread, instead of the latest of each"`
	UserID         string `json:"userId,omitempty" jsonschema:"read as this person sees it; the server's own person by itself"`
	PageSize       int64  `json:"pageSize,omitempty" jsonschema:"threads, or comments of one, at once: 1 to 100, usually 20"`
	Cursor         string `json:"cursor,omitempty" jsonschema:"next of the page before"`
}

type addComment struct {
	OrganizationID string `json:"organizationId"`
	DocumentID     string `json:"documentId"`
	AnnotationID   string `json:"annotationId,omitempty" jsonschema:"the thread to answer in; without it a new thread begins"`
	Text           string `json:"text" jsonschema:"plain text"`
	UserID         string `json:"userId,omitempty" jsonschema:"the author; needed unless the server is for one person"`
	UserName       string `json:"userName,omitempty" jsonschema:"the author's name as readers see it"`
	Notify         bool   `json:"notify,omitempty" jsonschema:"tell the people of the thread, by notification and mail"`
}

// addComments adds the tool that reads threads.
func (s *server) addComments() {
	tool(s, "read_comments", "Read the comment threads of a document, last changed first, each with its status, commentCount and its latest 5 comments in order. "+
		"With annotationId read all comments of that thread, page by page.", s.readComments)
}

// addCommentWrites adds the tool that comments.
func (s *server) addCommentWrites() {
	write(s, "add_comment", "Add a comment to a thread, or begin a thread on an existing document. Each call adds one.", false, s.addComment)
}

func (s *server) readComments(ctx context.Context, in readComments) (answer, error) {
	viewer := in.UserID
	if s.o.UserID != "" {
		var err error
		if viewer, err = s.user(in.UserID); err != nil {
			return answer{}, err
		}
	}
	n := atMost(in.PageSize, 20, 100)
	if in.AnnotationID != "" {
		return s.readThread(ctx, &in, viewer, n)
	}
	return paged(n, func(n int64) (page[*redline.WholeAnnotation], error) {
		found, err := s.o.Client.Annotations.Get(ctx, redline.FindAnnotationsRequest{
			OrganizationID: in.OrganizationID, DocumentID: &in.DocumentID, ViewerUserID: sent(viewer), PageToken: sent(in.Cursor), PageSize: &n,
		})
		for _, thread := range found.Data {
			thread.Comments = thread.Comments[max(0, len(thread.Comments)-latest):]
		}
		return page[*redline.WholeAnnotation]{found.Data, found.NextPageToken}, err
	})
}

// latest is how many comments a thread in a list is shown with.
const latest = 5

func (s *server) readThread(ctx context.Context, in *readComments, viewer string, n int64) (answer, error) {
	return paged(n, func(n int64) (page[*redline.WholeComment], error) {
		found, err := s.o.Client.Comments.Get(ctx, redline.GetWholeCommentsRequest{
			OrganizationID: in.OrganizationID, DocumentID: in.DocumentID, AnnotationID: in.AnnotationID,
			ViewerUserID: sent(viewer), PageToken: sent(in.Cursor), PageSize: &n,
		})
		switch {
		case err != nil:
			return page[*redline.WholeComment]{}, err
		case found.Data == nil:
			return page[*redline.WholeComment]{}, errors.New("annotationId: there is no such thread, or it may not be seen")
		default:
			return page[*redline.WholeComment]{*found.Data, found.NextPageToken}, nil
		}
	})
}

func (s *server) addComment(ctx context.Context, in addComment) (answer, error) {
	author, err := s.user(in.UserID)
	if err != nil {
		return answer{}, err
	}
	comments := []redline.CommentInput{{
		CommentText: &in.Text, From: redline.UserInput{UserID: author, Name: sent(in.UserName)}, TriggerNotification: &in.Notify,
	}}
	if in.AnnotationID != "" {
		ids, err := s.o.Client.Comments.Add(ctx, redline.AddCommentsRequest{
			OrganizationID: in.OrganizationID, DocumentID: in.DocumentID, AnnotationID: in.AnnotationID, CommentData: comments,
		})
		return answer{Result: map[string]any{"annotationId": in.AnnotationID, "commentIds": ids}}, err
	}
	added, err := s.o.Client.Annotations.Add(ctx, redline.AddAnnotationsRequest{
		OrganizationID: in.OrganizationID, DocumentID: in.DocumentID, CommentAnnotations: []redline.AnnotationInput{{CommentData: comments}},
	})
	for id, one := range added {
		return answer{Result: map[string]any{"annotationId": id, "commentIds": one.CommentIds}}, err
	}
	return answer{}, err
}
