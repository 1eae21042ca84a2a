package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/extract/confined"
	"github.com/redline-svc/redline/models/vector"
)

// knowledge are the parts that only the sources of knowledge use.
type knowledge struct {
	files  *blob.Store
	index  *vector.Index
	models *embed.Models
	// confined reads what callers send.
	confined *confined.Program
}

// openKnowledge makes the parts; neither index nor files have to answer yet.
// Without the sentence model the process runs all the same: searches fall back
// and ingestions wait.
func openKnowledge(ctx context.Context, p *parts) (knowledge, error) {
	files, err := blob.Open(blobOptions(p.conf.Blob))
	if err != nil {
		return knowledge{}, err
	}
	index, err := openIndex(p.conf.Weaviate)
	if err != nil {
		return knowledge{}, err
	}
	own, err := newConfined()
	if err != nil {
		return knowledge{}, err
	}
	return knowledge{
		files: files, index: index, models: embedders(ctx, p.conf.Embed, p.log), confined: own,
	}, nil
}

// openIndex makes the connection to the vector index, which does not have to answer yet.
func openIndex(w config.Weaviate) (*vector.Index, error) {
	options := []vector.Option{vector.WithKey(w.APIKey.Reveal())}
	if w.TLS {
		options = append(options, vector.WithTLS(nil))
	}
	index, err := vector.New(w.Addr, w.GRPCAddr, options...)
	if err != nil {
		return nil, fmt.Errorf("REDLINE_WEAVIATE_ADDR, REDLINE_WEAVIATE_GRPC_ADDR: %w", err)
	}
	return index, nil
}

func blobOptions(b config.Blob) blob.Options {
	return blob.Options{
		Dir: b.Dir, S3Bucket: b.S3Bucket, S3Region: b.S3Region, S3Endpoint: b.S3Endpoint, S3AccessKey: b.S3AccessKey,
		S3SecretKey: b.S3SecretKey.Reveal(),
	}
}

// embedders are the configured model and the one that it replaces.
func embedders(ctx context.Context, e config.Embed, log *slog.Logger) *embed.Models {
	current, err := embed.New(ctx, embed.Options{
		Provider: e.Provider, RuntimeLibrary: e.RuntimeLibrary,
		HTTP: embed.HTTPOptions{URL: e.URL, APIKey: e.APIKey.Reveal(), Model: e.Model, Dimensions: e.Dimensions},
	})
	if err != nil {
		log.Error("texts cannot be embedded: searches by meaning fall back, ingestions wait", "error", err)
		current = embed.Absent{Cause: err}
	}
	if e.PreviousURL == "" {
		return embed.NewModels(current, nil)
	}
	previous, err := embed.NewHTTP(embed.HTTPOptions{
		URL: e.PreviousURL, APIKey: e.PreviousAPIKey.Reveal(), Model: e.PreviousModel, Dimensions: e.PreviousDimensions,
	})
	if err != nil {
		log.Error("REDLINE_EMBED_PREVIOUS_URL is left out", "error", err)
		return embed.NewModels(current, nil)
	}
	return embed.NewModels(current, previous)
}
