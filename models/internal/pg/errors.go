package pg

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
)

// SQLSTATE values and classes that mean something to us (PostgreSQL, appendix A).
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	undefinedTable       = "42P01"
	undefinedColumn      = "42703"
	lockNotAvailable     = "55P03"
)

// awayClasses: connection trouble, no resources, operator's intervention (a
// shutdown, a start under way), system error.
var awayClasses = []string{"08", "53", "57", "58"}

// Translate is the one table from driver errors to *fault.Error. An error that
// is one already passes through, also wrapped.
func Translate(err error) error {
	var known *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case isAway(err):
		return fault.Unavailable(err)
	case lockedTooLong(err):
		return fault.Busy()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fault.DeadlineExceeded(err)
	default:
		return fault.Internal(err)
	}
}

// lockedTooLong reports whether a statement waited for a lock as long as its pool lets it.
func lockedTooLong(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == lockNotAvailable
}

// translateCommit is Translate for what goes with the commit: a connection lost there
// leaves open whether the change happened.
func translateCommit(err error) error {
	_, refused := errors.AsType[*pgconn.PgError](err)
	_, unsent := errors.AsType[pgx.ErrPreprocessingBatch](err)
	if err == nil || refused || unsent {
		return Translate(err) // it is undone
	}
	return fault.DeadlineExceeded(err)
}

func isAway(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return saysAway(pg.Code)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) ||
		(errors.As(err, &network) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled))
}

// saysAway reports whether the server's own refusal passes with time.
func saysAway(code string) bool {
	switch code {
	case undefinedTable, undefinedColumn: // migrations have not come this far
		return true
	case serializationFailure, deadlockDetected:
		return true
	default:
		return slices.ContainsFunc(awayClasses, func(class string) bool { return strings.HasPrefix(code, class) })
	}
}

// Passes reports whether the same statements may succeed later with the same values:
// whatever is no answer of the server passes, and so does what it says of its own
// state. An error that does not is final: a value that a column cannot hold (class
// 22), a rule of a table (23), a mistake of ours.
func Passes(err error) bool {
	known, ok := errors.AsType[*fault.Error](Translate(err))
	return ok && (known.Status == fault.StatusUnavailable || known.Status == fault.StatusDeadlineExceeded)
}

// IsUnique reports whether a unique key refused the row; constraint may be empty
// for any.
func IsUnique(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == uniqueViolation && (constraint == "" || pg.ConstraintName == constraint)
}

// IsNoRow reports whether a query for one row found none.
func IsNoRow(err error) bool {
	return errors.Is(err, pgx.ErrNoRows) || errors.Is(err, sql.ErrNoRows) || errors.Is(err, gorm.ErrRecordNotFound)
}
