package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"

	"github.com/redline-svc/redline/internal/extract"
)

// errCrashed is a conversion that ended PDFium.
var errCrashed = errors.New("PDFium crashed")

// memoryPages is what an instance may use: 512 MiB in pages of 64 KiB.
const memoryPages = 8 << 10

// Converter converts PDF files, as many at once as there are cores.
type Converter struct {
	pool pdfium.Pool
}

// New starts PDFium. Its compiled code is kept in a folder below cache; an empty name
// means the user's cache folder.
func New(cache string) (*Converter, error) {
	folder, err := folderBelow(cache)
	if err != nil {
		return nil, err
	}
	compiled, err := wazero.NewCompilationCacheWithDir(folder)
	if err != nil {
		return nil, fmt.Errorf("open the cache of compiled code: %w", err)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: runtime.GOMAXPROCS(0),
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(compiled).WithMemoryLimitPages(memoryPages),
		FSConfig:      wazero.NewFSConfig(), // it sees no file
		Stdout:        io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return &Converter{pool: pool}, nil
}

func folderBelow(cache string) (string, error) {
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
func (c *Converter) Close() error { return c.pool.Close() }

// Convert returns the file's text, and calls advanced before each page. A fault of the
// file is an *extract.Failure; any other error, but that of ctx, is a crash.
func (c *Converter) Convert(ctx context.Context, file []byte, advanced func()) (extract.Document, error) {
	instance, err := c.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return extract.Document{}, fmt.Errorf("take a PDFium instance: %w", err)
	}
	defer func() { _ = instance.Close() }() // a crashed instance is thrown away all the same
	pages, err := readAll(ctx, instance, file, advanced)
	if err != nil {
		return extract.Document{}, err
	}
	return document(ctx, pages)
}

// readAll reads all pages and calls advanced before each of them.
func readAll(ctx context.Context, instance pdfium.Pdfium, file []byte, advanced func()) (pages []page, err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			pages, err = nil, fmt.Errorf("%w: %v", errCrashed, trouble)
		}
	}()
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &file})
	if err != nil {
		return nil, openFault(err)
	}
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errCrashed, err)
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

// openFault returns why a file does not open. A trap of the WebAssembly has none
// of PDFium's own errors.
func openFault(err error) error {
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return extract.Fail(extract.Encrypted, "The file needs a password to be opened.")
	case errors.Is(err, pdfiumerrors.ErrFile), errors.Is(err, pdfiumerrors.ErrFormat),
		errors.Is(err, pdfiumerrors.ErrUnknown), errors.Is(err, pdfiumerrors.ErrPage):
		return extract.Fail(extract.Corrupt, "The file cannot be read as a PDF; it is damaged or incomplete.")
	default:
		return fmt.Errorf("%w: %w", errCrashed, err)
	}
}
