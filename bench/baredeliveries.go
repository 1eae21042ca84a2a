package main

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
)

const (
	// bareClaim is the most rows that one statement claims.
	bareClaim = 100
	// bareSlots is how many requests one receiver is sent side by side: more cost
	// handshakes and bring nothing on two cores.
	bareSlots = 32
	// bareFlush is how many outcomes are written together at the latest, or
	// those that came within bareWindow.
	bareFlush  = 128
	bareWindow = 5 * time.Millisecond
)

const bareTables = `
DROP TABLE IF EXISTS bare_deliveries, bare_attempts;
CREATE TABLE bare_deliveries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, destination integer NOT NULL, body text NOT NULL,
  state text NOT NULL DEFAULT 'pending', attempt integer NOT NULL DEFAULT 0, due_at timestamptz, held_until timestamptz);
CREATE INDEX ON bare_deliveries (destination, due_at, id) WHERE state = 'pending';
CREATE TABLE bare_attempts (delivery_id bigint NOT NULL, attempt integer NOT NULL, at timestamptz NOT NULL, http_status integer NOT NULL,
  PRIMARY KEY (delivery_id, attempt))`

const bareFill = `
INSERT INTO bare_deliveries (destination, body, due_at)
SELECT n % $2, '{"event":"execution.dispatched","eventId":"evt_' || n || '","padding":"' || repeat('x', 300) || '"}', clock_timestamp()
FROM generate_series(1, $1) n`

const bareTake = `
WITH due AS (SELECT id FROM bare_deliveries WHERE destination = $1 AND state = 'pending' AND due_at <= clock_timestamp()
  ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
UPDATE bare_deliveries d SET state = 'sending', attempt = attempt + 1, held_until = clock_timestamp() + interval '20 seconds'
FROM due WHERE d.id = due.id RETURNING d.id, d.attempt, d.body`

const bareRecord = `
WITH done AS (SELECT id, attempt, status FROM unnest($1::bigint[], $2::int[], $3::int[]) AS o(id, attempt, status)),
kept AS (INSERT INTO bare_attempts SELECT id, attempt, clock_timestamp(), status FROM done)
UPDATE bare_deliveries d SET state = 'delivered', due_at = NULL, held_until = NULL
FROM done WHERE d.id = done.id AND d.attempt = done.attempt AND d.state = 'sending'`

// bareDeliveries is the grouped scheme without an engine: for each receiver a
// loop claims rows, sends side by side and writes outcomes together.
func (r *rig) bareDeliveries(ctx context.Context, n int) (float64, error) {
	ears, stop, err := r.listenAll()
	if err != nil {
		return 0, err
	}
	defer stop()
	if _, err := r.rows.Exec(ctx, bareTables); err != nil {
		return 0, err
	}
	if _, err := r.rows.Exec(ctx, bareFill, n, len(ears)); err != nil {
		return 0, err
	}
	if err := r.quiet(ctx); err != nil {
		return 0, err
	}
	var working sync.WaitGroup
	failed := make(chan error, len(ears))
	for i, e := range ears {
		working.Go(func() {
			if err := r.bareLoop(ctx, i, e.base+"/events"); err != nil {
				failed <- err
			}
		})
	}
	working.Wait()
	if len(failed) > 0 {
		return 0, <-failed
	}
	return r.rateOf(ctx, ears, n)
}

// taken is a claimed row, outcome what became of it.
type taken struct {
	id      int64
	attempt int
	body    string
	status  int
}

// bareLoop claims until nothing is left; the next claim is made while the
// outcomes of the last are still coming.
func (r *rig) bareLoop(ctx context.Context, destination int, url string) error {
	sender := trusting(r.authority)
	outcomes, written := make(chan taken, bareClaim), make(chan error, 1)
	go func() { written <- r.bareWrite(ctx, outcomes) }()
	slots := make(chan struct{}, bareSlots)
	var sending sync.WaitGroup
	for {
		rows, err := r.bareClaimed(ctx, destination)
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
				row.status = bareSend(ctx, sender, url, row)
				outcomes <- row
				<-slots
			})
		}
	}
}

func (r *rig) bareClaimed(ctx context.Context, destination int) ([]taken, error) {
	rows, err := r.rows.Query(ctx, bareTake, destination, bareClaim)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (taken, error) {
		var t taken
		err := row.Scan(&t.id, &t.attempt, &t.body)
		return t, err
	})
}

// bareSend signs as the service does, both ways, and gives the status; 0 when none came.
func bareSend(ctx context.Context, sender *http.Client, url string, row taken) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(row.body)))
	if err != nil {
		return 0
	}
	id, at := fmt.Sprintf("evt_%d", row.id), strconv.FormatInt(time.Now().Unix(), 10)
	plain, standard := hmac.New(sha256.New, []byte(benchSecret)), hmac.New(sha256.New, []byte(benchSecret))
	_, _ = io.WriteString(plain, row.body)
	_, _ = io.WriteString(standard, id+"."+at+"."+row.body)
	for name, value := range map[string]string{
		"content-type": "application/json", "x-svc-event-id": id, "x-svc-attempt": strconv.Itoa(row.attempt - 1),
		"x-svc-signature": "sha256=" + hex.EncodeToString(plain.Sum(nil)), "webhook-id": id, "webhook-timestamp": at,
		"webhook-signature": "v1," + base64.StdEncoding.EncodeToString(standard.Sum(nil)),
	} {
		request.Header.Set(name, value)
	}
	answer, err := sender.Do(request)
	if err != nil {
		return 0
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 16<<10))
	return answer.StatusCode
}

// bareWrite stores outcomes together until there are no more.
func (r *rig) bareWrite(ctx context.Context, outcomes <-chan taken) error {
	for first := range outcomes {
		batch := []taken{first}
		window := time.After(bareWindow)
	gather:
		for len(batch) < bareFlush {
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
		if err := r.bareRecorded(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (r *rig) bareRecorded(ctx context.Context, batch []taken) error {
	var ids []int64
	var attempts, statuses []int
	for _, row := range batch {
		if row.status != http.StatusOK {
			return fmt.Errorf("a receiver of the benchmark answered %d", row.status)
		}
		ids, attempts, statuses = append(ids, row.id), append(attempts, row.attempt), append(statuses, row.status)
	}
	_, err := r.rows.Exec(ctx, bareRecord, ids, attempts, statuses)
	return err
}
