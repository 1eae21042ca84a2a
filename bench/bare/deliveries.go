package bare

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/receiving"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

const (
	// claimRows is the most rows that one statement claims.
	claimRows = 100
	// slotsEach is how many requests one receiver is sent side by side: more cost
	// handshakes and bring nothing on two cores.
	slotsEach = 32
	// flushRows is how many outcomes are written together at the latest, or
	// those that came within flushWindow.
	flushRows   = 128
	flushWindow = 5 * time.Millisecond
)

const makeTables = `
DROP TABLE IF EXISTS bare_deliveries, bare_attempts;
CREATE TABLE bare_deliveries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, destination integer NOT NULL, body text NOT NULL,
  state text NOT NULL DEFAULT 'pending', attempt integer NOT NULL DEFAULT 0, due_at timestamptz, locked_until timestamptz);
CREATE INDEX ON bare_deliveries (destination, due_at, id) WHERE state = 'pending';
CREATE TABLE bare_attempts (delivery_id bigint NOT NULL, attempt integer NOT NULL, at timestamptz NOT NULL, http_status integer NOT NULL,
  PRIMARY KEY (delivery_id, attempt))`

const fillRows = `
INSERT INTO bare_deliveries (destination, body, due_at)
SELECT n % $2, '{"event":"execution.dispatched","eventId":"evt_' || n || '","padding":"' || repeat('x', 300) || '"}', clock_timestamp()
FROM generate_series(1, $1) n`

const takeRows = `
WITH due AS (SELECT id FROM bare_deliveries WHERE destination = $1 AND state = 'pending' AND due_at <= clock_timestamp()
  ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
UPDATE bare_deliveries d SET state = 'sending', attempt = attempt + 1, locked_until = clock_timestamp() + interval '20 seconds'
FROM due WHERE d.id = due.id RETURNING d.id, d.attempt, d.body`

const recordRows = `
WITH done AS (SELECT id, attempt, status FROM unnest($1::bigint[], $2::int[], $3::int[]) AS o(id, attempt, status)),
kept AS (INSERT INTO bare_attempts SELECT id, attempt, clock_timestamp(), status FROM done)
UPDATE bare_deliveries d SET state = 'delivered', due_at = NULL, locked_until = NULL
FROM done WHERE d.id = done.id AND d.attempt = done.attempt AND d.state = 'sending'`

// Sender is the grouped scheme without Temporal: for each receiver a loop claims
// rows, sends side by side and writes outcomes together.
type Sender struct {
	Rows      *pgxpool.Pool
	Authority *receiver.Authority
	// Secret signs what is sent.
	Secret string
}

// Fill makes n rows, in turn for each of the receivers; those of former blocks go.
func (s *Sender) Fill(ctx context.Context, n, receivers int) error {
	if _, err := s.Rows.Exec(ctx, makeTables); err != nil {
		return err
	}
	_, err := s.Rows.Exec(ctx, fillRows, n, receivers)
	return err
}

// Send brings all rows to their receivers and returns when the outcome of the last
// one is stored.
func (s *Sender) Send(ctx context.Context, receivers []*receiving.Receiver) error {
	var working sync.WaitGroup
	failed := make(chan error, len(receivers))
	for i, e := range receivers {
		working.Go(func() {
			if err := s.loop(ctx, i, e.Base+"/events"); err != nil {
				failed <- err
			}
		})
	}
	working.Wait()
	if len(failed) > 0 {
		return <-failed
	}
	return nil
}

// taken is a claimed row; status is that of its answer.
type taken struct {
	id      int64
	attempt int
	body    string
	status  int
}

// loop claims until nothing is left; the next claim is made while the
// outcomes of the last are still coming.
func (s *Sender) loop(ctx context.Context, destination int, url string) error {
	client := trusting(s.Authority)
	outcomes, written := make(chan taken, claimRows), make(chan error, 1)
	go func() { written <- s.write(ctx, outcomes) }()
	slots := make(chan struct{}, slotsEach)
	var sending sync.WaitGroup
	for {
		rows, err := s.claimed(ctx, destination)
		if err != nil || len(rows) == 0 {
			sending.Wait()
			close(outcomes)
			if failed := <-written; err == nil {
				err = failed
			}
			return err
		}
		for _, row := range rows {
			slots <- struct{}{}
			sending.Go(func() {
				row.status = s.send(ctx, client, url, row)
				outcomes <- row
				<-slots
			})
		}
	}
}

func (s *Sender) claimed(ctx context.Context, destination int) ([]taken, error) {
	rows, err := s.Rows.Query(ctx, takeRows, destination, claimRows)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (taken, error) {
		var t taken
		err := row.Scan(&t.id, &t.attempt, &t.body)
		return t, err
	})
}

// send signs as the service does, both ways, and returns the status; 0 when none came.
func (s *Sender) send(ctx context.Context, client *http.Client, url string, row taken) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(row.body)))
	if err != nil {
		return 0
	}
	id, at := fmt.Sprintf("evt_%d", row.id), strconv.FormatInt(time.Now().Unix(), 10)
	plain, standard := hmac.New(sha256.New, []byte(s.Secret)), hmac.New(sha256.New, []byte(s.Secret))
	_, _ = io.WriteString(plain, row.body)
	_, _ = io.WriteString(standard, id+"."+at+"."+row.body)
	for name, value := range map[string]string{
		"content-type": "application/json", "x-svc-event-id": id, "x-svc-attempt": strconv.Itoa(row.attempt - 1),
		"x-svc-signature": "sha256=" + hex.EncodeToString(plain.Sum(nil)), "webhook-id": id, "webhook-timestamp": at,
		"webhook-signature": "v1," + base64.StdEncoding.EncodeToString(standard.Sum(nil)),
	} {
		request.Header.Set(name, value)
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 16<<10))
	return answer.StatusCode
}

// write stores outcomes together until there are no more.
func (s *Sender) write(ctx context.Context, outcomes <-chan taken) error {
	for first := range outcomes {
		batch := []taken{first}
		window := time.After(flushWindow)
	gather:
		for len(batch) < flushRows {
			select {
			case next, open := <-outcomes:
				if !open {
					break gather
				}
				batch = append(batch, next)
			case <-window:
				break gather
			}
		}
		if err := s.recorded(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sender) recorded(ctx context.Context, batch []taken) error {
	var ids []int64
	var attempts, statuses []int
	for _, row := range batch {
		if row.status != http.StatusOK {
			return fmt.Errorf("a receiver of the benchmark answered %d", row.status)
		}
		ids, attempts, statuses = append(ids, row.id), append(attempts, row.attempt), append(statuses, row.status)
	}
	_, err := s.Rows.Exec(ctx, recordRows, ids, attempts, statuses)
	return err
}
