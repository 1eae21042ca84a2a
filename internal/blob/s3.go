package blob

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// s3Tries is how often a request is sent until the store answers.
const s3Tries = 3

// s3Store keeps files as objects of a bucket.
type s3Store struct {
	client *minio.Client
	bucket string
}

// openS3 makes the client; without a transport it has one of its own.
func openS3(o Options, transport http.RoundTripper) (driver, error) {
	base := &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}
	if o.S3Endpoint != "" {
		var err error
		if base, err = url.Parse(o.S3Endpoint); err != nil {
			return nil, err
		}
	}
	client, err := minio.New(base.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(o.S3AccessKey, o.S3SecretKey, ""),
		Secure: base.Scheme == "https", Region: o.S3Region, MaxRetries: s3Tries, Transport: transport,
	})
	if err != nil {
		return nil, err
	}
	client.SetS3EnableDualstack(false) // the names that operators know and let through: s3.<region>.amazonaws.com
	return s3Store{client: client, bucket: o.S3Bucket}, nil
}

// write reads the content to its end before it sends: nothing is sent of one that
// breaks off, and a request that fails can be sent again. The client sends large
// files in parts, which nobody sees before the last. Every service compares an MD5;
// bodies in signed chunks and newer checksums some do not know.
func (s s3Store) write(ctx context.Context, key, contentType string, content io.Reader) error {
	whole, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	_, err = s.client.PutObject(ctx, s.bucket, key, bytes.NewReader(whole), int64(len(whole)), minio.PutObjectOptions{
		ContentType: contentType, SendContentMd5: true, DisableContentSha256: true,
	})
	return err
}

func (s s3Store) read(ctx context.Context, key string) (Reader, error) {
	object, err := s.client.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, missingObject(err)
	}
	info, err := object.Stat()
	if err != nil {
		_ = object.Close()
		return nil, missingObject(err)
	}
	return s3Object{Object: object, size: info.Size}, nil
}

func (s s3Store) remove(ctx context.Context, key string) error {
	return missingObject(s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{}))
}

func missingObject(err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return ErrMissing
	}
	return err
}

// s3Object is an open object; it is asked for once it is read.
type s3Object struct {
	*minio.Object

	size int64
}

func (o s3Object) Size() int64 { return o.size }
