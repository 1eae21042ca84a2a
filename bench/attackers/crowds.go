package attackers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// deleted annotations and recorded judgments are the attacker's, recordedAtOnce in a call.
	deleted, recorded, recordedAtOnce = 600, 10_000, 100
	// foundGoal is within how many seconds a judgment of another workspace is found.
	foundGoal = 3
	// documents are in the folder that is deleted, folderGoal is seconds until that is answered.
	documents, folderGoal = 100_000, 5
	// slowed is how many times as long others may take beside it.
	slowed = 2
)

// judgments has one workspace delete annotations and record judgments, and another record one and find it.
func judgments(ctx context.Context, s Service) ([]measure.Row, error) {
	attacker, other, err := s.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	alone, err := found(ctx, other, "alone")
	if err != nil {
		return nil, err
	}
	if err := annotate(ctx, attacker, deleted); err != nil {
		return nil, err
	}
	err = patiently(ctx, func() error {
		return call(ctx, attacker, client.DeleteAnnotations, map[string]any{"organizationId": "acme", "documentId": "d", "allAnnotations": true})
	})
	if err != nil {
		return nil, err
	}
	for from := 0; from < recorded; from += recordedAtOnce {
		items := make([]any, recordedAtOnce)
		for i := range items {
			items[i] = judgmentOf(fmt.Sprint("many-", from+i))
		}
		// What is over the limit of the key is not recorded.
		if err := call(ctx, attacker, client.RecordJudgments, map[string]any{"judgments": items}); err != nil && redline.AsError(err) == nil {
			return nil, err
		}
	}
	took, err := found(ctx, other, "beside")
	return []measure.Row{measure.Below(foundGoal, measure.Row{
		Name: "a judgment found beside 600 annotations deleted and judgments recorded", Unit: "s", Measured: took, What: "alone", Against: alone,
	})}, err
}

// patiently makes a call again when a limit of its key refused it, once that is over.
func patiently(ctx context.Context, fn func() error) error {
	return measure.Every(ctx, time.Second, func() (bool, error) {
		err := fn()
		if refused := redline.AsError(err); refused != nil && refused.HTTPStatus == http.StatusTooManyRequests {
			return false, nil
		}
		return err == nil, err
	})
}

func judgmentOf(id string) map[string]any {
	return map[string]any{
		"recordId": id, "decision": "approve", "contentType": "general", "judgeType": "human", "actionUser": map[string]any{"userId": "ann"},
		"reasoning": "The mill of " + id + " turns with the wheel.",
	}
}

// found records a judgment and returns in how many seconds a search finds it.
func found(ctx context.Context, w *client.Workspace, id string) (float64, error) {
	began := time.Now()
	if err := call(ctx, w, client.RecordJudgments, map[string]any{"judgments": []any{judgmentOf(id)}}); err != nil {
		return 0, err
	}
	type hits struct{ Results []struct{ RecordID string } }
	err := measure.Every(ctx, statusPause, func() (bool, error) {
		answer, err := client.Call[hits](ctx, w.Keyed, client.SearchJudgments, map[string]any{"query": "The mill of " + id})
		for _, hit := range answer.Results {
			if hit.RecordID == id {
				return true, err
			}
		}
		return false, err
	})
	return time.Since(began).Seconds(), err
}

// folder deletes one with many documents, made by SQL, while another workspace reads.
func folder(ctx context.Context, s Service) ([]measure.Row, error) {
	attacker, other, err := s.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	if err := call(ctx, attacker, client.AddFolders, map[string]any{"organizationId": "acme", "folders": []any{map[string]any{"folderId": "many"}}}); err != nil {
		return nil, err
	}
	_, err = s.Rows.Exec(ctx, `INSERT INTO documents (workspace_id, organization_key, document_id, folder_key, name, default_access)
SELECT f.workspace_id, f.organization_key, 'd' || n, f.key, 'd', 'public' FROM folders f, generate_series(1, $2) n
WHERE f.workspace_id = $1 AND f.folder_id = 'many'`, attacker.ID, documents)
	if err != nil {
		return nil, err
	}
	alone, err := readAll(ctx, other)
	if err != nil {
		return nil, err
	}
	deletion := make(chan error, 1)
	began := time.Now()
	var took time.Duration
	go func() {
		err := call(ctx, attacker, client.DeleteFolder, map[string]any{"organizationId": "acme", "folderId": "many"})
		took = time.Since(began)
		deletion <- err
	}()
	together, err := readAll(ctx, other)
	if gone := <-deletion; err == nil {
		err = gone
	}
	return []measure.Row{
		measure.Below(folderGoal, measure.Row{Name: "deleting a folder of 100,000 documents, answered", Unit: "s", Measured: took.Seconds()}),
		measure.AtMost(slowed, measure.Row{
			Name: "reads of another workspace beside it and what it leaves to do, p95", Unit: "ms",
			Measured: measure.Percentile(together, 95), What: "alone", Against: measure.Percentile(alone, 95),
		}),
	}, err
}
