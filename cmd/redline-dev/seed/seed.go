package seed

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const (
	definitionID = "editorial-sign-off"
	// settleLimit is how long the example may take to come to its person.
	settleLimit = 60 * time.Second
	poll        = 100 * time.Millisecond
)

// Target says where to seed and what an earlier start has made.
type Target struct {
	// URL is the interface, ReceiverURL the local receiver.
	URL, ReceiverURL string
	// Known are the credentials kept so far, under the names that Run returns.
	Known map[string]string
	// Remember keeps new credentials at once, so that a seed that is killed is gone on with.
	Remember func(map[string]string) error
}

// Run makes what is missing, and returns the credentials of the demo workspace.
func Run(ctx context.Context, target Target) (map[string]string, error) {
	credentials, err := workspace(ctx, target)
	if err != nil {
		return nil, fmt.Errorf("seed the workspace: %w", err)
	}
	caller := client{target.URL, map[string]string{
		"x-svc-api-key": credentials["REDLINE_API_KEY"], "x-svc-auth-token": credentials["REDLINE_AUTH_TOKEN"],
	}}
	if credentials["REDLINE_WORKSPACE_ID"] != target.Known["REDLINE_WORKSPACE_ID"] {
		if err := sendMails(ctx, caller); err != nil {
			return nil, fmt.Errorf("seed the e-mail service: %w", err)
		}
	}
	if err := target.Remember(credentials); err != nil {
		return nil, err
	}
	if err := ensureDefinition(ctx, caller, target.ReceiverURL); err != nil {
		return nil, fmt.Errorf("seed the definition: %w", err)
	}
	if err := ensureWaiting(ctx, caller); err != nil {
		return nil, fmt.Errorf("seed the execution: %w", err)
	}
	return credentials, nil
}

// sendMails switches the e-mail service of a new workspace on; what its people
// set later stays.
func sendMails(ctx context.Context, caller client) error {
	return caller.call(ctx, "/v2/workspace/emailconfig/update", map[string]any{
		"useEmailService": true, "emailServiceConfig": map[string]string{"type": "default"},
	}, &struct{}{})
}

// view is what is read of a workspace.
type view struct {
	Data struct {
		ID         string
		AuthToken  string
		APIKeyList map[string]struct{} `json:"apiKeyList"`
	}
}

// workspace is the known one, if it still answers, or a new one.
func workspace(ctx context.Context, target Target) (map[string]string, error) {
	var found view
	if target.Known["REDLINE_WORKSPACE_ID"] != "" {
		err := administrator(target.URL, target.Known["REDLINE_WORKSPACE_ID"], target.Known["REDLINE_WORKSPACE_AUTH_TOKEN"]).
			call(ctx, "/v2/workspace/get", struct{}{}, &found)
		if err != nil && !refused(err, "UNAUTHENTICATED") {
			return nil, err
		}
	}
	if found.Data.ID == "" {
		if err := createWorkspace(ctx, target.URL, &found); err != nil {
			return nil, err
		}
	}
	return firstKey(ctx, target, found)
}

// createWorkspace makes one for an owner of its own: an address owns only one on the free plan.
func createWorkspace(ctx context.Context, url string, made *view) error {
	var tag [4]byte
	_, _ = rand.Read(tag[:])
	return client{base: url}.call(ctx, "/v2/workspace/create", map[string]string{
		"ownerEmail": "demo+" + hex.EncodeToString(tag[:]) + "@example.com", "name": "Demo", "workspaceName": "Demo workspace",
	}, made)
}

func administrator(url, workspaceID, token string) client {
	return client{url, map[string]string{"x-svc-workspace-id": workspaceID, "x-svc-workspace-auth-token": token}}
}

// firstKey returns the known key of the workspace, or any of it, and its token.
func firstKey(ctx context.Context, target Target, found view) (map[string]string, error) {
	key := target.Known["REDLINE_API_KEY"]
	if _, ours := found.Data.APIKeyList[key]; !ours {
		for id := range found.Data.APIKeyList {
			key = id
		}
	}
	var tokens struct {
		Data struct{ AuthTokens []struct{ Token string } }
	}
	err := administrator(target.URL, found.Data.ID, found.Data.AuthToken).
		call(ctx, "/v2/workspace/authtokens/get", map[string]string{"apiKey": key}, &tokens)
	if err != nil {
		return nil, err
	}
	if len(tokens.Data.AuthTokens) == 0 {
		return nil, fmt.Errorf("key %s of the demo workspace has no token", key)
	}
	return map[string]string{
		"REDLINE_WORKSPACE_ID": found.Data.ID, "REDLINE_WORKSPACE_AUTH_TOKEN": found.Data.AuthToken,
		"REDLINE_API_KEY": key, "REDLINE_AUTH_TOKEN": tokens.Data.AuthTokens[0].Token,
	}, nil
}

// ensureDefinition creates the example, or points it to the receiver's present address.
func ensureDefinition(ctx context.Context, caller client, receiverURL string) error {
	var now struct {
		Version int
		Nodes   json.RawMessage
	}
	err := caller.call(ctx, "/v2/workflow/definitions/get", map[string]string{"definitionId": definitionID}, &now)
	wanted := definition(receiverURL)
	path := "/v2/workflow/definitions/update"
	switch {
	case refused(err, "NOT_FOUND"):
		path = "/v2/workflow/definitions/create"
	case err != nil:
		return err
	case strings.Contains(string(now.Nodes), receiverURL+"/"):
		return nil
	default:
		wanted["ifVersion"] = now.Version
	}
	return caller.call(ctx, path, wanted, &struct{}{})
}

// waitingSteps are the example's steps that wait for a person.
func waitingSteps(ctx context.Context, caller client) (int, error) {
	var inbox struct{ Items []json.RawMessage }
	err := caller.call(ctx, "/v2/workflow/steps/list",
		map[string]any{"definitionId": definitionID, "status": "waiting", "nodeType": "human", "pageSize": 1}, &inbox)
	return len(inbox.Items), err
}

// ensureWaiting dispatches an execution unless one waits for a decision, and sees it get there.
func ensureWaiting(ctx context.Context, caller client) error {
	waiting, err := waitingSteps(ctx, caller)
	if err != nil || waiting > 0 {
		return err
	}
	err = caller.call(ctx, "/v2/workflow/executions/dispatch", map[string]any{
		"definitionId": definitionID, "idempotencyKey": fmt.Sprintf("demo-%d", time.Now().UnixMilli()),
		"triggerContext": map[string]string{"title": "Spring catalogue", "draftUrl": "https://example.com/drafts/spring"},
	}, &struct{}{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	for waiting == 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the example execution does not reach its person: %w", ctx.Err())
		case <-time.After(poll):
		}
		if waiting, err = waitingSteps(ctx, caller); err != nil {
			return err
		}
	}
	return nil
}
