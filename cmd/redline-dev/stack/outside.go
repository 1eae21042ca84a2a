package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/config"
)

// outsideLimit is how long a part that runs elsewhere may take to answer.
const outsideLimit = 5 * time.Second

// checkOutside looks at every address that is configured: ours must be free,
// and somebody must answer at the others. It changes nothing.
func (s *stack) checkOutside(ctx context.Context) error {
	for _, name := range []string{"REDLINE_HTTP_ADDR", "REDLINE_OPS_ADDR", "REDLINE_CONSOLE_ADDR"} {
		if err := checkConfigured(name, s.outside[name]); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, outsideLimit)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for _, name := range []string{"REDLINE_TEMPORAL_ADDR", "REDLINE_WEAVIATE_ADDR", "REDLINE_WEAVIATE_GRPC_ADDR"} {
		group.Go(func() error { return checkServer(ctx, name, s.outside[name]) })
	}
	group.Go(func() error { return s.checkDatabase(ctx) })
	return group.Wait()
}

// checkServer refuses a start with a server that is away.
func checkServer(ctx context.Context, name, address string) error {
	if address == "" {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return away(name, name+"="+address, err)
	}
	return conn.Close()
}

// checkDatabase refuses a start with a database that is away or lets nobody in.
func (s *stack) checkDatabase(ctx context.Context) error {
	if s.ownDatabase() {
		return nil
	}
	conf, _, err := config.Load(config.Migrate, s.outside.list())
	if err != nil {
		return err
	}
	name := "REDLINE_DATABASE_URL"
	if s.outside[name] == "" {
		name += "_FILE"
	}
	wanted, err := pgx.ParseConfig(conf.Database.URL.Reveal())
	if err != nil {
		// The error may quote a part of the password.
		return away(name, name, errors.New("it is no URL of the form postgres://user:password@host:port/database"))
	}
	conn, err := pgx.ConnectConfig(ctx, wanted)
	if err != nil {
		return away(name, name, err)
	}
	return conn.Close(ctx)
}

// away returns the error for a variable that nobody can be used at what it leads to.
func away(name, shown string, err error) error {
	return fmt.Errorf("%s leads to no server that can be used: start that server, correct %s, or unset it to have one started here (%w)", shown, name, err)
}
