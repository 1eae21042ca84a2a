package rpc

import (
	"context"
	"strings"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models"
)

// Refusals keeps in the audit trail that a known caller was refused.
type Refusals interface {
	Refused(ctx context.Context, caller models.Caller) error
}

// auditedPaths begin the paths of operations whose refusals are kept.
const auditedPaths = "/v2/workspace/"

// keepRefusal keeps the refusal of a suspended workspace or a disabled key
// where the operation is an audited one. It counts like a call, so that a
// refused caller cannot fill the trail faster than an accepted one.
func (s *Server) keepRefusal(ctx context.Context, x *exchange, refusal error) error {
	if s.refusals == nil || !fault.Is(refusal, fault.PermissionDenied) || !strings.HasPrefix(x.route.Path, auditedPaths) {
		return refusal
	}
	if err := s.count(ctx, x); err != nil {
		if fault.Is(err, fault.ResourceExhausted) {
			return refusal
		}
		return err
	}
	if err := s.refusals.Refused(ctx, x.caller); err != nil {
		return err
	}
	return refusal
}
