package console

import (
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	redline "github.com/redline-svc/redline/clients/go"
)

// knowledgeView is a page of sources.
type knowledgeView struct {
	Items  []redline.Source
	Status string
	Next   string
}

// sourcesPage is a page of sources as it comes where a size is asked for.
type sourcesPage struct {
	Items      []redline.Source
	NextCursor *string
}

func (c *Console) knowledge(v *visit) (*page, error) {
	view := &knowledgeView{Status: v.asked("status")}
	wanted := redline.ListSourcesRequest{Cursor: v.optional("cursor"), PageSize: new(int64(rows))}
	if view.Status != "" {
		wanted.Status = new(redline.ListSourcesRequestStatus(view.Status))
	}
	var found sourcesPage
	if err := v.calls.Call(v.ctx, "/v2/memory/knowledge/list", wanted, &found); err != nil {
		return nil, err
	}
	view.Items, view.Next = found.Items, onward("/knowledge", textOf(found.NextCursor), "status", view.Status)
	return &page{Title: "Knowledge", Template: "knowledge", Section: "/knowledge", Data: view}, nil
}

// sourceView is a source with its rules and how far it is.
type sourceView struct {
	redline.IngestStatus
	Rules []redline.Rule
	// RulesFailure is said in the place of rules that cannot be read yet.
	RulesFailure *failure
	// Text is what the live version says, empty while there is none.
	Text string
}

// stages are what a source goes through, in order.
var stages = []string{"converting", "chunking", "extracting-rules", "embedding", "indexing"}

// Reached is how many stages are behind it, of all.
func (s sourceView) Reached() int {
	if s.Status == redline.IngestStatusStatusCompleted {
		return len(stages)
	}
	return max(0, slices.Index(stages, s.Progress.Stage))
}

// NextVersion is the number of the version that would be written now.
func (s sourceView) NextVersion() int64 { return s.Version + 1 }

// Stages is how many there are.
func (sourceView) Stages() int { return len(stages) }

func (c *Console) source(v *visit) (*page, error) {
	id := v.asked("id")
	status, err := v.calls.Knowledge.IngestStatus(v.ctx, redline.IngestStatusRequest{SourceID: id})
	if err != nil {
		return nil, err
	}
	view := &sourceView{IngestStatus: status}
	if view.Rules, err = v.calls.Knowledge.Rules(v.ctx, redline.NamedSourceRequest{SourceID: id}); err != nil {
		view.RulesFailure = failureOf(err)
	}
	text, err := v.calls.Knowledge.Download(v.ctx, redline.NamedSourceRequest{SourceID: id})
	if refused := redline.AsError(err); err != nil && refused == nil {
		return nil, err
	}
	view.Text = textOf(text)
	return &page{Title: "Source " + id, Template: "source", Section: "/knowledge", Data: view}, nil
}

// types are the kinds of files that are taken, by the ends of their names; browsers do not know all of them.
var types = map[string]redline.UploadURLRequestMimeType{
	".pdf": redline.UploadURLRequestMimeTypeApplicationPdf, ".csv": redline.UploadURLRequestMimeTypeTextCsv, ".txt": redline.UploadURLRequestMimeTypeTextPlain,
	".md": redline.UploadURLRequestMimeTypeTextPlain, ".xlsx": redline.UploadURLRequestMimeTypeApplicationVndOpenxmlformatsOfficedocumentSpreadsheetmlSheet,
}

func uploadSource(v *visit) (next, notice string, err error) {
	file, header, err := v.request.FormFile("file")
	if err != nil {
		return "", "", wrong("Choose a file of at most 128 MiB: PDF, CSV, XLSX, text or Markdown.")
	}
	defer func() { _ = file.Close() }()
	kind, known := types[strings.ToLower(path.Ext(header.Filename))]
	if !known {
		return "", "", wrong("This kind of file is not taken: PDF, CSV, XLSX, text and Markdown are.")
	}
	organization := v.typed("organization")
	address, err := v.calls.Knowledge.UploadURL(v.ctx, redline.UploadURLRequest{
		FileName: &header.Filename, FileSize: header.Size, MimeType: kind, OrganizationID: organization,
	})
	if err != nil {
		return "", "", err
	}
	if err := v.put(address.UploadURL, string(kind), file, header); err != nil {
		return "", "", err
	}
	taken, err := v.calls.Knowledge.Ingest(v.ctx, redline.IngestRequest{
		Source: redline.IngestRequestSourceFileRef, FileRef: &address.FileRef, MimeType: new(redline.IngestRequestMimeType(kind)), OrganizationID: organization,
	})
	return to("/source", "id", taken.SourceID), "Taken. It is searchable once it has gone through all stages.", err
}

// put sends the bytes of a file to the address that the interface signed for it.
func (v *visit) put(address, kind string, file io.Reader, header *multipart.FileHeader) error {
	request, err := http.NewRequestWithContext(v.ctx, http.MethodPut, address, file)
	if err != nil {
		return err
	}
	request.ContentLength = header.Size
	request.Header.Set("Content-Type", kind)
	answer, err := v.console.options.Transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return &redline.Error{HTTPStatus: answer.StatusCode, Message: "The file was not taken.", RequestID: answer.Header.Get("X-Request-Id")}
	}
	return nil
}

func retrySource(v *visit) (next, notice string, err error) {
	_, err = v.calls.Knowledge.Retry(v.ctx, redline.NamedSourceRequest{SourceID: v.form("id")})
	return to("/source", "id", v.form("id")), "Tried again.", err
}

// rewritten is a source of which a new version was written, with the rules that it changed.
type rewritten struct {
	ID string
	redline.UpdateResult
}

// rewriteSource writes a new version of a source and shows which rules came and went.
func (c *Console) rewriteSource(v *visit) (*page, error) {
	wanted := redline.UpdateRequest{SourceID: v.form("id"), NewContent: v.form("text")}
	if known, err := strconv.ParseInt(v.form("version"), 10, 64); err == nil {
		wanted.ExpectedVersion = &known
	}
	made, err := v.calls.Knowledge.Update(v.ctx, wanted)
	return &page{Title: "New version", Template: "rewritten", Section: "/knowledge", Data: &rewritten{ID: v.form("id"), UpdateResult: made}}, err
}

func deleteSource(v *visit) (next, notice string, err error) {
	_, err = v.calls.Knowledge.Delete(v.ctx, redline.DeleteSourceRequest{SourceID: v.form("id")})
	return "/knowledge", "Deleted.", err
}

// searchView is a search of knowledge and what was found.
type searchView struct {
	Query string
	Hits  []hit
	Asked bool
}

// hit is a text that was found, in parts of which some are to be looked at.
type hit struct {
	redline.KnowledgeHit
	Parts []part
}

type part struct {
	Text   string
	Marked bool
}

func (c *Console) search(v *visit) (*page, error) {
	view := &searchView{Query: v.asked("q"), Asked: v.asked("q") != ""}
	if view.Asked {
		found, err := v.calls.Knowledge.Search(v.ctx, redline.KnowledgeSearchRequest{Query: view.Query, Hybrid: new(true), Highlights: new(true), IncludeRules: new(true)})
		if err != nil {
			return nil, err
		}
		for _, each := range found.Results {
			view.Hits = append(view.Hits, hit{each, partsOf(each)})
		}
	}
	return &page{Title: "Search", Template: "search", Section: "/search", Data: view}, nil
}

// partsOf cuts a text at its highlights, which are counted in UTF-16 code units.
func partsOf(found redline.KnowledgeHit) (parts []part) {
	units, at := utf16.Encode([]rune(found.Text)), 0
	add := func(end int, marked bool) {
		if end = min(end, len(units)); end > at {
			parts = append(parts, part{string(utf16.Decode(units[at:end])), marked})
			at = end
		}
	}
	for _, mark := range found.Highlights {
		add(int(mark.Start), false)
		add(int(mark.End), true)
	}
	add(len(units), false)
	return parts
}

// askView is a question and its answer.
type askView struct {
	Question string
	Answer   *redline.AskResult
}

func (c *Console) ask(v *visit) (*page, error) {
	view := &askView{Question: v.asked("q")}
	if view.Question != "" {
		found, err := v.calls.Memory.Ask(v.ctx, redline.AskRequest{Question: view.Question})
		if err != nil {
			return nil, err
		}
		view.Answer = &found
	}
	return &page{Title: "Ask", Template: "ask", Section: "/ask", Data: view}, nil
}
