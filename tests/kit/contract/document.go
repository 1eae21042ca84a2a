package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// documentPath is where a service publishes its document.
const documentPath = "/v2/openapi.json"

// resource names the document for the compiler; nothing is fetched from there. A name alone would
// be one of a file in the folder, whose name may have characters that a URL has not.
const resource = "https://redline.test/openapi.json"

// Document is a published document, its schemas compiled, with the mismatches
// found so far. It may be used from many goroutines.
type Document struct {
	operations map[string]*operation // by path: all of them are POSTs
	pages      []string              // what the paths begin with that people open in a browser
	refusal    *jsonschema.Schema    // of all with an envelope, and of unknown paths

	// fitted are the texts that were found to fit, by their sums.
	seed   maphash.Seed
	fitted sync.Map

	mu       sync.Mutex
	found    []error
	followed []*Followed
}

// fitting is a text that fits a schema.
type fitting struct {
	schema *jsonschema.Schema
	sum    uint64
}

// operation has the schemas of a request, of a success and of a refusal.
type operation struct{ request, result, refusal *jsonschema.Schema }

// Fetch reads the document of the service at the base address (no slash at the end).
func Fetch(ctx context.Context, baseURL string) (*Document, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL+documentPath, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d: %s", documentPath, answer.StatusCode, text)
	}
	return read(text)
}

// read takes a document as JSON.
func read(text []byte) (*Document, error) {
	var table struct {
		Paths map[string]struct {
			Post *struct {
				Body json.RawMessage `json:"requestBody"`
			} `json:"post"`
			Get *struct {
				Responses map[string]struct {
					Content map[string]any `json:"content"`
				} `json:"responses"`
			} `json:"get"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &table); err != nil {
		return nil, fmt.Errorf("%s: %w", documentPath, err)
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", documentPath, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020) // that of OpenAPI 3.1
	compiler.AssertFormat()
	if err = compiler.AddResource(resource, whole); err != nil {
		return nil, err
	}
	d := &Document{operations: map[string]*operation{}, seed: maphash.MakeSeed()}
	for path, methods := range table.Paths {
		if methods.Get != nil && methods.Get.Responses["200"].Content["text/html"] != nil {
			begin, _, _ := strings.Cut(path, "{")
			d.pages = append(d.pages, begin)
		}
		if methods.Post == nil || methods.Post.Body == nil {
			continue // a file, or a page
		}
		if err = d.add(compiler, path); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// add compiles the schemas of the operation at a path. Refusals of those whose results
// have an envelope must have one form: so paths that are no operation's can be held
// against it too.
func (d *Document) add(compiler *jsonschema.Compiler, path string) (err error) {
	pointer := resource + "#/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(path) + "/post/"
	const schema = "/content/application~1json/schema"
	o := &operation{}
	if o.request, err = compiler.Compile(pointer + "requestBody" + schema); err != nil {
		return err
	}
	if o.result, err = compiler.Compile(pointer + "responses/200" + schema); err != nil {
		return err
	}
	if o.refusal, err = compiler.Compile(pointer + "responses/default" + schema); err != nil {
		return err
	}
	if o.refusal.Ref != nil {
		o.refusal = o.refusal.Ref
	}
	d.operations[path] = o
	if !slices.Contains(o.result.Required, "result") {
		return nil
	}
	if d.refusal != nil && d.refusal != o.refusal {
		return fmt.Errorf("%s: refusals of another form", path)
	}
	d.refusal = o.refusal
	return nil
}

// Mismatches returns all that were found so far as one error, nil if none.
func (d *Document) Mismatches() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(d.found...)
}

// keep remembers a mismatch and returns it.
func (d *Document) keep(mismatch error) error {
	if mismatch == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found = append(d.found, mismatch)
	return mismatch
}

// check holds one call against the document: the answer, and the request if it
// was taken. sent is nil where it is not known.
func (d *Document) check(request *http.Request, sent []byte, answer *http.Response, text []byte) error {
	path, status := request.URL.Path, answer.StatusCode
	called := d.operations[path]
	if request.Method != http.MethodPost {
		called = nil
	}
	if called == nil && (status < http.StatusBadRequest || !versioned(path) || d.isPage(path)) {
		return nil
	}
	if status == http.StatusRequestHeaderFieldsTooLarge {
		return nil // the listener's own words: it has not read which operation is meant
	}
	schema := d.schemaOf(called, status)
	if kind := answer.Header.Get("Content-Type"); kind != "application/json" {
		return fmt.Errorf("%s %s: the answer %d is of type %q", request.Method, path, status, kind)
	}
	if err := d.fits(schema, text); err != nil {
		return fmt.Errorf("%s %s: the answer %d is not what the document says: %w in %s", request.Method, path, status, err, text)
	}
	if status != http.StatusOK || sent == nil || faulty(text) {
		return nil
	}
	d.took(path, sent)
	if err := d.fits(called.request, sent); err != nil {
		return fmt.Errorf("%s %s: the service took what the document refuses: %w in %s", request.Method, path, err, sent)
	}
	return nil
}

// schemaOf is that of an answer of the operation, which is nil for a path that is none.
func (d *Document) schemaOf(called *operation, status int) *jsonschema.Schema {
	switch {
	case status == http.StatusOK:
		return called.result
	case called != nil:
		return called.refusal
	}
	return d.refusal
}

// faulty reports whether the result is a judgment that the request is wrong: so workflow/definitions/lint refuses.
func faulty(text []byte) bool {
	if !bytes.Contains(text, []byte(`"valid"`)) {
		return false
	}
	var answer struct {
		Result struct {
			Valid *bool `json:"valid"`
		} `json:"result"`
	}
	err := json.Unmarshal(text, &answer)
	return err == nil && answer.Result.Valid != nil && !*answer.Result.Valid
}

// isPage reports whether a path is that of a page, whose refusals are pages too.
func (d *Document) isPage(path string) bool {
	return slices.ContainsFunc(d.pages, func(begin string) bool { return strings.HasPrefix(path, begin) })
}

// versioned reports whether a path is one of the interface.
func versioned(path string) bool {
	return strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/v2/")
}

// fits holds a text against a schema. Whoever polls sends and gets the same over and over, and to
// read it takes longer than to know it again.
func (d *Document) fits(schema *jsonschema.Schema, text []byte) error {
	known := fitting{schema, maphash.Bytes(d.seed, text)}
	if _, seen := d.fitted.Load(known); seen {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err == nil {
		d.fitted.Store(known, true)
	}
	return err
}
