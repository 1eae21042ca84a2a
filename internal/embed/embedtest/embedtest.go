package embedtest

import (
	"context"
	"sync"
	"testing"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/embed/ortlib"
)

var local = sync.OnceValues(func() (*embed.Local, error) {
	library, err := ortlib.Resolve(context.Background(), "")
	if err != nil {
		return nil, err
	}
	return embed.NewLocal(library)
})

// Local is the sentence model; without the runtime library the test fails.
func Local(t testing.TB) *embed.Local {
	t.Helper()
	model, err := local()
	if err != nil {
		t.Fatalf("the sentence model cannot be had: %v", err)
	}
	return model
}
