package console

import (
	"context"
	"net/http"
	"strconv"

	redline "github.com/redline-svc/redline/clients/go"
)

// organizationsView is a page of organizations.
type organizationsView struct {
	Items []redline.Organization
	Next  string
}

func (c *Console) organizations(v *visit) (*page, error) {
	found, err := v.calls.Organizations.Get(v.ctx, redline.GetOrganizationsRequest{PageToken: v.optional("cursor"), PageSize: new(int64(rows))})
	return &page{Title: "Documents", Template: "organizations", Section: "/organizations", Data: &organizationsView{
		Items: found.Data, Next: onward("/organizations", found.NextPageToken),
	}}, err
}

// onward is the address of the next page of a list, empty on the last one; pairs are what else it says.
func onward(path, token string, pairs ...string) string {
	return onwardBy("cursor", path, token, pairs...)
}

// onwardBy is onward for the second list of a page, whose token has a name of its own.
func onwardBy(name, path, token string, pairs ...string) string {
	if token == "" {
		return ""
	}
	return to(path, append(pairs, name, token)...)
}

// documentsView is a folder of an organization, or what is in none.
type documentsView struct {
	Organization, Folder string
	// Name is that of the folder, empty where what is in none is shown.
	Name    string
	Folders []redline.Folder
	// NextFolders leads on among those that are in none.
	NextFolders string
	Items       []redline.Document
	Next        string
}

func (c *Console) documents(v *visit) (*page, error) {
	view := &documentsView{Organization: v.asked("organization"), Folder: v.asked("folder")}
	err := together(v.ctx,
		func(ctx context.Context) error { return view.readFolders(ctx, v) },
		func(ctx context.Context) error {
			found, err := v.calls.Documents.Get(ctx, redline.GetDocumentsRequest{
				OrganizationID: view.Organization, FolderID: given(view.Folder), PageToken: v.optional("cursor"), PageSize: new(int64(rows)),
			})
			view.Items, view.Next = found.Data, onward("/documents", found.NextPageToken, "organization", view.Organization, "folder", view.Folder)
			return err
		},
	)
	return &page{Title: "Documents of " + view.Organization, Template: "documents", Section: "/organizations", Data: view}, err
}

func (d *documentsView) readFolders(ctx context.Context, v *visit) error {
	folders, err := v.calls.Folders.Get(ctx, redline.GetFoldersRequest{OrganizationID: d.Organization, FolderID: given(d.Folder), MaxDepth: new(int64(2)), PageToken: v.optional("folders"), PageSize: new(int64(rows))})
	d.NextFolders = onwardBy("folders", "/documents", folders.NextPageToken, "organization", d.Organization)
	if d.Folders = folders.Data; d.Folder != "" && len(folders.Data) > 0 {
		d.Name, d.Folders = folders.Data[0].FolderName, folders.Data[0].SubFolders
	}
	return err
}

// folderHere is the page of the folder that a form is about.
func (v *visit) folderHere() string {
	return to("/documents", "organization", v.form("organization"), "folder", v.form("folder"))
}

func addFolder(v *visit) (next, notice string, err error) {
	items, err := v.calls.Folders.Add(v.ctx, redline.AddFoldersRequest{OrganizationID: v.form("organization"), Folders: []redline.FolderInput{
		{FolderID: textOf(v.typed("newFolder")), FolderName: v.typed("name"), ParentFolderID: given(v.form("folder"))},
	}}, redline.Header(&v.answer))
	return v.folderHere(), "Added.", v.itemsRefused(items, err)
}

func renameFolder(v *visit) (next, notice string, err error) {
	items, err := v.calls.Folders.Update(v.ctx, redline.UpdateFoldersRequest{OrganizationID: v.form("organization"), Folders: []redline.FolderUpdate{
		{FolderID: v.form("folder"), FolderName: v.typed("name")},
	}}, redline.Header(&v.answer))
	return v.folderHere(), "Renamed.", v.itemsRefused(items, err)
}

// itemsRefused is err, or what was said of an item that was not taken.
func (v *visit) itemsRefused(items map[string]redline.Item, err error) error {
	for _, item := range items {
		if err == nil && !item.Success {
			return v.notTaken(string(item.Code), item.Message)
		}
	}
	return err
}

// notTaken is the refusal of one thing among those of a call that was answered.
func (v *visit) notTaken(code, message string) error {
	return &redline.Error{
		HTTPStatus: http.StatusBadRequest, Reason: redline.ErrorDetailsReason(code), Message: message, RequestID: v.answer.Get("X-Request-Id"),
	}
}

// threads is how many annotations a page of a document has.
const threads = 25

// documentView is a document with its annotations.
type documentView struct {
	Organization string
	Document     redline.Document
	Threads      []*redline.WholeAnnotation
	Next         string
}

func (c *Console) document(v *visit) (*page, error) {
	view := &documentView{Organization: v.asked("organization")}
	id := v.asked("id")
	err := together(v.ctx,
		func(ctx context.Context) error {
			var answer http.Header
			documents, err := v.calls.Documents.Get(ctx, redline.GetDocumentsRequest{OrganizationID: view.Organization, DocumentIds: []string{id}}, redline.Header(&answer))
			if err == nil && len(documents.Data) == 0 {
				return notListed("There is no such document in this organization.", answer)
			}
			view.Document = first(documents.Data)
			return err
		},
		func(ctx context.Context) error {
			found, err := v.calls.Annotations.Get(ctx, redline.FindAnnotationsRequest{
				OrganizationID: view.Organization, DocumentID: &id, PageToken: v.optional("cursor"), PageSize: new(int64(threads)),
			})
			view.Threads, view.Next = found.Data, onward("/document", found.NextPageToken, "organization", view.Organization, "id", id)
			return err
		},
	)
	return &page{Title: view.Document.DocumentName, Template: "document", Section: "/organizations", Data: view}, err
}

// first is the first of some things, the zero one where there is none.
func first[T any](of []T) (one T) {
	if len(of) > 0 {
		one = of[0]
	}
	return one
}

// threadView is an annotation with a page of its comments.
type threadView struct {
	Organization, Document string
	Annotation             *redline.WholeAnnotation
	Comments               []*redline.WholeComment
	Next, Acting           string
}

func (c *Console) thread(v *visit) (*page, error) {
	view := &threadView{Organization: v.asked("organization"), Document: v.asked("document"), Acting: v.session.Acting}
	id := v.asked("id")
	err := together(v.ctx,
		func(ctx context.Context) error {
			var answer http.Header
			found, err := v.calls.Annotations.Get(ctx, redline.FindAnnotationsRequest{OrganizationID: view.Organization, DocumentID: &view.Document, AnnotationIds: []string{id}}, redline.Header(&answer))
			view.Annotation = first(found.Data)
			if err == nil && view.Annotation == nil {
				return notListed("There is no such annotation on this document.", answer)
			}
			return err
		},
		func(ctx context.Context) error { return view.readComments(ctx, v, id) },
	)
	return &page{Title: "Thread", Template: "thread", Section: "/organizations", Data: view}, err
}

func (t *threadView) readComments(ctx context.Context, v *visit, id string) error {
	comments, err := v.calls.Comments.Get(ctx, redline.GetWholeCommentsRequest{
		OrganizationID: t.Organization, DocumentID: t.Document, AnnotationID: id, PageToken: v.optional("cursor"), PageSize: new(int64(rows)),
	})
	if comments.Data != nil {
		t.Comments = *comments.Data
	}
	t.Next = onward("/thread", comments.NextPageToken, "organization", t.Organization, "document", t.Document, "id", id)
	return err
}

// threadHere is the page of the thread that a form is about.
func (v *visit) threadHere() string {
	return to("/thread", "organization", v.form("organization"), "document", v.form("document"), "id", v.form("id"))
}

func reply(v *visit) (next, notice string, err error) {
	text := v.typed("text")
	if text == nil || v.actor() == "" {
		return "", "", wrong("Say something, and who says it.")
	}
	_, err = v.calls.Comments.Add(v.ctx, redline.AddCommentsRequest{
		OrganizationID: v.form("organization"), DocumentID: v.form("document"), AnnotationID: v.form("id"),
		CommentData: []redline.CommentInput{{CommentText: text, From: redline.UserInput{UserID: v.actor()}, TriggerNotification: new(true)}},
	})
	return v.threadHere(), "Your comment is the last of the thread.", err
}

// statusIcon is the picture that a status must have: a dot.
const statusIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6"/></svg>`

// resolveThread gives a thread the status that ends it, or opens it again.
func resolveThread(v *visit) (next, notice string, err error) {
	if v.actor() == "" {
		return "", "", wrong("Say who you are.")
	}
	resolved, _ := strconv.ParseBool(v.form("resolved"))
	changed := redline.UpdatedAnnotation{
		Status:                &redline.StatusInput{ID: "OPEN", Name: "Open", Type: redline.StatusInputTypeDefault, Color: "#625df5", LightColor: "#e7e8fa", Svg: new(statusIcon)},
		StatusUpdatedByUserID: new(v.actor()),
	}
	notice = "Opened again."
	if resolved {
		changed.Status = &redline.StatusInput{ID: "RESOLVED", Name: "Resolved", Type: redline.StatusInputTypeTerminal, Color: "#00c48c", LightColor: "#b8f0e1", Svg: new(statusIcon)}
		changed.ResolvedByUserID, notice = new(v.actor()), "Resolved."
	}
	_, err = v.calls.Annotations.Update(v.ctx, redline.UpdateAnnotationsRequest{
		OrganizationID: v.form("organization"), DocumentID: v.form("document"), AnnotationIds: []string{v.form("id")}, UpdatedData: &changed,
		ActionUser: &redline.UserInput{UserID: v.actor()},
	})
	return v.threadHere(), notice, err
}
