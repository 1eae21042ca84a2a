package workflow

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/workspace"
)

// headerCallbackToken carries the token of the step that is called back.
const headerCallbackToken = "x-svc-callback-token"

type callbackRows interface {
	// Callback finds what a token opens.
	Callback(ctx context.Context, token string) (workspace.Caller, error)
	// Complete records a callback; false when the step has ended already.
	Complete(ctx context.Context, of workspace.Caller, said interpreter.Callback) (bool, error)
}

// Callbacks are the calls by which receivers of asynchronous webhook steps say what
// became of their work.
type Callbacks struct{ rows callbackRows }

// NewCallbacks makes the operation.
func NewCallbacks(rows callbackRows) *Callbacks { return &Callbacks{rows} }

// Completion is the body of a callback.
type Completion struct {
	Status string             `json:"status" enum:"completed,failed"`
	Output shape.Object       `json:"output,omitempty" maxBytes:"65536"`
	Error  *CompletionFailure `json:"error,omitempty"`
}

// CompletionFailure is why the work failed.
type CompletionFailure struct {
	Code    string `json:"code" minLength:"1" maxLength:"128" notBlank:"true"`
	Message string `json:"message,omitempty" maxLength:"2000"`
}

// readCompletion checks a body against the rules of Completion.
var readCompletion = rpc.RawRules[Completion]()

// CallbackAnswer is the answer to a callback.
type CallbackAnswer struct {
	OK   bool   `json:"ok"`
	Code string `json:"code" enum:"accepted,already-terminal"`
}

// Complete ends the step that the token opens. Whatever comes after the first callback,
// or after the end of the step, changes nothing.
func (c *Callbacks) Complete(ctx context.Context, r *rpc.RawRequest) (*rpc.RawAnswer, error) {
	token := r.Header.Get(headerCallbackToken)
	if token == "" {
		return nil, fault.Unauthenticated()
	}
	of, err := c.rows.Callback(ctx, token)
	if err != nil {
		return nil, err
	}
	if err := r.Admit(ctx, of); err != nil {
		return nil, err
	}
	said, err := readCompletion(r.Body)
	if outgrown(err) {
		return nil, fault.TooLarge(maxOutput)
	} else if err != nil {
		return nil, err
	}
	taken, err := c.rows.Complete(ctx, of, said.callback())
	switch {
	case err != nil:
		return nil, err
	case !taken:
		return &rpc.RawAnswer{Code: http.StatusOK, Body: CallbackAnswer{true, "already-terminal"}}, nil
	default:
		return &rpc.RawAnswer{Code: http.StatusOK, Body: CallbackAnswer{true, "accepted"}}, nil
	}
}

// maxOutput is how large the output of a callback may be, in bytes of JSON.
const maxOutput = 64 << 10

// outgrown reports whether a body is refused for the size of its output.
func outgrown(err error) bool {
	return err != nil && slices.ContainsFunc(fault.From(err).Issues, func(i fault.Issue) bool {
		return i.Code == shape.Length && slices.Equal(i.Path, []string{"output"})
	})
}

func (c *Completion) callback() interpreter.Callback {
	said := interpreter.Callback{Failed: c.Status == "failed", Output: json.RawMessage(c.Output)}
	if c.Error != nil && said.Failed {
		said.Code, said.Message = c.Error.Code, c.Error.Message
	}
	return said
}
