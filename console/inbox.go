package console

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	redline "github.com/redline-svc/redline/clients/go"
)

// queryLength is how much of what is to be decided is compared with past judgments: the interface
// takes that many characters.
const queryLength = 1000

// inboxView is what waits for a reviewer, and one step of it with all that helps to decide.
type inboxView struct {
	Reviewer string
	Waiting  []redline.ListedStep
	NextPage string
	// Step is the chosen one; nil where nothing waits.
	Step *redline.ListedStep
	// Next and Previous are the addresses of its neighbours, empty at the ends.
	Next, Previous string
	Execution      redline.Execution
	Threads        []*redline.WholeAnnotation
	Advice         redline.SuggestResult
	// AdviceFailure and ThreadsFailure are said in the place of what could not be read: a decision needs neither.
	AdviceFailure, ThreadsFailure *failure
}

// inbox shows what waits for who the reader acts as, or for anybody.
func (c *Console) inbox(v *visit) (*page, error) {
	view, err := v.readWaiting()
	if err != nil {
		return nil, err
	}
	if view.choose(v.asked("step")); view.Step != nil {
		err = view.readContext(v.ctx, v.calls)
	}
	look := to("/inbox/waiting", "step", v.asked("step"), "cursor", v.asked("cursor"))
	return &page{Title: "Inbox", Template: "inbox", Section: "/inbox", Look: look, Data: view}, err
}

// inboxWaiting is the part of the inbox that is read again: the list, and not what is being decided.
func (c *Console) inboxWaiting(v *visit) (*page, error) {
	view, err := v.readWaiting()
	if err != nil {
		return nil, err
	}
	view.choose(v.asked("step"))
	return &page{Title: "Inbox", Template: "inbox", Section: "/inbox", Data: view}, nil
}

func (v *visit) readWaiting() (*inboxView, error) {
	view := &inboxView{Reviewer: v.session.Acting}
	wanted := redline.ListStepsRequest{
		NodeType: new(redline.ListStepsRequestNodeTypeHuman), Status: new(redline.ListStepsRequestStatusWaiting),
		Cursor: v.optional("cursor"), PageSize: new(int64(rows)),
	}
	if view.Reviewer != "" {
		wanted.NodeType, wanted.ReviewerID = nil, &view.Reviewer
	}
	found, err := v.calls.Steps.List(v.ctx, wanted)
	view.Waiting = found.Items
	if found.HasMore {
		view.NextPage = to("/inbox", "cursor", textOf(found.NextCursor))
	}
	return view, err
}

// choose takes the step with that id, or the first one, and its neighbours.
func (i *inboxView) choose(step string) {
	if len(i.Waiting) == 0 {
		return
	}
	at := max(0, slices.IndexFunc(i.Waiting, func(s redline.ListedStep) bool { return s.StepID == step }))
	i.Step = &i.Waiting[at]
	if at > 0 {
		i.Previous = to("/inbox", "step", i.Waiting[at-1].StepID)
	}
	if at+1 < len(i.Waiting) {
		i.Next = to("/inbox", "step", i.Waiting[at+1].StepID)
	}
}

// readContext reads what helps to decide.
func (i *inboxView) readContext(ctx context.Context, calls *redline.Client) error {
	return together(ctx,
		func(ctx context.Context) (err error) {
			if i.Execution, err = calls.Executions.Get(ctx, redline.GetExecutionRequest{ExecutionID: i.Step.ExecutionID}); err == nil {
				i.readAdvice(ctx, calls)
			}
			return err
		},
		func(ctx context.Context) error {
			i.readThreads(ctx, calls)
			return nil
		},
	)
}

func (i *inboxView) readAdvice(ctx context.Context, calls *redline.Client) {
	query := short(queryLength, i.about())
	if query == "" {
		return
	}
	wanted := redline.SuggestRequest{Query: query, OrganizationID: i.Execution.OrganizationID}
	if wanted.OrganizationID != nil {
		wanted.DocumentID = i.Execution.DocumentID
	}
	advice, err := calls.Memory.Suggest(ctx, wanted)
	if err != nil {
		i.AdviceFailure = failureOf(err)
		return
	}
	i.Advice = advice
}

// about is what is to be decided, in words: what the step says, and what the execution was
// dispatched with.
func (i *inboxView) about() string {
	said := []string{i.Comment()}
	var texts func(value any)
	texts = func(value any) {
		switch value := value.(type) {
		case string:
			said = append(said, value)
		case []any:
			for _, each := range value {
				texts(each)
			}
		case map[string]any:
			for _, name := range sortedNames(value) {
				texts(value[name])
			}
		}
	}
	var context any
	reread(i.Execution.TriggerContext, &context)
	texts(context)
	return strings.TrimSpace(strings.Join(said, " "))
}

func sortedNames(of map[string]any) []string {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Comment is what the step says to its reviewers.
func (i *inboxView) Comment() string {
	for _, step := range i.Execution.Steps {
		if step.StepID == i.Step.StepID {
			var output struct{ CommentBody string }
			reread(step.Output, &output)
			return output.CommentBody
		}
	}
	return ""
}

// Before are the steps that have ended, newest last, with what they put out.
func (i *inboxView) Before() (ended []redline.Step) {
	for _, step := range i.Execution.Steps {
		if step.CompletedAt != nil && step.Status != redline.StepStatusCancelled && step.Status != redline.StepStatusSkipped {
			ended = append(ended, step)
		}
	}
	return ended
}

func (i *inboxView) readThreads(ctx context.Context, calls *redline.Client) {
	of := i.Step.Metadata
	if of.OrganizationID == nil || of.DocumentID == nil {
		return
	}
	found, err := calls.Annotations.Get(ctx, redline.FindAnnotationsRequest{OrganizationID: *of.OrganizationID, DocumentID: of.DocumentID, PageSize: new(int64(listed))})
	if err != nil {
		i.ThreadsFailure = failureOf(err)
		return
	}
	i.Threads = found.Data
}

// nameOf is what somebody is called, by what an annotation keeps of them.
func nameOf(person any) string {
	var known struct{ Name, Email, UserID string }
	reread(person, &known)
	return cmp.Or(known.Name, known.Email, known.UserID)
}

// saidBy is the text of a comment, with whom it mentions by name in the place of the marks.
func saidBy(text string, mentioned []redline.JSON) string {
	for _, each := range mentioned {
		var known struct {
			UserID  string
			Contact redline.JSON
		}
		reread(each, &known)
		if known.UserID != "" {
			text = strings.ReplaceAll(text, "{{"+known.UserID+"}}", "@"+cmp.Or(nameOf(known.Contact), known.UserID))
		}
	}
	return text
}

// wordOf is a field of a free-form object, as text.
func wordOf(name string, object any) string {
	var fields map[string]json.RawMessage
	reread(object, &fields)
	var word string
	_ = json.Unmarshal(fields[name], &word) // what is no text is not shown
	return word
}
