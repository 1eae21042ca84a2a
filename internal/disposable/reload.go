package disposable

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// ReloadOnHangup reloads the list each time the process gets SIGHUP, until ctx
// ends. A file with a fault is logged and changes nothing.
func (l *List) ReloadOnHangup(ctx context.Context, log *slog.Logger) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hangups)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				if err := l.Reload(); err != nil {
					log.ErrorContext(ctx, "the disposable domains stay as they were", slog.Any("error", err))
					continue
				}
				log.InfoContext(ctx, "disposable domains read again")
			}
		}
	}()
}
