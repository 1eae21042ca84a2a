package vector_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/vector"
	"github.com/redline-svc/redline/models/vector/weaviatetest"
)

// activity is what the index says of a workspace in a collection.
func activity(t *testing.T, p vector.Partition) string {
	t.Helper()
	address, _ := weaviatetest.Addresses(t)
	answer, err := http.Get("http://" + address + "/v1/schema/" + string(p.Corpus) + p.Suffix + "/tenants/" + p.Workspace)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	var tenant struct{ ActivityStatus string }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&tenant))
	return tenant.ActivityStatus
}

// released makes a workspace with 300 chunks and nothing else and releases it.
func released(t *testing.T, x *vector.Index, suffix string) vector.Partition {
	t.Helper()
	p := vector.Partition{Suffix: suffix, Workspace: "ws_idle", Corpus: vector.Chunks}
	require.NoError(t, x.Insert(t.Context(), p, objects("src_1", "src_1/1", 0, 300)))
	require.Equal(t, "HOT", activity(t, p))
	require.NoError(t, x.Release(t.Context(), suffix, []string{"ws_idle", "ws_unknown"}))
	require.Equal(t, "COLD", activity(t, p))
	return p
}

// Whatever comes first brings a released workspace back, with all that it had.
func TestAnyUseBringsAReleasedWorkspaceBack(t *testing.T) {
	x := index(t)
	require.NoError(t, x.Release(t.Context(), "_none", []string{"ws_idle"}), "a generation of which nothing is there yet")
	for name, use := range map[string]func(ctx context.Context, p vector.Partition) (int, error){
		"search": func(ctx context.Context, p vector.Partition) (int, error) {
			hits, err := x.Nearest(ctx, p, vector.Query{Vector: unit(42), Limit: 1000})
			if err == nil {
				assert.Equal(t, "42", hits[0].Item)
			}
			return len(hits), err
		},
		"source": func(ctx context.Context, p vector.Partition) (int, error) {
			hits, err := x.Nearest(ctx, p, vector.Query{Vector: unit(42), Limit: 1000, Source: "src_1"})
			return len(hits), err
		},
		"count": func(ctx context.Context, p vector.Partition) (int, error) { return x.Count(ctx, p, "src_1/1") },
		"list": func(ctx context.Context, p vector.Partition) (int, error) {
			list, err := x.List(ctx, p, "", 1000)
			return len(list), err
		},
		"insert": func(ctx context.Context, p vector.Partition) (int, error) {
			if err := x.Insert(ctx, p, objects("src_2", "src_2/1", 300, 30)); err != nil {
				return 0, err
			}
			hits, err := x.Nearest(ctx, p, vector.Query{Vector: unit(42), Limit: 1000})
			return len(hits) - 30, err
		},
		"insert one": func(ctx context.Context, p vector.Partition) (int, error) {
			if err := x.Insert(ctx, p, objects("src_2", "src_2/1", 300, 1)); err != nil {
				return 0, err
			}
			return x.Count(ctx, p, "src_1/1")
		},
		"remove": func(ctx context.Context, p vector.Partition) (int, error) {
			if err := x.DeleteVersion(ctx, p, "src_1/1"); err != nil {
				return 0, err
			}
			list, err := x.List(ctx, p, "", 1000)
			return 300 - len(list), err
		},
		"remove one": func(ctx context.Context, p vector.Partition) (int, error) {
			if err := x.Delete(ctx, p, p.ID("src_1/1", "7")); err != nil {
				return 0, err
			}
			list, err := x.List(ctx, p, "", 1000)
			return 1 + len(list), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			suffix := "_b_" + strings.ReplaceAll(name, " ", "_")
			p := released(t, x, suffix)
			count, err := use(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, 300, count)
			require.Equal(t, "HOT", activity(t, p))
			require.NoError(t, x.Drop(t.Context(), suffix))
		})
	}
}

// bringsIn writes a version and reports whether it is there.
func bringsIn(t *testing.T, x *vector.Index, p vector.Partition, list []vector.Object) bool {
	count, err := 0, x.Insert(t.Context(), p, list)
	if err == nil {
		count, err = x.Count(t.Context(), p, list[0].Version)
	}
	return assert.NoError(t, err) && assert.Equal(t, len(list), count)
}

// Searches and writes that come while their workspace is being released succeed,
// over and over, and what was written is there.
func TestNothingFailsBecauseOfARelease(t *testing.T) {
	const releases, searchers, each = 20, 8, 20
	x, ctx := index(t), t.Context()
	p := released(t, x, "_w")
	done := make(chan struct{})
	busy := func() bool {
		select {
		case <-done:
			return false
		default:
			return true
		}
	}
	var all sync.WaitGroup
	for range searchers {
		all.Go(func() {
			for busy() {
				hits, err := x.Nearest(ctx, p, vector.Query{Vector: unit(42), Limit: 10})
				if assert.NoError(t, err) && assert.Len(t, hits, 10) {
					assert.Equal(t, "42", hits[0].Item)
				}
			}
		})
	}
	written, wrote, ended := 0, make(chan struct{}), make(chan struct{})
	all.Go(func() {
		defer close(ended)
		for busy() && bringsIn(t, x, p, objects("src_w", fmt.Sprintf("src_w/%d", written), 1000+each*written, each)) {
			written++
			select {
			case wrote <- struct{}{}:
			case <-done:
			}
		}
	})
	var failed error
	for range releases {
		failed = errors.Join(failed, x.Release(ctx, "_w", []string{p.Workspace}))
		for range 2 { // the second of these writes began after the release
			select {
			case <-wrote:
			case <-ended:
			}
		}
	}
	close(done)
	all.Wait()
	require.NoError(t, failed)
	require.Positive(t, written)
	hits, err := x.Nearest(ctx, p, vector.Query{Vector: unit(42), Limit: 300 + each*written})
	require.NoError(t, err)
	require.Len(t, hits, 300+each*written)
}
