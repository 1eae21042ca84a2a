package execution

import (
	"time"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/subject"
)

// state is an execution as it was read under the lock of its row, or one that is
// about to be inserted, with its steps.
type state struct {
	// execution is what the interpreter works on and changes.
	execution   interpreter.State
	workspaceID string
	versionRef  string
	// now is the time of Postgres, taken after the lock; exists reports whether the row
	// was there.
	now    time.Time
	exists bool
	// revivable says that its definition is active and its version is there; it is read
	// by commands that reopen only.
	revivable bool

	definitionID, definitionName string
	definitionVersion            int
	// contentType is the definition's, for judgments.
	contentType   string
	workflowID    string
	correlationID string
	// organizationID and documentID are what it is about, subjects are their keys.
	organizationID, documentID *string
	subjects                   subject.Keys
	startedAt                  time.Time
	// destination, origin and eventTypes are the receiver's; nil without one.
	destination, origin *string
	eventTypes          []string
	// webhooksConfigured says that the workspace may have endpoints to publish
	// events to, mailsEnabled that reviewers get mails.
	webhooksConfigured, mailsEnabled bool

	run runState
	// wasOverdueAt is overdueAt before the command; toSignal reports that it is past, and nobody
	// drives.
	wasOverdueAt time.Time
	toSignal     bool
}
