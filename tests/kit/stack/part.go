package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// partLimit is how long stopping and starting one part may take.
const partLimit = 2 * time.Minute

// Part does one thing to a part of the stack (postgres, temporal, weaviate,
// temporal-ui) and returns when it is done: stop, kill, start, restart, or, for
// temporal, empty (a fresh Temporal database). Everybody who uses the stack feels
// it, so only tests with a stack of their own may call it.
func (s *Stack) Part(ctx context.Context, part, action string) error {
	ctx, cancel := context.WithTimeout(ctx, partLimit)
	defer cancel()
	address := s.Env["REDLINE_DEV_PARTS_URL"] + "/" + part + "/" + action
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("x-redline-dev", "1")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= http.StatusMultipleChoices {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
		return fmt.Errorf("%s %s: %d %s", action, part, answer.StatusCode, text)
	}
	return nil
}

// KillPostgres ends the server and all its processes at one moment: what none of
// them had written is lost. Part starts it again.
func (s *Stack) KillPostgres(ctx context.Context) error {
	server, err := s.PID(ctx, "postgres")
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	// While it is halted it starts no process, and sees none of them die.
	if err := syscall.Kill(server, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("halt Postgres: %w", err)
	}
	rows, err := conn.Query(ctx, "SELECT pid FROM pg_stat_activity")
	if err != nil {
		return err
	}
	processes, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return err
	}
	for _, pid := range processes {
		_ = syscall.Kill(pid, syscall.SIGKILL) // one that has ended meanwhile is as good
	}
	return s.Part(ctx, "postgres", "kill")
}

// PID is the id of a part's process.
func (s *Stack) PID(ctx context.Context, name string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Env["REDLINE_DEV_PARTS_URL"], nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	var parts struct {
		Items []struct {
			Name    string `json:"name"`
			PID     int    `json:"pid"`
			Running bool   `json:"running"`
		} `json:"items"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&parts); err != nil {
		return 0, fmt.Errorf("read the parts: %w", err)
	}
	for _, part := range parts.Items {
		if part.Name == name && part.Running {
			return part.PID, nil
		}
	}
	return 0, fmt.Errorf("%s does not run", name)
}
