package attackers

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// largestCallers make each of the largest requests at once, largestCalls of them.
	largestCallers, largestCalls = 16, 64
	// slow is how many files are sent in that take long to convert, each of slowBytes.
	slow, slowBytes = 20, 30 << 20
	// soundGoal is within how many seconds another workspace's file is converted beside them.
	soundGoal   = 10
	statusPause = 100 * time.Millisecond
)

// largestRequests are bodies at the limits: the most elements, the longest texts, the deepest JSON, a file.
func largestRequests() map[string][]byte {
	comments := strings.TrimSuffix(strings.Repeat(`{"commentText":"x","from":{"userId":"ann"},"triggerNotification":true},`, 100), ",")
	many := strings.TrimSuffix(strings.Repeat(`{"commentData":[`+comments+`]},`, 10), ",")
	long := fmt.Sprintf(`{"commentData":[{"commentText":"%s","from":{"userId":"ann"}}]}`, strings.Repeat("x", 30_000))
	add := `{"data":{"organizationId":"acme","documentId":"d","commentAnnotations":[%s]}}`
	file := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("A. "), 5<<20/3))
	return map[string][]byte{
		client.AddAnnotations + " of most":    fmt.Appendf(nil, add, many),
		client.AddAnnotations + " of longest": fmt.Appendf(nil, add, strings.TrimSuffix(strings.Repeat(long+",", 33), ",")),
		client.AddAnnotations + " of deepest": []byte(`{"data":` + strings.Repeat("[", 1<<20-100)),
		client.GetAnnotations + " of most":    []byte(`{"data":{"organizationId":"acme","documentId":"d","pageSize":1000}}`),
		client.Ingest + " of a file": fmt.Appendf(nil, `{"data":{"source":"inline","file":{"base64":"%s","mimeType":"text/plain","fileName":"a.txt","fileSize":%d}}}`,
			file, 5<<20/3*3),
	}
}

// largest sends the largest requests, many at once, and looks at the memory of the process.
func largest(ctx context.Context, s Service) ([]measure.Row, error) {
	attacker, _, err := s.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	above, err := s.peak(ctx, func() error {
		for name, body := range largestRequests() {
			operation, _, _ := strings.Cut(name, " ")
			_, err := measure.Spread(ctx, largestCallers, largestCalls, func(ctx context.Context, _ int) error {
				reply, err := attacker.Keyed.Send(ctx, "/v2/"+operation, body, nil)
				if err == nil && reply.HTTP >= http.StatusInternalServerError {
					err = fmt.Errorf("%s: %d %s", name, reply.HTTP, reply.Body)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return []measure.Row{measure.Below(memoryGoal, measure.Row{
		Name: "memory above before beside the largest requests, 16 of each at once", Unit: "MiB", Measured: above,
	})}, err
}

// slowFiles has one workspace bring in files that take long to convert, and another one a sound PDF.
func slowFiles(ctx context.Context, s Service) ([]measure.Row, error) {
	attacker, other, err := s.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	_, sound, err := corpus.FaultyFiles()
	if err != nil {
		return nil, err
	}
	alone, err := brought(ctx, other, sound)
	if err != nil {
		return nil, err
	}
	text := bytes.Repeat([]byte("A. B, c; "), slowBytes/9)
	for range slow {
		if err := upload(ctx, attacker, text); err != nil {
			return nil, err
		}
	}
	took, err := brought(ctx, other, append(sound, '\n'))
	return []measure.Row{measure.Below(soundGoal, measure.Row{
		Name: "a PDF completed beside 20 files of 30 MB made to be slow", Unit: "s", Measured: took, What: "alone", Against: alone,
	})}, err
}

// upload brings a text in by an address.
func upload(ctx context.Context, w *client.Workspace, text []byte) error {
	type address struct{ UploadURL, FileRef string }
	at, err := client.Call[address](ctx, w.Keyed, client.UploadAddress, map[string]any{"mimeType": "text/plain", "fileSize": len(text)})
	if err != nil {
		return err
	}
	reply, err := client.PutFile(ctx, at.UploadURL, "text/plain", bytes.NewReader(text))
	if err == nil && reply.HTTP != http.StatusOK {
		err = fmt.Errorf("an upload was answered %d: %s", reply.HTTP, reply.Body)
	}
	if err != nil {
		return err
	}
	return call(ctx, w, client.Ingest, map[string]any{"source": "fileRef", "fileRef": at.FileRef, "mimeType": "text/plain"})
}

// brought brings a PDF in and returns in how many seconds it is completed.
func brought(ctx context.Context, w *client.Workspace, pdf []byte) (float64, error) {
	type status struct{ SourceID, Status, FailureReason string }
	began := time.Now()
	made, err := client.Call[status](ctx, w.Keyed, client.Ingest, map[string]any{"source": "inline", "file": map[string]any{
		"base64": base64.StdEncoding.EncodeToString(pdf), "mimeType": corpus.PDF, "fileName": "sound.pdf", "fileSize": len(pdf),
	}})
	if err != nil {
		return 0, err
	}
	err = measure.Every(ctx, statusPause, func() (bool, error) {
		now, err := client.Call[status](ctx, w.Keyed, client.IngestStatus, map[string]any{"sourceId": made.SourceID})
		if err == nil && now.Status == "failed" {
			err = fmt.Errorf("a sound PDF has failed: %s", now.FailureReason)
		}
		return now.Status == "completed", err
	})
	return time.Since(began).Seconds(), err
}
