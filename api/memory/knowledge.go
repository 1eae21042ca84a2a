package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/search"
)

// maxInline is how many bytes a file in a request has.
const maxInline = 5 << 20

type knowledgeStore interface {
	NoteFile(ctx context.Context, f knowledge.UnclaimedFile) error
	Accept(ctx context.Context, workspaceID string, n knowledge.NewSource) (knowledge.Accepted, error)
	IssueUpload(ctx context.Context, u knowledge.Upload, tokenHash []byte) (time.Time, error)
	UploadByToken(ctx context.Context, tokenHashes [][]byte) (*knowledge.Upload, error)
	UploadByRef(ctx context.Context, workspaceID, path string) (*knowledge.Upload, error)
	TakeTurn(ctx context.Context, u *knowledge.Upload, put string) (taken, waits bool, err error)
	EndTurn(ctx context.Context, u *knowledge.Upload, put string) error
	FinishUpload(ctx context.Context, u *knowledge.Upload, blobKey string, sha256 []byte) (bool, error)
	AcceptUpload(ctx context.Context, workspaceID, path string, ready func(*knowledge.Upload) error, n knowledge.NewSource) (knowledge.Accepted, error)
	Status(ctx context.Context, workspaceID, sourceID string) (*knowledge.SourceStatus, error)
	updateStore
	Stored(ctx context.Context, workspaceID, sourceID string, version int) (knowledge.Stored, error)
	List(ctx context.Context, workspaceID string, f knowledge.ListFilter, after *knowledge.SourcePosition, size int) (*knowledge.SourcePage, error)
	Rules(ctx context.Context, workspaceID, sourceID string) ([]knowledge.Rule, error)
	Canonical(ctx context.Context, workspaceID, sourceID string) (key string, err error)
	Delete(ctx context.Context, workspaceID, sourceID string, force bool) (knowledge.Deleted, error)
	Retry(ctx context.Context, workspaceID, sourceID string, now knowledge.Makers) error
	Serving(ctx context.Context, fresh bool) (*knowledge.Generation, error)
}

type fileStore interface {
	Write(ctx context.Context, key, contentType string, content io.Reader) error
	Read(ctx context.Context, key string) (blob.Reader, error)
	Delete(ctx context.Context, key string) error
}

// searchStore finds chunks and rules (*search.Searches).
type searchStore interface {
	Search(ctx context.Context, workspaceID string, index search.VectorIndex, q search.Query) (*search.Found, error)
	Hybrid(ctx context.Context, workspaceID string, index search.KeywordIndex, q search.Query, text string) (*search.Found, error)
}

// KnowledgeParts are what the area is made of.
type KnowledgeParts struct {
	Store  knowledgeStore
	Found  searchStore
	Files  fileStore
	Index  search.KeywordIndex
	Models *embed.Models
	Box    *secret.Box
	// Drawing draws from the contents of updates.
	Drawing knowledge.Drawing
	// Cursors seals the positions of lists.
	Cursors *cursor.Codec
	// PublicURL is the base of signed addresses, Bucket the logical name in
	// references to files.
	PublicURL, Bucket string
}

// Knowledge are the operations on sources of knowledge.
type Knowledge struct {
	KnowledgeParts

	// drawing bounds what updates draw at once.
	drawing *slots.Slots
}

// NewKnowledge makes the operations.
func NewKnowledge(p KnowledgeParts) *Knowledge {
	p.PublicURL = strings.TrimSuffix(p.PublicURL, "/")
	return &Knowledge{KnowledgeParts: p, drawing: slots.New(drawnAtOnce())}
}

// scopeIssues wants the organization of a document.
func scopeIssues(organizationID, documentID string) []fault.Issue {
	if documentID != "" && organizationID == "" {
		return []fault.Issue{{Code: shape.Required, Path: []string{"organizationId"}, Message: "is required with documentId"}}
	}
	return nil
}

// fileNameIssue wants a name that is safe to offer for saving.
func fileNameIssue(name string, path ...string) []fault.Issue {
	bad := strings.IndexFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '/' || r == '\\' }) >= 0
	if !bad {
		return nil
	}
	return []fault.Issue{{Code: shape.Pattern, Path: path, Message: "must not have control characters or path separators"}}
}

// IngestFile is a file in the request itself.
type IngestFile struct {
	Base64   string `json:"base64" minLength:"1" doc:"standard or URL-safe alphabet, padding optional"`
	MimeType string `json:"mimeType" enum:"application/pdf,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,text/plain"`
	FileName string `json:"fileName" minLength:"1" maxLength:"255" notBlank:"true"`
	FileSize int64  `json:"fileSize" minimum:"1" doc:"bytes, equal to the decoded length; at most 5242880"`
}

// IngestRequest brings a source in: inline, or by the reference of an upload.
type IngestRequest struct {
	Source         string      `json:"source" enum:"inline,fileRef"`
	File           *IngestFile `json:"file,omitempty" doc:"with inline"`
	FileRef        string      `json:"fileRef,omitempty" minLength:"1" maxLength:"1000" doc:"with fileRef: what upload-url gave"`
	MimeType       string      `json:"mimeType,omitempty" enum:"application/pdf,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,text/plain"`
	OrganizationID string      `json:"organizationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"acme"`
	DocumentID     string      `json:"documentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"spring"`
	OnDuplicate    string      `json:"onDuplicate,omitempty" enum:"create,reuse" example:"reuse" doc:"default create"`
}

// Validate wants the fields of one form only.
func (r *IngestRequest) Validate() []fault.Issue {
	issues := scopeIssues(r.OrganizationID, r.DocumentID)
	wanted := func(name string, wants, has bool) {
		switch {
		case wants && !has:
			issues = append(issues, fault.Issue{Code: shape.Required, Path: []string{name}, Message: "is required with this source"})
		case !wants && has:
			issues = append(issues, fault.Issue{Code: shape.Conflict, Path: []string{name}, Message: "does not belong to this source"})
		}
	}
	if r.Source != "" {
		wanted("file", r.Source == "inline", r.File != nil)
		wanted("fileRef", r.Source == "fileRef", r.FileRef != "")
		wanted("mimeType", r.Source == "fileRef", r.MimeType != "")
	}
	if r.File != nil {
		issues = append(issues, fileNameIssue(r.File.FileName, "file", "fileName")...)
		if r.File.FileSize > maxInline {
			issues = append(issues, fault.Issue{Code: shape.Range, Path: []string{"file", "fileSize"}, Message: "must be at most 5,242,880; upload the file instead"})
		}
	}
	return issues
}

// IngestResult says which source takes the file.
type IngestResult struct {
	Status   string `json:"status" enum:"processing"`
	SourceID string `json:"sourceId"`
	Message  string `json:"message"`
}

// Ingest accepts a file; what is made of it is made from the committed row.
func (k *Knowledge) Ingest(ctx context.Context, req *IngestRequest) (*IngestResult, error) {
	take := k.ingestUpload
	if req.Source == "inline" {
		take = k.ingestInline
	}
	accepted, err := take(ctx, req)
	if err != nil {
		return nil, err
	}
	message := "The source was accepted and is being brought in."
	if accepted.Reused {
		message = "A source with the same bytes is there already."
	}
	return &IngestResult{Status: "processing", SourceID: accepted.SourceID, Message: message}, nil
}

func (k *Knowledge) ingestInline(ctx context.Context, req *IngestRequest) (knowledge.Accepted, error) {
	content, err := decodeFile(req.File)
	if err != nil {
		return knowledge.Accepted{}, err
	}
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	sum := sha256.Sum256(content)
	n := knowledge.NewSource{
		ID: knowledge.NewSourceID(), Type: "inline", OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, Reuse: req.OnDuplicate == "reuse",
		File: knowledge.SourceFile{Name: req.File.FileName, MimeType: req.File.MimeType, Size: req.File.FileSize, SHA256: sum[:]},
	}
	n.File.BlobKey = fmt.Sprintf("sources/%s/%s/v1/original", workspaceID, n.ID)
	if err := k.write(ctx, knowledge.UnclaimedFile{WorkspaceID: workspaceID, BlobKey: n.File.BlobKey}, n.File.MimeType, bytes.NewReader(content)); err != nil {
		return knowledge.Accepted{}, err
	}
	accepted, err := k.Store.Accept(ctx, workspaceID, n)
	if (err != nil && !fault.Is(err, fault.StatusDeadlineExceeded)) || accepted.Reused {
		k.drop(ctx, n.File.BlobKey)
	}
	return accepted, err
}

// write writes a file whose key is noted first: if its row is never committed, the
// file is found by that and removed.
func (k *Knowledge) write(ctx context.Context, f knowledge.UnclaimedFile, mimeType string, content io.Reader) error {
	if err := k.Store.NoteFile(ctx, f); err != nil {
		return err
	}
	if err := k.Files.Write(ctx, f.BlobKey, mimeType, content); err != nil {
		return fault.Unavailable(err)
	}
	return nil
}

// drop removes a file that no row names at once; one that stays is removed later.
func (k *Knowledge) drop(ctx context.Context, key string) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropLimit)
	defer cancel()
	_ = k.Files.Delete(own, key)
}

// dropLimit is how long the removal of a file may take.
const dropLimit = 5 * time.Second

// decodeFile returns the bytes of an inline file, compared with what is said of
// them.
func decodeFile(f *IngestFile) ([]byte, error) {
	if base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(f.Base64, "="))) > maxInline {
		return nil, fileIssue(shape.Length, "base64", "holds more than 5,242,880 bytes; upload the file instead")
	}
	content, err := formOf(f.Base64).DecodeString(f.Base64)
	switch {
	case err != nil || strings.ContainsAny(f.Base64, "\r\n"): // line ends, which the decoder passes over
		return nil, fileIssue(shape.Format, "base64", "is not base64")
	case len(content) == 0:
		return nil, fileIssue(shape.Length, "base64", "holds no bytes")
	case int64(len(content)) != f.FileSize:
		return nil, fileIssue(shape.Conflict, "fileSize", fmt.Sprintf("is not the decoded length, which is %d", len(content)))
	case !extract.Check(f.MimeType, content):
		return nil, fileIssue(shape.Conflict, "mimeType", "the bytes are not of this type")
	}
	return content, nil
}

// formOf is how a text is written: in either alphabet of RFC 4648, padded or not. The
// bits that the last character has beyond the bytes must be zero, so that bytes have
// one text in each form.
func formOf(text string) *base64.Encoding {
	form := base64.StdEncoding
	if strings.ContainsAny(text, "-_") {
		form = base64.URLEncoding
	}
	if !strings.HasSuffix(text, "=") {
		form = form.WithPadding(base64.NoPadding)
	}
	return form.Strict()
}

func fileIssue(code, field, message string) error {
	return fault.InvalidArgument(fault.Issue{Code: code, Path: []string{"file", field}, Message: message})
}

// IngestStatusRequest names a source.
type IngestStatusRequest struct {
	SourceID string `json:"sourceId" minLength:"1" maxLength:"200" notBlank:"true"`
}

// IngestProgress is how far the newest version is.
type IngestProgress struct {
	Stage       string `json:"stage"`
	ChunksDone  int    `json:"chunksDone" doc:"embedded chunks"`
	ChunksTotal int    `json:"chunksTotal" doc:"0 until the text is cut"`
}

// IngestStatus describes the newest version of a source.
type IngestStatus struct {
	Status         string         `json:"status" enum:"processing,completed,failed"`
	SourceID       string         `json:"sourceId"`
	FileName       string         `json:"fileName"`
	MimeType       string         `json:"mimeType"`
	StartedAt      int64          `json:"startedAt"`
	UpdatedAt      int64          `json:"updatedAt"`
	Version        int            `json:"version"`
	LiveVersion    *int           `json:"liveVersion" nullable:"true"`
	Progress       IngestProgress `json:"progress"`
	FailureReason  string         `json:"failureReason,omitempty"`
	FailureMessage string         `json:"failureMessage,omitempty"`

	ExtractedRulesCount    *int            `json:"extractedRulesCount,omitempty"`
	ChunkCount             *int            `json:"chunkCount,omitempty"`
	OriginalDownloadURL    string          `json:"originalDownloadUrl,omitempty"`
	CanonicalMDDownloadURL string          `json:"canonicalMdDownloadUrl,omitempty"`
	DedupOf                string          `json:"dedupOf,omitempty"`
	Metadata               json.RawMessage `json:"metadata,omitempty"`
}

// Status returns how the ingestion of a source's newest version goes.
func (k *Knowledge) Status(ctx context.Context, req *IngestStatusRequest) (*IngestStatus, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	s, err := k.Store.Status(ctx, workspaceID, req.SourceID)
	if err != nil {
		return nil, err
	}
	view := &IngestStatus{
		Status: "processing", SourceID: s.SourceID, FileName: s.FileName, MimeType: s.MimeType, StartedAt: s.StartedAt.UnixMilli(), UpdatedAt: s.UpdatedAt.UnixMilli(),
		Version: s.Version, LiveVersion: s.LiveVersion, Progress: IngestProgress{Stage: s.Stage, ChunksDone: s.ChunksDone, ChunksTotal: s.ChunkCount},
		DedupOf: rpc.TextOf(s.DedupOf),
	}
	switch s.State {
	case "live":
		view.Status, view.Metadata = "completed", s.Metadata
		view.ExtractedRulesCount, view.ChunkCount = &s.RuleCount, &s.ChunkCount
		v := knowledge.VersionRef{WorkspaceID: workspaceID, SourceID: s.SourceID, Version: s.Version}
		view.OriginalDownloadURL, view.CanonicalMDDownloadURL = k.downloadURL(v, fileOriginal), k.downloadURL(v, fileCanonical)
	case "failed":
		view.Status, view.FailureReason, view.FailureMessage = "failed", rpc.TextOf(s.FailureReason), rpc.TextOf(s.FailureMessage)
	}
	return view, nil
}
