package redline

import (
	"context"
	"io"
	"net/http"
)

// Upload is a file on its way into the knowledge base.
type Upload struct {
	// FileName and MimeType are the source's; both are needed.
	FileName string
	MimeType UploadURLRequestMimeType
	// Size is how many bytes Content has.
	Size    int64
	Content io.Reader
	// OrganizationID and DocumentID are where it belongs; nil for the whole workspace.
	OrganizationID, DocumentID *string
	// Progress, unless it is nil, is called while the file is read and indexed.
	Progress func(IngestProgress)
}

// Upload brings a file into the knowledge base: it asks for an address, sends the bytes there and
// returns the source once it is searchable or has failed (see its Status). Bytes are sent once:
// Content cannot be read again.
func (c *Client) Upload(ctx context.Context, u Upload) (IngestStatus, error) {
	address, err := c.Knowledge.UploadURL(ctx, UploadURLRequest{
		FileName: &u.FileName, FileSize: u.Size, MimeType: u.MimeType, OrganizationID: u.OrganizationID, DocumentID: u.DocumentID,
	})
	if err != nil {
		return IngestStatus{}, err
	}
	if err := c.put(ctx, address.UploadURL, u); err != nil {
		return IngestStatus{}, err
	}
	mimeType := IngestRequestMimeType(u.MimeType)
	taken, err := c.Knowledge.Ingest(ctx, IngestRequest{
		Source: IngestRequestSourceFileRef, FileRef: &address.FileRef, MimeType: &mimeType,
		OrganizationID: u.OrganizationID, DocumentID: u.DocumentID,
	})
	if err != nil {
		return IngestStatus{}, err
	}
	return c.WaitForIngestion(ctx, taken.SourceID, u.Progress)
}

func (c *Client) put(ctx context.Context, address string, u Upload) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address, u.Content)
	if err != nil {
		return err
	}
	request.ContentLength = u.Size
	request.Header.Set("Content-Type", string(u.MimeType))
	answer, err := c.do(request)
	if err == nil && answer.status != http.StatusOK {
		return ErrorOf(answer.status, answer.header, answer.body)
	}
	return err
}
