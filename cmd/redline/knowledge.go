package main

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/embed/ortlib"
	pdfium "github.com/redline-svc/redline/internal/extract/pdf"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/vector"
)

// knowledge are the parts that only the sources of knowledge use.
type knowledge struct {
	rows     *models.Knowledge
	files    *blob.Store
	index    *vector.Index
	embedder embed.Embedder
	pdf      *pdfium.Converter
}

// openKnowledge makes the parts; neither index nor files have to answer yet.
// Without the sentence model the process runs all the same: searches fall back
// and ingestions wait.
func openKnowledge(ctx context.Context, p *parts) (knowledge, error) {
	files, err := blob.Open(ctx, blobOptions(p.conf.Blob))
	if err != nil {
		return knowledge{}, err
	}
	index, err := vector.New(p.conf.Weaviate.Addr)
	if err != nil {
		return knowledge{}, fmt.Errorf("REDLINE_WEAVIATE_ADDR: %w", err)
	}
	embedder, err := newEmbedder(ctx, p.conf.Embed)
	if err != nil {
		p.log.Error("texts cannot be embedded: searches by meaning fall back, ingestions wait", "error", err)
		embedder = embed.Absent{Cause: err}
	}
	return knowledge{rows: models.NewKnowledge(p.db, p.nudges), files: files, index: index, embedder: embedder, pdf: pdfium.New("")}, nil
}

func (k knowledge) close() {
	_ = k.files.Close() // what was written is closed already
	_ = k.pdf.Close()
}

func blobOptions(b config.Blob) blob.Options {
	return blob.Options{
		Dir: b.Dir, S3Bucket: b.S3Bucket, S3Region: b.S3Region, S3Endpoint: b.S3Endpoint, S3AccessKey: b.S3AccessKey,
		S3SecretKey: b.S3SecretKey.Reveal(), GCSBucket: b.GCSBucket, GCSCredentials: b.GCSCredentials.Reveal(),
	}
}

func newEmbedder(ctx context.Context, e config.Embed) (embed.Embedder, error) {
	switch e.Provider {
	case "http":
		return embed.NewHTTP(embed.HTTPOptions{URL: e.URL, APIKey: e.APIKey.Reveal(), Model: e.Model, Dimensions: e.Dimensions})
	case "lexical":
		return embed.Lexical{}, nil
	default:
		library, err := ortlib.Resolve(ctx, e.RuntimeLibrary)
		if err != nil {
			return nil, err
		}
		return embed.NewLocal(library)
	}
}
