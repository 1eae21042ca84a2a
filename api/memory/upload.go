package memory

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strings"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/signed"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/knowledge"
)

const (
	// uploadKey is the use of the key that makes the hashes of tokens.
	uploadKey = "redline/upload-token/v1"
	// tokenBytes is the length of an upload's token: 192 bits.
	tokenBytes = 24
)

// UploadURLRequest says what is going to be uploaded.
type UploadURLRequest struct {
	MimeType       string `json:"mimeType" enum:"application/pdf,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,text/plain"`
	FileSize       int64  `json:"fileSize" minimum:"1" maximum:"31457280" doc:"bytes"`
	FileName       string `json:"fileName,omitempty" minLength:"1" maxLength:"255" notBlank:"true"`
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"acme"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"spring"`
}

// Validate looks at scope and name.
func (r *UploadURLRequest) Validate() []fault.Issue {
	return append(scopeIssues(r.OrganizationID, r.DocumentID), fileNameIssue(r.FileName, "fileName")...)
}

// UploadURLResult is where the file goes, and its reference for ingest.
type UploadURLResult struct {
	UploadURL string `json:"uploadUrl" doc:"PUT the bytes here"`
	FileRef   string `json:"fileRef"`
	ExpiresAt int64  `json:"expiresAt" doc:"epoch ms"`
}

// UploadURL mints an address for one file.
func (k *Knowledge) UploadURL(ctx context.Context, req *UploadURLRequest) (*UploadURLResult, error) {
	token := base64.RawURLEncoding.EncodeToString(id.Random(tokenBytes))
	u := knowledge.Upload{
		WorkspaceID: rpc.CallerFrom(ctx).WorkspaceID, Path: base64.RawURLEncoding.EncodeToString(id.Random(tokenBytes)),
		MimeType: req.MimeType, FileName: req.FileName, Size: req.FileSize, OrganizationID: req.OrganizationID, DocumentID: req.DocumentID,
	}
	if u.FileName == "" {
		u.FileName = "untitled" + extract.Extension(req.MimeType)
	}
	expires, err := k.Store.IssueUpload(ctx, u, k.Box.MAC(uploadKey, []byte(token)))
	if err != nil {
		return nil, err
	}
	return &UploadURLResult{UploadURL: k.PublicURL + signed.Path + token, FileRef: k.ref(u.Path), ExpiresAt: expires.UnixMilli()}, nil
}

func (k *Knowledge) ref(path string) string { return "gs://" + k.Bucket + "/" + path }

// ingestUpload accepts an uploaded file.
func (k *Knowledge) ingestUpload(ctx context.Context, req *IngestRequest) (knowledge.Accepted, error) {
	path, ok := strings.CutPrefix(req.FileRef, k.ref(""))
	if raw, err := base64.RawURLEncoding.DecodeString(path); !ok || err != nil || len(raw) != tokenBytes {
		return knowledge.Accepted{}, refIssue(shape.Pattern, "fileRef", "is not a reference that upload-url gives")
	}
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	u, err := k.Store.UploadByRef(ctx, workspaceID, path)
	if err != nil {
		return knowledge.Accepted{}, err
	}
	ready := func(u *knowledge.Upload) error { return uploadReady(u, req) }
	if err := ready(u); err != nil {
		return knowledge.Accepted{}, err
	}
	if err := k.checkUpload(ctx, u); err != nil {
		return knowledge.Accepted{}, err
	}
	return k.Store.AcceptUpload(ctx, workspaceID, path, ready, knowledge.NewSource{
		ID: knowledge.NewSourceID(), Type: "upload", OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, Reuse: req.OnDuplicate == "reuse",
	})
}

func refIssue(code, field, message string) error {
	return fault.InvalidArgument(fault.Issue{Code: code, Path: []string{field}, Message: message})
}

// uploadReady compares an upload's state with what the request says of it.
func uploadReady(u *knowledge.Upload, req *IngestRequest) error {
	switch {
	case u.Stray || u.OrganizationID != req.OrganizationID || u.DocumentID != req.DocumentID:
		return fault.PermissionDenied("scope-mismatch", "the file was uploaded for another organization or document")
	case u.State == "ingested":
		refused := fault.FailedPrecondition("already-ingested", "the file was ingested already")
		refused.Details.SourceID = u.SourceID
		return refused
	case u.MimeType != req.MimeType:
		return refIssue(shape.Conflict, "mimeType", "is not the one given to upload-url")
	case u.State == "issued" && u.Expired, !u.Kept:
		return fault.FailedPrecondition("upload-expired", "the address has expired")
	case u.State == "issued":
		return fault.FailedPrecondition("not-uploaded", "the file has not been uploaded")
	default:
		return nil
	}
}

// checkUpload looks whether the bytes are of the declared type.
func (k *Knowledge) checkUpload(ctx context.Context, u *knowledge.Upload) error {
	file, err := k.Files.Read(ctx, u.BlobKey)
	if err != nil {
		return fault.Unavailable(err)
	}
	defer func() { _ = file.Close() }()
	right, err := extract.CheckFile(u.MimeType, file)
	switch {
	case err != nil:
		return fault.Unavailable(err)
	case !right:
		return refIssue(shape.Conflict, "mimeType", "the bytes are not of this type")
	default:
		return nil
	}
}

// Incoming is the file that the token of an upload leads to: exactly the declared
// bytes, once.
func (k *Knowledge) Incoming(ctx context.Context, token string) (*rpc.Incoming, error) {
	u, err := k.Store.UploadByToken(ctx, k.Box.MACs(uploadKey, []byte(token)))
	if err != nil {
		return nil, err
	}
	file := &rpc.Incoming{WorkspaceID: u.WorkspaceID, MimeType: u.MimeType, Size: u.Size}
	switch {
	case u.State != "issued":
		file.Refused = alreadyUploaded()
	case u.Expired:
		file.Refused = fault.FailedPrecondition("upload-expired", "the address has expired")
	}
	file.Store = func(ctx context.Context, content io.Reader) (any, error) {
		return k.inTurn(ctx, u, func() (*UploadedFile, error) { return k.keep(ctx, u, content) })
	}
	return file, nil
}

const (
	// turnLook is how often a PUT looks whether it is its turn, turnAgain how often one that
	// has it asks for longer.
	turnLook, turnAgain = 250 * time.Millisecond, 5 * time.Second
	// turnWait is how long a PUT waits at most, as long as another one may take.
	turnWait = 10 * time.Minute
)

// inTurn does a PUT when no other one of its address goes on, in whatever process. Nothing
// of it is read before: where the one before it wins, it is refused, and where that one
// breaks off it is taken.
func (k *Knowledge) inTurn(ctx context.Context, u *knowledge.Upload, put func() (*UploadedFile, error)) (any, error) {
	name := id.Token("put")
	if err := k.awaitTurn(ctx, u, name); err != nil {
		return nil, err
	}
	defer k.keepTurn(ctx, u, name)()
	return put()
}

func (k *Knowledge) awaitTurn(ctx context.Context, u *knowledge.Upload, name string) error {
	ctx, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	for {
		taken, waits, err := k.Store.TakeTurn(ctx, u, name)
		switch {
		case err != nil || taken:
			return err
		case !waits:
			return alreadyUploaded()
		}
		select {
		case <-ctx.Done():
			return fault.DeadlineExceeded(ctx.Err())
		case <-time.After(turnLook):
		}
	}
}

// keepTurn keeps the turn until the function that it returns is called, which ends it. One
// that cannot be kept does no harm: of two files the first whole one is taken.
func (k *Knowledge) keepTurn(ctx context.Context, u *knowledge.Upload, name string) (end func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		again := time.NewTicker(turnAgain)
		defer again.Stop()
		for {
			select {
			case <-stop:
				return
			case <-again.C:
				own, cancel := context.WithTimeout(ctx, turnAgain)
				_, _, _ = k.Store.TakeTurn(own, u, name)
				cancel()
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropLimit)
		defer cancel()
		_ = k.Store.EndTurn(own, u, name)
	}
}

// keep writes an uploaded file and notes that it is there.
func (k *Knowledge) keep(ctx context.Context, u *knowledge.Upload, content io.Reader) (*UploadedFile, error) {
	sum := sha256.New()
	key := "uploads/" + u.Path + "/" + id.Token("f")
	if err := k.write(ctx, knowledge.UnclaimedFile{WorkspaceID: u.WorkspaceID, BlobKey: key}, u.MimeType, io.TeeReader(content, sum)); err != nil {
		return nil, err
	}
	won, err := k.Store.FinishUpload(ctx, u, key, sum.Sum(nil))
	if err == nil && !won {
		err = alreadyUploaded()
	}
	if err != nil {
		if !fault.Is(err, fault.StatusDeadlineExceeded) {
			k.drop(ctx, key)
		}
		return nil, err
	}
	return &UploadedFile{FileRef: k.ref(u.Path), FileSize: u.Size}, nil
}

// UploadedFile is the answer to the PUT of a file.
type UploadedFile struct {
	FileRef  string `json:"fileRef"`
	FileSize int64  `json:"fileSize"`
}

func alreadyUploaded() error {
	return fault.FailedPrecondition("already-uploaded", "the file was uploaded already")
}
