package embed

import (
	"context"

	"github.com/redline-svc/redline/internal/embed/ortlib"
)

// Options say which provider embeds texts and what it needs.
type Options struct {
	// Provider is http or lexical; everything else is local.
	Provider string
	// RuntimeLibrary is the file of the ONNX runtime for the local provider; where it is
	// empty, package ortlib finds one.
	RuntimeLibrary string
	// HTTP is the endpoint of the provider http.
	HTTP HTTPOptions
}

// New makes the provider that the options name; it embeds nothing yet.
func New(ctx context.Context, o Options) (Embedder, error) {
	switch o.Provider {
	case "http":
		return NewHTTP(o.HTTP)
	case "lexical":
		return Lexical{}, nil
	default:
		library, err := ortlib.Resolve(ctx, o.RuntimeLibrary)
		if err != nil {
			return nil, err
		}
		return NewLocal(library)
	}
}
