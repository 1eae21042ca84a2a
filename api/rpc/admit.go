package rpc

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/weight"
	"github.com/redline-svc/redline/models/quota"
	"github.com/redline-svc/redline/models/workspace"
)

// Credentials finds who owns a pair of credentials. Every look-up does the same
// work whether the pair is right, wrong or unknown; the error is
// UNAUTHENTICATED, or PERMISSION_DENIED for a suspended owner.
type Credentials interface {
	Key(ctx context.Context, apiKey, authToken string) (workspace.Caller, error)
	Workspace(ctx context.Context, workspaceID, authToken string) (workspace.Caller, error)
}

// Callbacks finds the step that a token opens, as a caller of its workspace, suspended or
// not. The error is UNAUTHENTICATED.
type Callbacks interface {
	Callback(ctx context.Context, token string) (workspace.Caller, error)
}

// Limiter counts a call; the error is RESOURCE_EXHAUSTED. Weigh counts what a call weighs more,
// GiveBack uncounts one.
type Limiter interface {
	Take(ctx context.Context, class limit.Class, subject, workspaceID string) error
	Weigh(ctx context.Context, class limit.Class, subject, workspaceID string, more int) error
	GiveBack(class limit.Class, subject, workspaceID string)
}

// The headers that carry credentials.
const (
	headerAPIKey         = "X-Svc-Api-Key"
	headerAuthToken      = "X-Svc-Auth-Token"
	headerWorkspaceID    = "X-Svc-Workspace-Id"
	headerWorkspaceToken = "X-Svc-Workspace-Auth-Token"
	headerCallbackToken  = "X-Svc-Callback-Token"
)

// A call over a limit is refused after refusalDelay: many that come again at once, side by side, would otherwise take the
// processor from everybody. At most delayedAtMost wait, each with its connection; more are refused at once.
const (
	refusalDelay  = 250 * time.Millisecond
	delayedAtMost = 1000
)

// takeOrDelay counts a call under a limit. One over it waits for its refusal.
func (s *Server) takeOrDelay(ctx context.Context, class limit.Class, subject, workspaceID string) error {
	err := s.limiter.Take(ctx, class, subject, workspaceID)
	if !fault.Is(err, fault.StatusResourceExhausted) {
		return err
	}
	select {
	case s.delayed <- struct{}{}:
		defer func() { <-s.delayed }()
	default:
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(refusalDelay):
	}
	return err
}

// admit checks credentials, then the rate limit, then the origin.
func (s *Server) admit(ctx context.Context, x *exchange) error {
	if err := s.serving(ctx); err != nil {
		return err
	}
	if err := s.identify(ctx, x); err != nil {
		return s.countRefusal(ctx, x, err)
	}
	if err := s.count(ctx, x); err != nil {
		return err
	}
	return s.keepRefusal(ctx, x, s.checkOrigin(ctx, x))
}

// identify finds the caller. Of both pairs only the pair of the operation's
// level counts; a workspace's token may come in the header of a key's.
func (s *Server) identify(ctx context.Context, x *exchange) error {
	header := x.request().Header
	var found workspace.Caller
	var err error
	switch x.route.Level {
	case LevelPublic, LevelSigned:
		return nil
	case LevelWorkspace:
		found, err = s.credentials.Workspace(ctx, header.Get(headerWorkspaceID), cmp.Or(header.Get(headerWorkspaceToken), header.Get(headerAuthToken)))
	case LevelKey:
		if token := header.Get(headerCallbackToken); x.route.TakesToken && token != "" && header.Get(headerAPIKey) == "" {
			found, err = s.callbacks.Callback(ctx, token)
			break
		}
		found, err = s.credentials.Key(ctx, header.Get(headerAPIKey), header.Get(headerAuthToken))
	}
	if fault.Is(err, fault.StatusUnauthenticated) {
		return s.refuseCredentials(ctx, x, err)
	}
	x.caller.WorkspaceID, x.caller.APIKeyID = found.WorkspaceID, found.APIKeyID
	x.caller.ExecutionID, x.caller.StepID = found.ExecutionID, found.StepID
	return err
}

// refuseCredentials answers wrong credentials, which are counted per address: too many
// of them have to wait. They never cost a valid caller anything.
func (s *Server) refuseCredentials(ctx context.Context, x *exchange, refusal error) error {
	s.telemetry.AuthFailure(string(x.route.Level))
	if err := s.takeOrDelay(ctx, limit.Public, limit.Address(x.caller.IP), ""); err != nil {
		return err
	}
	return refusal
}

// count holds a known caller to the limit of the operation's class.
func (s *Server) count(ctx context.Context, x *exchange) error {
	class := x.route.RateClass
	if class == limit.None {
		return nil
	}
	subject := credential(x.caller)
	switch x.route.Level {
	case LevelPublic:
		subject = limit.Address(x.caller.IP)
	case LevelWorkspace:
		subject = x.caller.WorkspaceID
	case LevelKey, LevelSigned:
	}
	return s.take(ctx, x, class, subject)
}

// take counts a call, and notes how that is given back, and how more is counted.
func (s *Server) take(ctx context.Context, x *exchange, class limit.Class, subject string) error {
	err := s.takeOrDelay(ctx, class, subject, x.caller.WorkspaceID)
	if err == nil {
		x.uncount = func() { s.limiter.GiveBack(class, subject, x.caller.WorkspaceID) }
		x.weigh = func(more int) error {
			own, cancel := context.WithTimeout(context.WithoutCancel(ctx), weighTime)
			defer cancel()
			return s.limiter.Weigh(own, class, subject, x.caller.WorkspaceID, more)
		}
	}
	return err
}

// weighTime is how long counting what a call weighs may take: its answer waits for it.
const weighTime = 2 * time.Second

// weigh counts what a call weighs for what it changed, beyond the one that was counted before it.
// One that is undone since a quota is used up has done all of its work as well. What cannot be
// counted is lost: the answer is not.
func (s *Server) weigh(x *exchange, changed *weight.Rows, err error) {
	if more := changed.Extra(); more > 0 && (err == nil || quota.Refused(err)) && x.weigh != nil {
		if err := x.weigh(more); err != nil {
			s.log.Warn("what a call weighs could not be counted", "operation", x.route.name(), "error", err)
		}
	}
}

// credential names what a caller below the level of workspaces has proved to have: an API
// key, or the token of a step.
func credential(caller workspace.Caller) string { return cmp.Or(caller.APIKeyID, caller.StepID) }

// Refusals keeps in the audit trail that a known caller was refused.
type Refusals interface {
	Refused(ctx context.Context, caller workspace.Caller) error
}

// auditedPaths begin the paths of operations whose refusals are kept.
const auditedPaths = "/v2/workspace/"

// audited reports whether an answer is one for the trail: a known caller may not
// make a call of an audited operation.
func (s *Server) audited(x *exchange, refusal error) bool {
	return s.refusals != nil && x.caller.WorkspaceID != "" &&
		fault.Is(refusal, fault.StatusPermissionDenied) && strings.HasPrefix(x.route.Path, auditedPaths)
}

// countRefusal keeps the refusal of a suspended workspace or a disabled key. It
// counts like a call, so that a refused caller cannot fill the trail faster than
// an accepted one.
func (s *Server) countRefusal(ctx context.Context, x *exchange, refusal error) error {
	if !s.audited(x, refusal) {
		return refusal
	}
	if err := s.count(ctx, x); err != nil {
		if fault.Is(err, fault.StatusResourceExhausted) {
			return refusal
		}
		return err
	}
	return s.keepRefusal(ctx, x, refusal)
}

// keepRefusal writes the refusal of a call that was counted into the trail. No
// refusal stays none.
func (s *Server) keepRefusal(ctx context.Context, x *exchange, refusal error) error {
	if !s.audited(x, refusal) {
		return refusal
	}
	if err := s.refusals.Refused(ctx, x.caller); err != nil {
		return err
	}
	return refusal
}
