package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Options say where files are kept: exactly one of Dir and S3Bucket is set.
type Options struct {
	Dir string

	S3Bucket, S3Region string
	// S3Endpoint is the base URL, without a path, of another service that speaks
	// like S3; empty for Amazon's.
	S3Endpoint               string
	S3AccessKey, S3SecretKey string
}

// ErrMissing is a file that is not there.
var ErrMissing = errors.New("blob: there is no such file")

// Reader reads a file from any offset in it.
type Reader interface {
	io.ReadSeekCloser
	// Size of the file in bytes.
	Size() int64
}

// driver is a kind of store. Its errors carry no context but for ErrMissing.
type driver interface {
	write(ctx context.Context, key, contentType string, content io.Reader) error
	read(ctx context.Context, key string) (Reader, error)
	remove(ctx context.Context, key string) error
}

// Store keeps files. It is safe for use by many goroutines.
type Store struct{ driver driver }

// Open makes the store. It does not call S3.
func Open(o Options) (*Store, error) {
	kept, err := open(o)
	if err != nil {
		return nil, fmt.Errorf("open the file store: %w", err)
	}
	return &Store{driver: kept}, nil
}

func open(o Options) (driver, error) {
	switch {
	case o.Dir != "":
		return openFolder(o.Dir)
	case o.S3Bucket != "":
		return openS3(o, nil)
	default:
		return nil, errors.New("no folder and no bucket is named")
	}
}

// Write keeps what content yields under key, whole or not at all: after an error
// the file that was there before stays. An error of content is wrapped. Content is
// bounded by the caller: a bucket's driver holds it in memory.
func (s *Store) Write(ctx context.Context, key, contentType string, content io.Reader) error {
	return wrap("write", s.driver.write(ctx, key, contentType, content))
}

// Read opens a file; the error is ErrMissing if there is none.
func (s *Store) Read(ctx context.Context, key string) (Reader, error) {
	r, err := s.driver.read(ctx, key)
	if err != nil {
		return nil, wrap("read", err)
	}
	return r, nil
}

// ReadAll reads a whole file; the error is ErrMissing if there is none.
func (s *Store) ReadAll(ctx context.Context, key string) ([]byte, error) {
	r, err := s.Read(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	return content, wrap("read", err)
}

// Delete removes a file; one that is not there is removed already.
func (s *Store) Delete(ctx context.Context, key string) error {
	err := s.driver.remove(ctx, key)
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return wrap("delete", err)
}

func wrap(what string, err error) error {
	if err == nil || errors.Is(err, ErrMissing) {
		return err
	}
	return fmt.Errorf("%s a file: %w", what, err)
}
