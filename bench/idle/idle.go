package idle

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/measure"
)

const (
	// idleTenants are in the index, idleInUse of them in use, each with idleObjects
	// chunks and as many rules.
	idleTenants, idleInUse, idleObjects = 10_000, 100, 5
	// idleActive are active at once, all of the time before any is released. Each keeps
	// a dozen files open, so that more of them than this need a higher limit of open
	// files than many machines have.
	idleActive     = 1000
	idleDimensions = 384
	// idleBatch is how many tenants one request fills.
	idleBatch = 50
	// idleFillLimit is how long the filling may take; what is there by then is measured.
	idleFillLimit = 5 * time.Minute
	// idleLook is how often the rows are asked whether all is released. idleSettle is how
	// long the memory of the index is given to come down: when it is idle it collects
	// its garbage every two minutes, and part of it only at the second time.
	idleLook, idleSettle = time.Second, 260 * time.Second
)

// Service is the service whose index it is: its rows, the addresses of its parts by
// the names of their variables, and a workspace, which has a source already.
type Service struct {
	Rows        *pgxpool.Pool
	Env         map[string]string
	WorkspaceID string
}

// manyTenants are tenants of the index of whom few are in use.
type manyTenants struct {
	service Service
	index   *bare.Tenants
	names   []string
	process int
	// empty is the memory of the index before there are tenants.
	empty float64
}

// Measure compares the memory of the index that holds a number of tenants with that
// after the service has had it release those that nobody uses; and with that of ten
// times as many, of which as few are in use. Besides, the first search of a released
// tenant with the next one.
func Measure(ctx context.Context, of Service) ([]measure.Row, error) {
	c := &manyTenants{service: of}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer c.index.Close()
	active, few, err := c.someReleased(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.fill(ctx, idleTenants, c.index.Rest); err != nil {
		return nil, err
	}
	many, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	first, err := c.again(ctx)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("%d tenants, all of them active", idleActive)
	return []measure.Row{
		measure.AtMost(0.75, c.row(idleActive, few, what, active)),
		measure.AtMost(0.75, c.row(len(c.names), many, what, active)),
		measure.Beside(first),
	}, nil
}

func (c *manyTenants) row(tenants int, measured float64, what string, against float64) measure.Row {
	return measure.Row{
		Name: fmt.Sprintf("memory of the index with %d tenants, %d in use", tenants, idleInUse), Unit: "MiB", Measured: measured,
		What: what, Against: against, Note: fmt.Sprintf("without any %.0f MiB", c.empty),
	}
}

// someReleased is the memory with as many tenants as may be active at once, and once
// the service has had most of them released.
func (c *manyTenants) someReleased(ctx context.Context) (active, few float64, err error) {
	if err := c.fill(ctx, idleActive, nil); err != nil {
		return 0, 0, err
	}
	if active, err = c.memory(ctx); err != nil {
		return 0, 0, err
	}
	if err := c.release(ctx); err != nil {
		return 0, 0, err
	}
	few, err = c.memory(ctx)
	return active, few, err
}

// begin finds the collections and the process of the index.
func (c *manyTenants) begin(ctx context.Context) error {
	var suffix string
	if err := c.service.Rows.QueryRow(ctx, `SELECT suffix FROM index_generations WHERE state = 'serving'`).Scan(&suffix); err != nil {
		return err
	}
	var err error
	if c.process, err = measure.Process("weaviate", c.port()); err != nil {
		return err
	}
	env := c.service.Env
	if c.empty, err = measure.Resident(c.process); err != nil {
		return err
	}
	c.index, err = bare.NewTenants(env["REDLINE_WEAVIATE_ADDR"], env["REDLINE_WEAVIATE_GRPC_ADDR"], randomVector, "RedlineChunks"+suffix, "RedlineRules"+suffix)
	return err
}

// port is the first one of the index.
func (c *manyTenants) port() string {
	_, port, _ := net.SplitHostPort(c.service.Env["REDLINE_WEAVIATE_ADDR"])
	return port
}

func randomVector(seed int) []byte {
	random := rand.New(rand.NewPCG(uint64(seed), 7))
	raw := make([]byte, 0, 4*idleDimensions)
	for range idleDimensions {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(random.NormFloat64())))
	}
	return raw
}

// fill makes tenants until there are that many, or as many as there is time for; each
// batch goes to then, if there is one.
func (c *manyTenants) fill(ctx context.Context, count int, then func(ctx context.Context, tenants []string) error) error {
	began := time.Now()
	for len(c.names) < count && time.Since(began) < idleFillLimit {
		batch := make([]string, idleBatch)
		for i := range batch {
			batch[i] = "ws_idle" + strconv.Itoa(len(c.names)+i+1)
		}
		if err := c.index.Fill(ctx, batch, idleObjects); err != nil {
			return fmt.Errorf("after %d tenants: %w", len(c.names), err)
		}
		c.names = append(c.names, batch...)
		if then == nil {
			continue
		}
		if err := then(ctx, batch); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "  %d tenants after %.0f s\n", len(c.names), time.Since(began).Seconds())
	return nil
}

// memory is that of the index when the tenants in use have been searched in and it
// has given back what it does not need.
func (c *manyTenants) memory(ctx context.Context) (float64, error) {
	for _, name := range c.names[:idleInUse] {
		if err := c.index.Search(ctx, name, idleObjects); err != nil {
			return 0, err
		}
	}
	least := math.Inf(1)
	for began := time.Now(); time.Since(began) < idleSettle; {
		resident, err := measure.Resident(c.process)
		if err != nil {
			return 0, err
		}
		least = min(least, resident)
		time.Sleep(idleLook)
	}
	return least, nil
}

// release notes that all but a few were used the day before last, and waits until the
// service has had them released.
func (c *manyTenants) release(ctx context.Context) error {
	_, err := c.service.Rows.Exec(ctx, `INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
SELECT 'ws_idle' || n, owner_id, 'idle' || n, 'idle' || n, owner_email, owner_name, sha256(n::text::bytea), hash_key_id, token_sealed
FROM workspaces, generate_series(1, $2) n WHERE id = $1`, c.service.WorkspaceID, len(c.names))
	if err != nil {
		return err
	}
	_, err = c.service.Rows.Exec(ctx, `INSERT INTO index_uses (workspace_id, used_at)
SELECT 'ws_idle' || n, clock_timestamp() - CASE WHEN n > $2 THEN interval '2 days' ELSE interval '0' END FROM generate_series(1, $1) n`,
		len(c.names), idleInUse)
	if err != nil {
		return err
	}
	began := time.Now()
	err = measure.Every(ctx, idleLook, func() (bool, error) {
		var left int
		err := c.service.Rows.QueryRow(ctx, `SELECT count(*) FROM index_uses WHERE NOT released AND used_at < clock_timestamp() - interval '1 day'`).Scan(&left)
		return left == 0, err
	})
	fmt.Fprintf(os.Stderr, "  %d released within %.0f s\n", len(c.names)-idleInUse, time.Since(began).Seconds())
	return err
}

// again is what the first search of a released tenant takes, and the next.
func (c *manyTenants) again(ctx context.Context) (measure.Row, error) {
	released := c.names[idleInUse : 2*idleInUse]
	ask := func(ctx context.Context, i int) error { return c.index.Search(ctx, released[i], idleObjects) }
	first, err := measure.Spread(ctx, 1, len(released), ask)
	if err != nil {
		return measure.Row{}, err
	}
	next, err := measure.Spread(ctx, 1, len(released), ask)
	return measure.Row{
		Name: "first search of a released tenant, chunks and rules, p50", Unit: "ms", Measured: first.P50(),
		What: "the next one", Against: next.P50(),
	}, err
}
