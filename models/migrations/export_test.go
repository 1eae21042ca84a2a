package migrations

import (
	"context"

	"github.com/pressly/goose/v3"
)

// MigrateTo moves the schema to a version, downwards too: every migration can
// be undone.
func MigrateTo(ctx context.Context, url string, version int64) error {
	return withMigrator(url, func(p *goose.Provider) error {
		current, err := p.GetDBVersion(ctx)
		if err != nil {
			return err
		}
		if version < current {
			_, err = p.DownTo(ctx, version)
		} else {
			_, err = p.UpTo(ctx, version)
		}
		return err
	})
}
