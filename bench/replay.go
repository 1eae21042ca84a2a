package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/tests/client"
)

const (
	replayPairs = 5
	replayBlock = 2000
)

// The two statements of a replay: who calls, and what the key stands for.
const (
	selectCaller = `SELECT t.token_mac, t.workspace_id, t.api_key_id, w.suspended_at IS NOT NULL, k.disabled_at IS NOT NULL
FROM auth_tokens t JOIN api_keys k ON k.id = t.api_key_id JOIN workspaces w ON w.id = t.workspace_id WHERE t.token_mac = $1`
	selectKey = `SELECT id, correlation_id FROM executions
WHERE workspace_id = $1 AND definition_id = $2 AND key_space = 'caller' AND idempotency_key = $3`
)

// benchReplay compares the answer to a known key with a bare huma handler that
// makes the same two SELECTs, in a process of its own. One caller, so that the
// answer's own time is measured and not a queue.
func benchReplay(ctx context.Context, r *rig) ([]row, error) {
	definition, err := r.define(ctx, []client.Node{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	if err != nil {
		return nil, err
	}
	data := client.Dispatch{DefinitionID: definition, IdempotencyKey: unique("known")}
	first, err := r.workspace.Dispatch(ctx, data)
	if err != nil {
		return nil, err
	}
	bare, stop, err := r.bareHandler(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	replay := func(session *client.Session) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error {
			answer, err := client.Call[client.Dispatched](ctx, session, "workflow/executions/dispatch", data)
			if err == nil && (answer.ExecutionID != first.ExecutionID || !answer.Deduplicated) {
				return fmt.Errorf("not a replay: %+v", answer)
			}
			return err
		}
	}
	var blocks []pair
	for range replayPairs {
		theirs, err := spread(ctx, 1, replayBlock, replay(bare))
		if err != nil {
			return nil, err
		}
		ours, err := spread(ctx, 1, replayBlock, replay(r.workspace.Keyed))
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, pair{Measured: ours.p50(), Against: theirs.p50()})
	}
	measured, against := medians(blocks)
	return []row{atMost(1.5, row{
		Name: "replay of a known key, p50", Unit: "ms", Measured: measured,
		What: "bare huma handler, same two SELECTs, p50", Against: against, Blocks: blocks,
	})}, nil
}

// bareHandler starts the handler's process and gives a session to it.
func (r *rig) bareHandler(ctx context.Context) (*client.Session, func(), error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, program, bareServer)
	cmd.Env = append(os.Environ(), "BENCH_DATABASE_URL="+r.stack.Env["REDLINE_DATABASE_URL"], "BENCH_API_KEY="+r.workspace.APIKey, "GIN_MODE=release")
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	address, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("the bare handler did not start: %w", err)
	}
	return r.workspace.Keyed.At("http://" + strings.TrimSpace(address)), stop, nil
}

// dispatchInput is the body that the bare handler decodes and checks.
type dispatchInput struct {
	Body struct {
		Data struct {
			DefinitionID   string `json:"definitionId" minLength:"1"`
			IdempotencyKey string `json:"idempotencyKey" pattern:"^[A-Za-z0-9:_.-]{1,200}$"`
		} `json:"data"`
	}
}

// dispatchOutput is its answer.
type dispatchOutput struct {
	Body struct {
		Result struct {
			ExecutionID   string `json:"executionId"`
			CorrelationID string `json:"correlationId"`
			Deduplicated  bool   `json:"deduplicated"`
		} `json:"result"`
	}
}

// serveBare is the other side of the replay: huma on Gin, a pool, two SELECTs.
func serveBare() error {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("BENCH_DATABASE_URL"))
	if err != nil {
		return err
	}
	defer pool.Close()
	var mac []byte
	err = pool.QueryRow(ctx, `SELECT token_mac FROM auth_tokens WHERE api_key_id = $1`, os.Getenv("BENCH_API_KEY")).Scan(&mac)
	if err != nil {
		return err
	}
	engine := gin.New()
	api := humagin.New(engine, huma.DefaultConfig("bare", "1"))
	huma.Post(api, "/v2/workflow/executions/dispatch", func(ctx context.Context, input *dispatchInput) (*dispatchOutput, error) {
		return twoSelects(ctx, pool, mac, input)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, engine)
}

func twoSelects(ctx context.Context, pool *pgxpool.Pool, mac []byte, input *dispatchInput) (*dispatchOutput, error) {
	var found []byte
	var workspace, apiKey string
	var suspended, disabled bool
	if err := pool.QueryRow(ctx, selectCaller, mac).Scan(&found, &workspace, &apiKey, &suspended, &disabled); err != nil {
		return nil, err
	}
	output := &dispatchOutput{}
	result := &output.Body.Result
	result.Deduplicated = true
	err := pool.QueryRow(ctx, selectKey, workspace, input.Body.Data.DefinitionID, input.Body.Data.IdempotencyKey).
		Scan(&result.ExecutionID, &result.CorrelationID)
	return output, err
}
