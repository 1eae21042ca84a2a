package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/attempt"
)

const (
	// pageLimit is how long one page may take, or opening the file. A try that
	// takes longer hangs, and is given up for a fresh one.
	pageLimit = attempt.HangLimit
	// memoryPages is what an instance may use: 768 MiB in pages of 64 KiB.
	memoryPages = 12 << 10
)

// Converter converts PDF files, as many at once as there are cores.
type Converter struct {
	cache string
	mu    sync.Mutex
	pool  pdfium.Pool
}

// New makes a converter that keeps PDFium's compiled code in a folder below
// cache; an empty name means the user's cache folder. It does not start PDFium.
func New(cache string) *Converter { return &Converter{cache: cache} }

// instances returns the pool and starts it where that has not been done.
func (c *Converter) instances() (pdfium.Pool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pool != nil {
		return c.pool, nil
	}
	folder, err := c.folder()
	if err != nil {
		return nil, err
	}
	compiled, err := wazero.NewCompilationCacheWithDir(folder)
	if err != nil {
		return nil, fmt.Errorf("open the cache of compiled code: %w", err)
	}
	c.pool, err = webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: runtime.GOMAXPROCS(0),
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(compiled).
			WithMemoryLimitPages(memoryPages).WithCloseOnContextDone(true),
		FSConfig: wazero.NewFSConfig(), // it sees no file
		Stdout:   io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return c.pool, nil
}

func (c *Converter) folder() (string, error) {
	cache := c.cache
	if cache == "" {
		var err error
		if cache, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	folder := filepath.Join(cache, "redline", "pdfium")
	return folder, os.MkdirAll(folder, 0o700)
}

// Close ends PDFium. No conversion may be under way.
func (c *Converter) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pool == nil {
		return nil
	}
	pool := c.pool
	c.pool = nil
	return pool.Close()
}

// Convert returns the file's text. A fault of the file is an *extract.Failure.
func (c *Converter) Convert(ctx context.Context, file []byte) (extract.Document, error) {
	return attempt.Convert(ctx, c.instance, func(ctx context.Context, instance pdfium.Pdfium, left time.Duration) (extract.Document, error) {
		pages, err := read(ctx, instance, file, left)
		if err != nil {
			return extract.Document{}, err
		}
		return document(ctx, pages)
	})
}

// instance takes a fresh instance, as soon as there is one.
func (c *Converter) instance(ctx context.Context) (pdfium.Pdfium, error) {
	pool, err := c.instances()
	if err != nil {
		return nil, err
	}
	instance, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("take a PDFium instance: %w", err)
	}
	return instance, nil
}

// read reads all pages in an instance, which is ended when ctx or the time ends,
// or when it hangs.
func read(ctx context.Context, instance pdfium.Pdfium, file []byte, limit time.Duration) (pages []page, err error) {
	ctx, hang := context.WithCancelCause(ctx)
	defer hang(nil)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	watch := time.AfterFunc(pageLimit, func() { hang(attempt.ErrHung) })
	defer watch.Stop()
	type result struct {
		pages []page
		err   error
	}
	done := make(chan result, 1)
	go func() {
		pages, err := readAll(ctx, instance, file, func() { watch.Reset(pageLimit) })
		done <- result{pages, err}
	}()
	select {
	case r := <-done:
		_ = instance.Close() // a crashed instance is thrown away all the same
		return r.pages, r.err
	case <-ctx.Done():
	}
	select {
	case <-done: // it looks between two pages whether it is still wanted
		_ = instance.Close()
	case <-time.After(killAfter):
		_ = instance.Kill()
		<-done
	}
	return nil, context.Cause(ctx)
}

// killAfter is how long a conversion that nobody wants any more may take to
// notice it. A kill is the last resort: the library does not lock for it.
const killAfter = 10 * time.Second

// readAll reads all pages and calls advanced before each of them.
func readAll(ctx context.Context, instance pdfium.Pdfium, file []byte, advanced func()) (pages []page, err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			pages, err = nil, fmt.Errorf("%w: %v", attempt.ErrCrashed, trouble)
		}
	}()
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &file})
	if err != nil {
		return nil, openFault(err)
	}
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", attempt.ErrCrashed, err)
	case count.PageCount == 0:
		return nil, extract.Fail(extract.Empty, "The file has no page.")
	case count.PageCount > extract.MaxPages:
		return nil, extract.Fail(extract.TooLarge, fmt.Sprintf("The file has %d pages; %d are taken.", count.PageCount, extract.MaxPages))
	}
	size := 0
	for number := range count.PageCount {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		advanced()
		p, err := readPage(instance, opened.Document, number)
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
		if size += len(p.plain); size > extract.MaxText {
			return nil, extract.Fail(extract.TooLarge, "The file holds more than 20 MiB of text.")
		}
	}
	return pages, nil
}

// openFault says why a file does not open. A trap of the WebAssembly has none
// of PDFium's own errors.
func openFault(err error) error {
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return extract.Fail(extract.Encrypted, "The file needs a password to be opened.")
	case errors.Is(err, pdfiumerrors.ErrFile), errors.Is(err, pdfiumerrors.ErrFormat),
		errors.Is(err, pdfiumerrors.ErrUnknown), errors.Is(err, pdfiumerrors.ErrPage):
		return extract.Fail(extract.Corrupt, "The file cannot be read as a PDF; it is damaged or incomplete.")
	default:
		return fmt.Errorf("%w: %w", attempt.ErrCrashed, err)
	}
}
