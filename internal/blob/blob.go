package blob

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2/google"
)

// Options say where files are kept: exactly one of Dir, S3Bucket and GCSBucket
// is set.
type Options struct {
	Dir string

	S3Bucket, S3Region string
	// S3Endpoint is the base address of another service that speaks like S3.
	S3Endpoint               string
	S3AccessKey, S3SecretKey string

	GCSBucket string
	// GCSCredentials is a key file's content; empty for the machine's own.
	GCSCredentials string
}

// ErrMissing is a file that is not there.
var ErrMissing = errors.New("blob: there is no such file")

// Store keeps files. It is safe for use by many goroutines.
type Store struct{ bucket *blob.Bucket }

// Open makes the store. It does not call S3 or GCS.
func Open(ctx context.Context, o Options) (*Store, error) {
	bucket, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open the file store: %w", err)
	}
	return &Store{bucket: bucket}, nil
}

func open(ctx context.Context, o Options) (*blob.Bucket, error) {
	switch {
	case o.Dir != "":
		return fileblob.OpenBucket(o.Dir, &fileblob.Options{
			CreateDir: true, NoTempDir: true, Metadata: fileblob.MetadataDontWrite,
		})
	case o.S3Bucket != "":
		return s3blob.OpenBucket(ctx, s3Client(o), o.S3Bucket, nil)
	case o.GCSBucket != "":
		return openGCS(ctx, o)
	default:
		return nil, errors.New("no folder and no bucket is named")
	}
}

func s3Client(o Options) *s3.Client {
	options := s3.Options{
		Region:      o.S3Region,
		Credentials: aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider(o.S3AccessKey, o.S3SecretKey, "")),
	}
	if o.S3Endpoint != "" {
		options.BaseEndpoint = aws.String(o.S3Endpoint)
		options.UsePathStyle = true
	}
	return s3.New(options)
}

func openGCS(ctx context.Context, o Options) (*blob.Bucket, error) {
	var found *google.Credentials
	var err error
	if o.GCSCredentials != "" {
		found, err = google.CredentialsFromJSON(ctx, []byte(o.GCSCredentials), "https://www.googleapis.com/auth/devstorage.read_write") //nolint:staticcheck // the operator's own key file
	} else {
		found, err = gcp.DefaultCredentials(ctx)
	}
	if err != nil {
		return nil, err
	}
	client, err := gcp.NewHTTPClient(gcp.DefaultTransport(), gcp.CredentialsTokenSource(found))
	if err != nil {
		return nil, err
	}
	return gcsblob.OpenBucket(ctx, client, o.GCSBucket, nil)
}

// Close ends the store.
func (s *Store) Close() error { return s.bucket.Close() }

// Write keeps what content gives under key, whole or not at all. An error of
// content comes back as it is; the file that was there before stays then.
func (s *Store) Write(ctx context.Context, key, contentType string, content io.Reader) error {
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.bucket.NewWriter(own, key, &blob.WriterOptions{ContentType: contentType, DisableContentTypeDetection: true})
	if err != nil {
		return fmt.Errorf("write a file: %w", err)
	}
	if _, err := io.Copy(w, content); err != nil {
		cancel() // closing a writer whose context has ended throws its file away
		_ = w.Close()
		return err
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("write a file: %w", err)
	}
	return nil
}

// Reader reads a file from any offset in it.
type Reader interface {
	io.ReadSeekCloser
	// Size of the file in bytes.
	Size() int64
}

// Read opens a file, or gives ErrMissing.
func (s *Store) Read(ctx context.Context, key string) (Reader, error) {
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, translate("read", err)
	}
	return r, nil
}

// ReadAll reads a whole file, or gives ErrMissing.
func (s *Store) ReadAll(ctx context.Context, key string) ([]byte, error) {
	content, err := s.bucket.ReadAll(ctx, key)
	return content, translate("read", err)
}

// Delete removes a file; one that is not there is removed already.
func (s *Store) Delete(ctx context.Context, key string) error {
	err := translate("delete", s.bucket.Delete(ctx, key))
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// Check reports whether the store answers.
func (s *Store) Check(ctx context.Context) error {
	ok, err := s.bucket.IsAccessible(ctx)
	if err == nil && !ok {
		err = errors.New("the file store is not there")
	}
	return err
}

func translate(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case gcerrors.Code(err) == gcerrors.NotFound:
		return ErrMissing
	default:
		return fmt.Errorf("%s a file: %w", what, err)
	}
}
