package models

import (
	"context"

	"github.com/redline-svc/redline/internal/definition"
)

// GraphFunc lets a test give graphs without definitions.
type GraphFunc func(versionRef string) (*definition.Graph, error)

func (f GraphFunc) graph(_ context.Context, _ rowQuerier, versionRef string) (*definition.Graph, error) {
	return f(versionRef)
}
