package bare

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
)

// The two statements of a replay: who calls, and what the key stands for.
const (
	selectCaller = `SELECT t.token_mac, t.workspace_id, t.api_key_id, w.suspended_at IS NOT NULL, k.disabled_at IS NOT NULL
FROM auth_tokens t JOIN api_keys k ON k.id = t.api_key_id JOIN workspaces w ON w.id = t.workspace_id WHERE t.token_mac = $1`
	selectKey = `SELECT id, correlation_id FROM executions
WHERE workspace_id = $1 AND definition_id = $2 AND key_space = 'caller' AND idempotency_key = $3`
)

// ServerArgument is the argument under which the program must be the bare HTTP
// handler: it calls Serve then.
const ServerArgument = "bare-server"

// Handler starts the program once more, as the handler, on the database of the
// service. It returns the address, host and port, and what ends the process.
func Handler(ctx context.Context, databaseURL, apiKey string) (address string, stop func(), err error) {
	program, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, program, ServerArgument)
	cmd.Env = append(os.Environ(), "BENCH_DATABASE_URL="+databaseURL, "BENCH_API_KEY="+apiKey, "GIN_MODE=release")
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the bare handler did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
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

// Serve is the other side of a replay: huma on Gin, a pool, two SELECTs. It writes
// its address to the output and answers until the process ends.
func Serve() error {
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
