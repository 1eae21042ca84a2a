package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/pages"
	"github.com/redline-svc/redline/bench/workflow"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// manyOnPages are made by SQL beside those of a few calls.
const manyOnPages = 100_000

// benchConsole measures the pages with a little of everything, and with many executions.
func benchConsole(ctx context.Context, r *rig) ([]measure.Row, error) {
	made, err := client.CreateWorkspace(ctx, r.serve.URL, measure.Unique("console")+"@bench.example.com")
	if err != nil {
		return nil, err
	}
	little := &readers{Runs: workflow.Runs{Workspace: made, Rows: r.Rows}}
	side := pages.Side{Console: r.serve.Console, PID: r.serve.PID(), Workspace: made}
	if side.Paths, err = little.fill(ctx); err != nil {
		return nil, err
	}
	rows, err := side.Paint(ctx, "with a little of everything")
	if err != nil {
		return rows, err
	}
	shown, err := side.Shown(ctx, little.waits)
	rows = append(rows, shown...)
	if err != nil {
		return rows, err
	}
	if err := (&apart{workspace: made, pool: r.Rows}).completed(ctx, manyOnPages); err != nil {
		return rows, err
	}
	for _, measured := range []func() ([]measure.Row, error){
		func() ([]measure.Row, error) { return side.Served(ctx, "with 100,000 executions") },
		func() ([]measure.Row, error) { return side.Paint(ctx, "with 100,000 executions") },
		func() ([]measure.Row, error) { return side.Live(ctx) },
	} {
		found, err := measured()
		rows = append(rows, found...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// readers is a workspace whose pages are read.
type readers struct {
	workflow.Runs
	definition string
}

// waits makes an execution that waits for ann.
func (r *readers) waits(ctx context.Context) (execution, step string, err error) {
	begun, err := r.Workspace.Dispatch(ctx, redline.DispatchRequest{DefinitionID: r.definition})
	if err != nil {
		return "", "", err
	}
	err = measure.Until(ctx, func() (bool, error) {
		view, err := r.Workspace.Get(ctx, begun.ExecutionID)
		if err == nil && len(view.Steps) > 0 && view.Steps[0].Status == "waiting" {
			step = view.Steps[0].StepID
		}
		return step != "", err
	})
	return begun.ExecutionID, step, err
}

// fill gives the workspace something for each page and returns the addresses of all pages, the live
// ones first.
func (r *readers) fill(ctx context.Context) ([]string, error) {
	for _, each := range []struct {
		operation string
		data      map[string]any
	}{
		{"organizations/add", map[string]any{"organizations": []any{map[string]any{"organizationId": "acme", "organizationName": "Acme"}}}},
		{"organizations/documents/add", map[string]any{"organizationId": "acme", "documents": []any{map[string]any{"documentId": "letter", "documentName": "Letter"}}}},
		{"commentannotations/add", map[string]any{"organizationId": "acme", "documentId": "letter", "commentAnnotations": []any{
			map[string]any{"annotationId": "a1", "commentData": []any{map[string]any{"commentText": "Which spring?", "from": map[string]any{"userId": "ann"}}}},
		}}},
		{"workspace/advancedwebhookconfig/update", map[string]any{"isEnabled": true}},
	} {
		if _, err := client.Call[any](ctx, r.Workspace.Keyed, each.operation, each.data); err != nil {
			return nil, fmt.Errorf("%s: %w", each.operation, err)
		}
	}
	var err error
	if r.definition, err = r.Define(ctx, []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...); err != nil {
		return nil, err
	}
	execution, _, err := r.waits(ctx)
	if err != nil {
		return nil, err
	}
	of := func(path string, query url.Values) string { return path + "?" + query.Encode() }
	acme, letter := url.Values{"organization": {"acme"}}, url.Values{"organization": {"acme"}, "document": {"letter"}, "id": {"letter"}}
	thread := url.Values{"organization": {"acme"}, "document": {"letter"}, "id": {"a1"}}
	return []string{
		"/", "/inbox/waiting", "/executions", of("/execution", url.Values{"id": {execution}}), "/definitions", "/endpoints", of("/document", letter), of("/thread", thread),
		"/judgments", "/jobs", "/inbox", of("/definition", url.Values{"id": {r.definition}}), of("/definition/edit", url.Values{"id": {r.definition}}), "/organizations",
		of("/documents", acme), of("/people", acme), "/knowledge", "/search", "/ask", "/patterns", "/settings", "/login",
	}, nil
}
