package execution

import (
	"context"
	"time"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
)

// Callers makes the call of a step by whoever calls for nodes of its type.
type Callers struct{ Webhooks, Agents, Notifications StepCaller }

// NewCallers makes the callers of all types of nodes; every connection goes through the
// guard. publicURL is where those who answer later reach the service, mails hands over mails.
func NewCallers(g *guard.Guard, publicURL string, mails Mailer) *Callers {
	client := func(key string) sender { return g.Client(key, guard.Step) }
	return &Callers{Webhooks: &WebhookCaller{client, publicURL}, Agents: &AgentCaller{client, publicURL}, Notifications: &NotificationCaller{client, mails}}
}

// sender makes one guarded call; *guard.Client.
type sender interface {
	Send(ctx context.Context, r guard.Request) (*guard.Response, error)
}

// Call makes the call of a step; now is the time by Postgres.
func (c *Callers) Call(ctx context.Context, call *execution.StepCall, now func() time.Time) interpreter.Outcome {
	switch {
	case call.Agent != nil:
		return c.Agents.Call(ctx, call, now)
	case call.Notification != nil:
		return c.Notifications.Call(ctx, call, now)
	default:
		return c.Webhooks.Call(ctx, call, now)
	}
}

// send makes one call within its limit, and returns the answer with what it took in
// milliseconds and when it came.
func send(ctx context.Context, to sender, request guard.Request, limit time.Duration, now func() time.Time) answered {
	began := now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reply, err := to.Send(ctx, request)
	ended := now()
	if err == nil {
		err = reply.BodyErr
	}
	return answered{reply, err, ended, ended.Sub(began).Milliseconds()}
}

// answered is what became of a call: the reply, or why there was no whole one.
type answered struct {
	reply *guard.Response
	err   error
	at    time.Time
	took  int64
}

// connections is the key of the connections that calls of a workspace to an origin share.
func connections(workspaceID, address string) string {
	return "step/" + workspaceID + "/" + guard.Origin(address, guard.Step)
}
