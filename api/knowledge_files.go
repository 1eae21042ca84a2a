package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models"
)

// filesPath is where files are taken and served, each under its token.
const filesPath = "/v2/memory/files/"

const (
	// uploadTime is how long the bytes of an upload may take, downloadTime how
	// long those of a download.
	uploadTime, downloadTime = 10 * time.Minute, 10 * time.Minute
	// tokenBytes is the length of an upload's token: 192 bits.
	tokenBytes = 24
	// headBytes are looked at to tell the type of an uploaded file.
	headBytes = 4096
)

// Uses of the keys.
const (
	useUpload   = "redline/upload-token/v1"
	useDownload = "redline/download-token/v1"
)

// UploadURLRequest says what is going to be uploaded.
type UploadURLRequest struct {
	MimeType       string `json:"mimeType" enum:"application/pdf,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,text/plain"`
	FileSize       int64  `json:"fileSize" minimum:"1" maximum:"31457280" doc:"bytes"`
	FileName       string `json:"fileName,omitempty" minLength:"1" maxLength:"255" notBlank:"true"`
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" format:"caller-id"`
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
	if err := taken(req.MimeType); err != nil {
		return nil, err
	}
	token := base64.RawURLEncoding.EncodeToString(id.Random(tokenBytes))
	u := models.Upload{
		WorkspaceID: CallerFrom(ctx).WorkspaceID, Path: base64.RawURLEncoding.EncodeToString(id.Random(tokenBytes)),
		MimeType: req.MimeType, FileName: req.FileName, Size: req.FileSize, OrganizationID: req.OrganizationID, DocumentID: req.DocumentID,
	}
	if u.FileName == "" {
		u.FileName = "untitled" + extract.Extension(req.MimeType)
	}
	expires, err := k.Store.IssueUpload(ctx, u, k.Box.MAC(useUpload, []byte(token)))
	if err != nil {
		return nil, err
	}
	return &UploadURLResult{UploadURL: k.PublicURL + filesPath + token, FileRef: k.ref(u.Path), ExpiresAt: expires.UnixMilli()}, nil
}

func (k *Knowledge) ref(path string) string { return "gs://" + k.Bucket + "/" + path }

// ingestUpload accepts an uploaded file.
func (k *Knowledge) ingestUpload(ctx context.Context, req *IngestRequest) (models.Accepted, error) {
	path, ok := strings.CutPrefix(req.FileRef, k.ref(""))
	if raw, err := base64.RawURLEncoding.DecodeString(path); !ok || err != nil || len(raw) != tokenBytes {
		return models.Accepted{}, refIssue(shape.Pattern, "fileRef", "is not a reference that upload-url gives")
	}
	workspaceID := CallerFrom(ctx).WorkspaceID
	u, err := k.Store.UploadByRef(ctx, workspaceID, path)
	if err != nil {
		return models.Accepted{}, err
	}
	ready := func(u *models.Upload) error { return uploadReady(u, req) }
	if err := ready(u); err != nil {
		return models.Accepted{}, err
	}
	if err := k.checkUpload(ctx, u); err != nil {
		return models.Accepted{}, err
	}
	accepted, err := k.Store.AcceptUpload(ctx, workspaceID, path, ready, models.NewSource{
		ID: models.NewSourceID(), Type: "upload", OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, Reuse: req.OnDuplicate == "reuse",
	})
	if accepted.Reused && err == nil {
		k.drop(ctx, u.BlobKey)
	}
	return accepted, err
}

func refIssue(code, field, message string) error {
	return fault.Invalid(fault.Issue{Code: code, Path: []string{field}, Message: message})
}

// uploadReady compares an upload's state with what the request says of it.
func uploadReady(u *models.Upload, req *IngestRequest) error {
	switch {
	case u.OrganizationID != req.OrganizationID || u.DocumentID != req.DocumentID:
		return fault.Denied("scope-mismatch", "the file was uploaded for another organization or document")
	case u.State == "ingested":
		refused := fault.Precondition("already-ingested", "the file was ingested already")
		refused.Details.SourceID = u.SourceID
		return refused
	case u.MimeType != req.MimeType:
		return refIssue(shape.Conflict, "mimeType", "is not the one given to upload-url")
	case u.State == "issued" && u.Expired, !u.Kept:
		return fault.Precondition("upload-expired", "the address has expired")
	case u.State == "issued":
		return fault.Precondition("not-uploaded", "the file has not been uploaded")
	default:
		return nil
	}
}

// checkUpload looks whether the bytes are of the declared type.
func (k *Knowledge) checkUpload(ctx context.Context, u *models.Upload) error {
	file, err := k.Files.Read(ctx, u.BlobKey)
	if err != nil {
		return fault.Away(err)
	}
	defer func() { _ = file.Close() }()
	head, err := io.ReadAll(io.LimitReader(file, headBytes))
	switch {
	case err != nil:
		return fault.Away(err)
	case !extract.Check(u.MimeType, head):
		return refIssue(shape.Conflict, "mimeType", "the bytes are not of this type")
	default:
		return nil
	}
}

// takeFile takes exactly the declared bytes, once.
func (k *Knowledge) takeFile(ctx context.Context, x *exchange, u *models.Upload) (any, error) {
	r := x.request()
	if err := k.mayTake(u, r); err != nil {
		x.closing = true
		return nil, err
	}
	body := &measured{from: r.Body, want: u.Size, sum: sha256.New()}
	key := "uploads/" + u.Path + "/" + id.Token("f")
	err := k.Files.Write(ctx, key, u.MimeType, body)
	x.bytesIn = body.got
	if err != nil {
		x.closing = true
		return nil, uploadFault(body, err)
	}
	won, err := k.Store.FinishUpload(ctx, u, key, body.sum.Sum(nil))
	if err == nil && !won {
		err = alreadyUploaded()
	}
	if err != nil {
		if !fault.Is(err, fault.DeadlineExceeded) {
			k.drop(ctx, key)
		}
		return nil, err
	}
	return &uploadedFile{FileRef: k.ref(u.Path), FileSize: u.Size}, nil
}

// uploadOf finds the address of a token within the time of an answer.
func (k *Knowledge) uploadOf(ctx context.Context, token string) (*models.Upload, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return k.Store.UploadByToken(ctx, k.Box.MACs(useUpload, []byte(token)))
}

// storedOf finds the file of a download within the time of an answer.
func (k *Knowledge) storedOf(ctx context.Context, d download) (models.Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return k.Store.Stored(ctx, d.WorkspaceID, d.SourceID, d.Version)
}

// uploadedFile is the answer to a PUT.
type uploadedFile struct {
	FileRef  string `json:"fileRef"`
	FileSize int64  `json:"fileSize"`
}

func alreadyUploaded() error {
	return fault.Precondition("already-uploaded", "the file was uploaded already")
}

// mayTake looks at the address and the headers.
func (k *Knowledge) mayTake(u *models.Upload, r *http.Request) error {
	declared, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case u.State != "issued":
		return alreadyUploaded()
	case u.Expired:
		return fault.Precondition("upload-expired", "the address has expired")
	case err != nil || declared != u.MimeType:
		return fault.InvalidReason("content-type", "the content type must be "+u.MimeType)
	case r.ContentLength > u.Size:
		return fault.TooLarge(u.Size)
	case r.ContentLength >= 0 && r.ContentLength < u.Size:
		return tooShort(u.Size)
	default:
		return nil
	}
}

func tooShort(size int64) error {
	return fault.InvalidReason("file-size", fmt.Sprintf("the file must have exactly %d bytes", size))
}

// Faults of a body: other bytes than declared, or a caller that broke off.
var (
	errLong   = errors.New("more bytes than declared")
	errShort  = errors.New("fewer bytes than declared")
	errBroken = errors.New("the connection broke")
)

// measured reads a body of exactly so many bytes and sums it up.
type measured struct {
	from      io.Reader
	want, got int64
	sum       hash.Hash
}

// Read gives the next bytes, or an error once there are more or fewer than
// wanted.
func (m *measured) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	m.got += int64(n)
	m.sum.Write(into[:n])
	switch {
	case m.got > m.want:
		return 0, errLong
	case errors.Is(err, io.EOF) && m.got < m.want:
		return 0, errShort
	case err != nil && !errors.Is(err, io.EOF):
		return 0, errors.Join(errBroken, err)
	default:
		return n, err
	}
}

func uploadFault(body *measured, err error) error {
	switch {
	case errors.Is(err, errLong):
		return fault.TooLarge(body.want)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return slowBody(err)
	case errors.Is(err, errShort), errors.Is(err, errBroken):
		return tooShort(body.want)
	default:
		return fault.Away(err)
	}
}

// The files of a version that can be downloaded.
const (
	fileOriginal  = "original"
	fileCanonical = "canonical"
)

// download is what a download's token says.
type download struct {
	WorkspaceID string `json:"w"`
	SourceID    string `json:"s"`
	Version     int    `json:"v"`
	File        string `json:"f"`
	Expires     int64  `json:"e"`
}

// downloadURL signs an address of a file of a version, good for 15 minutes.
func (k *Knowledge) downloadURL(workspaceID string, s *models.SourceStatus, file string) string {
	payload, err := json.Marshal(download{workspaceID, s.SourceID, s.Version, file, time.Now().Add(models.UploadLife).UnixMilli()})
	if err != nil {
		return ""
	}
	return k.PublicURL + filesPath + writtenToken(payload, k.Box.MAC(useDownload, payload))
}

func writtenToken(payload, mac []byte) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode(payload) + "." + encode(mac)
}

// readToken gives what a token says. Error: NOT_FOUND of one that was not
// signed here or is over.
func (k *Knowledge) readToken(token string) (download, error) {
	var d download
	text, signature, _ := strings.Cut(token, ".")
	payload, err := base64.RawURLEncoding.DecodeString(text)
	mac, macErr := base64.RawURLEncoding.DecodeString(signature)
	// One token has one spelling, of which the decoder passes over some bits and
	// line feeds.
	spelled := err == nil && macErr == nil && writtenToken(payload, mac) == token
	if !spelled || !k.Box.Verify(useDownload, mac, payload) || json.Unmarshal(payload, &d) != nil || time.Now().UnixMilli() >= d.Expires {
		return download{}, fault.Missing("file")
	}
	return d, nil
}

// openFile finds the file of a download.
func (k *Knowledge) openFile(ctx context.Context, d download) (*offered, error) {
	stored, err := k.storedOf(ctx, d)
	if err != nil {
		return nil, err
	}
	file := &offered{name: stored.FileName, mimeType: stored.MimeType}
	key := stored.OriginalKey
	if d.File == fileCanonical {
		key, file.name, file.mimeType = stored.CanonicalKey, stored.FileName+".md", "text/markdown; charset=utf-8"
	}
	file.Reader, err = k.Files.Read(ctx, key)
	if errors.Is(err, blob.ErrMissing) {
		return nil, fault.Missing("file")
	}
	if err != nil {
		return nil, fault.Away(err)
	}
	return file, nil
}
