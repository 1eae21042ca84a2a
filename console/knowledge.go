package console

import (
	"context"
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

// Stays is why it may stay at a stage, empty where nothing but the work of it takes time.
func (s sourceView) Stays() string {
	if s.Status != redline.IngestStatusStatusProcessing {
		return ""
	}
	return map[string]string{
		"embedding": "Where the model that compares meanings is away, it goes on by itself once that is back.",
		"indexing":  "Where the index is away, it goes on by itself once that is back.",
	}[s.Progress.Stage]
}

// NextVersion is the number of the version that would be written now.
func (s sourceView) NextVersion() int64 { return s.Version + 1 }

// Stages is how many there are.
func (sourceView) Stages() int { return len(stages) }

func (c *Console) source(v *visit) (*page, error) {
	id := v.asked("id")
	view := &sourceView{}
	err := together(v.ctx,
		func(ctx context.Context) (err error) {
			view.IngestStatus, err = v.calls.Knowledge.IngestStatus(ctx, redline.IngestStatusRequest{SourceID: id})
			return err
		},
		func(ctx context.Context) error {
			view.readRules(ctx, v, id)
			return nil
		},
		func(ctx context.Context) error {
			text, err := v.calls.Knowledge.Download(ctx, redline.NamedSourceRequest{SourceID: id})
			view.Text = textOf(text)
			if redline.AsError(err) != nil {
				err = nil // what cannot be read now is not there to be changed
			}
			return err
		},
	)
	return &page{Title: view.FileName, Template: "source", Section: "/knowledge", Data: view}, err
}

func (s *sourceView) readRules(ctx context.Context, v *visit, id string) {
	rules, err := v.calls.Knowledge.Rules(ctx, redline.NamedSourceRequest{SourceID: id})
	if err != nil {
		s.RulesFailure = failureOf(err)
	}
	s.Rules = rules
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

// longestAnswer is how much is read of what the interface says of a file.
const longestAnswer = 64 << 10

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
		said, _ := io.ReadAll(io.LimitReader(answer.Body, longestAnswer)) // what is cut off is no answer, which is said then
		return redline.ErrorOf(answer.StatusCode, answer.Header, said)
	}
	return nil
}

func retrySource(v *visit) (next, notice string, err error) {
	_, err = v.calls.Knowledge.Retry(v.ctx, redline.NamedSourceRequest{SourceID: v.form("id")})
	return to("/source", "id", v.form("id")), "Tried again.", err
}

// rewritten is a source of which a new version was written, with the rules and the lines that it
// changed: the interface keeps no former versions.
type rewritten struct {
	ID string
	redline.UpdateResult
	Lines []line
}

// rewriteSource writes a new version of a source and shows which rules and lines came and went.
func (c *Console) rewriteSource(v *visit) (*page, error) {
	// A browser ends lines by two characters, the interface by one.
	wanted := redline.UpdateRequest{SourceID: v.form("id"), NewContent: strings.ReplaceAll(v.form("text"), "\r\n", "\n")}
	if known, err := strconv.ParseInt(v.form("version"), 10, 64); err == nil {
		wanted.ExpectedVersion = &known
	}
	before, err := v.calls.Knowledge.Download(v.ctx, redline.NamedSourceRequest{SourceID: wanted.SourceID})
	if err != nil {
		return nil, err
	}
	made, err := v.calls.Knowledge.Update(v.ctx, wanted)
	view := &rewritten{ID: wanted.SourceID, UpdateResult: made, Lines: compare(textOf(before), wanted.NewContent)}
	return &page{Title: "New version", Template: "rewritten", Section: "/knowledge", Data: view}, err
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
	// Lacking are sentences on what it had to do without.
	Lacking []string
}

// degraded is the header of an answer that had to do without a part of the service, lacking what
// its words mean for a reader.
const degraded = "X-Svc-Degraded"

var lacking = map[string]string{
	"recency":  "The index of what is known is away: in place of what is most like your words stands what came in last.",
	"keywords": "Meanings cannot be compared at the moment: this was found by its words alone.",
	"meaning":  "Words cannot be looked up at the moment: this was found by its meaning alone.",
	"partial":  "A part of what is known could not be asked at the moment: this is what the rest says.",
}

// lackingOf says what an answer had to do without, by its headers.
func lackingOf(header http.Header) (said []string) {
	for word := range strings.SplitSeq(header.Get(degraded), ",") {
		if sentence := lacking[strings.TrimSpace(word)]; sentence != "" {
			said = append(said, sentence)
		}
	}
	return said
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
		var header http.Header
		wanted := redline.KnowledgeSearchRequest{Query: view.Query, Hybrid: new(true), Highlights: new(true), IncludeRules: new(true)}
		found, err := v.calls.Knowledge.Search(v.ctx, wanted, redline.Header(&header))
		if err != nil {
			return nil, err
		}
		view.Lacking = lackingOf(header)
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
	// Lacking are sentences on what it had to do without.
	Lacking []string
}

func (c *Console) ask(v *visit) (*page, error) {
	view := &askView{Question: v.asked("q")}
	if view.Question != "" {
		var header http.Header
		found, err := v.calls.Memory.Ask(v.ctx, redline.AskRequest{Question: view.Question}, redline.Header(&header))
		if err != nil {
			return nil, err
		}
		view.Answer, view.Lacking = &found, lackingOf(header)
	}
	return &page{Title: "Ask", Template: "ask", Section: "/ask", Data: view}, nil
}
