package api_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestUpload_1And2_FiftyAddressesAreOutstandingAtMost(t *testing.T) {
	env := newWorkspace(t)
	given := make([]redline.UploadURLResult, 100)
	reasons := make([]string, 100)
	var callers sync.WaitGroup
	for i := range given {
		callers.Go(func() {
			var err error
			given[i], err = client.Call[redline.UploadURLResult](env.Ctx, env.Keyed, client.UploadAddress, map[string]any{"mimeType": kit.PlainText, "fileSize": 5})
			if failure := redline.AsError(err); failure != nil {
				reasons[i] = string(failure.Reason)
			}
		})
	}
	callers.Wait()
	slices.Sort(reasons)
	require.Equal(t, append(slices.Repeat([]string{""}, 50), slices.Repeat([]string{"upload-slots"}, 50)...), reasons)
	one := given[slices.IndexFunc(given, func(u redline.UploadURLResult) bool { return u.UploadURL != "" })]
	code, _ := kit.Put(t, one.UploadURL, kit.PlainText, strings.NewReader("a b c"))
	require.Equal(t, http.StatusOK, code)
	kit.IngestAs(env, map[string]any{"source": "fileRef", "fileRef": one.FileRef, "mimeType": kit.PlainText})
	kit.RequestUpload(env, 5, kit.PlainText)
	full := env.RefusedAs("RESOURCE_EXHAUSTED", client.UploadAddress, map[string]any{"mimeType": kit.PlainText, "fileSize": 5})
	require.Equal(t, redline.ErrorDetailsReasonUploadSlots, full.Reason)
	require.True(t, 0 < full.RetryAfter && full.RetryAfter <= 15*time.Minute, "until the first of them expires: %s", full.RetryAfter)
	kit.UploadEnds(env, given[slices.IndexFunc(given, func(u redline.UploadURLResult) bool { return u.UploadURL != "" && u != one })], "1 second")
	kit.RequestUpload(env, 5, kit.PlainText)
	env.RefusedAs("RESOURCE_EXHAUSTED", client.UploadAddress, map[string]any{"mimeType": kit.PlainText, "fileSize": 5})
	env.RefusedAs("INVALID_ARGUMENT", client.UploadAddress, map[string]any{"mimeType": "text/html", "fileSize": 5})
	env.RefusedAs("INVALID_ARGUMENT", client.UploadAddress, map[string]any{"mimeType": kit.PlainText, "fileSize": 5, "fileName": " "})
	env.RefusedAs("INVALID_ARGUMENT", client.IngestStatus, map[string]any{"sourceId": " "})
	for _, size := range []any{31457281, 0, 1.5, "10"} {
		env.RefusedAs("INVALID_ARGUMENT", client.UploadAddress, map[string]any{"mimeType": kit.PlainText, "fileSize": size})
	}
}

// An address ends after fifteen minutes; what was uploaded until then waits an
// hour longer.
func TestUpload_1AndFiles_AnAddressThatHasEnded(t *testing.T) {
	env := newWorkspace(t)
	const content = "The bell must be rung at noon."
	ingest := func(u redline.UploadURLResult) map[string]any {
		return map[string]any{"source": "fileRef", "fileRef": u.FileRef, "mimeType": kit.PlainText}
	}
	unused := kit.RequestUpload(env, len(content), kit.PlainText)
	kit.UploadEnds(env, unused, "1 second")
	code, text := kit.Put(t, unused.UploadURL, kit.PlainText, strings.NewReader(content))
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, text, "upload-expired")
	require.Equal(t, redline.ErrorDetailsReasonUploadExpired, env.RefusedAs("FAILED_PRECONDITION", client.Ingest, ingest(unused)).Reason)
	for ago, taken := range map[string]bool{"59 minutes": true, "61 minutes": false} {
		u := kit.RequestUpload(env, len(content), kit.PlainText)
		code, text = kit.Put(t, u.UploadURL, kit.PlainText, strings.NewReader(content))
		require.Equal(t, http.StatusOK, code, text)
		kit.UploadEnds(env, u, ago)
		if taken {
			kit.IngestAs(env, ingest(u))
			continue
		}
		require.Equal(t, redline.ErrorDetailsReasonUploadExpired, env.RefusedAs("FAILED_PRECONDITION", client.Ingest, ingest(u)).Reason)
	}
}
