package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/knowledge"
)

const (
	// liveWait is how long an update waits for its version to go live, so that who
	// searches next finds it. What is left of the time for an answer is kept for that.
	liveWait    = 20 * time.Second
	answerSpare = 3 * time.Second
	// firstLook and longestLook are how long it waits between two looks at the rows:
	// each time a quarter longer than before.
	firstLook, longestLook = 40 * time.Millisecond, 500 * time.Millisecond
)

type updateStore interface {
	CheckUpdate(ctx context.Context, workspaceID, sourceID string, expected *int) error
	Update(ctx context.Context, workspaceID string, u knowledge.Update) (knowledge.Updated, error)
	Settled(ctx context.Context, v knowledge.VersionRef) (bool, error)
}

// UpdateRequest replaces the content of a source.
type UpdateRequest struct {
	SourceID        string `json:"sourceId" minLength:"1" maxLength:"200" notBlank:"true"`
	NewContent      string `json:"newContent" minLength:"1" notBlank:"true" doc:"markdown; at most 5242880 bytes of UTF-8"`
	ExpectedVersion *int   `json:"expectedVersion,omitempty" minimum:"1" example:"3" doc:"the newest version that the caller knows; refused when there is a newer one"`
}

// Validate bounds the content in bytes.
func (r *UpdateRequest) Validate() []fault.Issue {
	if len(r.NewContent) <= maxInline {
		return nil
	}
	return []fault.Issue{{Code: shape.Length, Path: []string{"newContent"}, Message: "must have at most 5,242,880 bytes of UTF-8"}}
}

// UpdateDiff is which rules are new and which are gone, as they are written.
type UpdateDiff struct {
	Added     []string `json:"added" doc:"rules that the version before had not, in the order of the new one"`
	Removed   []string `json:"removed" doc:"rules that only the version before had, in its order"`
	Unchanged int      `json:"unchanged" doc:"how many rules both have"`
}

// UpdateResult is what has changed.
type UpdateResult struct {
	Diff       UpdateDiff `json:"diff"`
	NewVersion int        `json:"newVersion"`
}

// Update makes the next version of a source, whose chunks and rules are drawn from the
// text here, and waits for it to be what reads serve. What still has to be made of it is
// made from the committed row, so it comes about whether or not anybody waits.
func (k *Knowledge) Update(ctx context.Context, req *UpdateRequest) (*UpdateResult, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	if err := k.Store.CheckUpdate(ctx, workspaceID, req.SourceID, req.ExpectedVersion); err != nil {
		return nil, err
	}
	u, text, err := k.draw(ctx, workspaceID, req)
	if err != nil {
		return nil, err
	}
	done, err := k.commitUpdate(ctx, workspaceID, u, req.NewContent, text)
	if err != nil {
		return nil, err
	}
	k.awaitLive(ctx, knowledge.VersionRef{WorkspaceID: workspaceID, SourceID: req.SourceID, Version: done.Version})
	return &UpdateResult{NewVersion: done.Version, Diff: UpdateDiff{Added: done.Added, Removed: done.Removed, Unchanged: done.Unchanged}}, nil
}

// drawWait is how long a content waits for its turn to be drawn.
const drawWait = 15 * time.Second

// drawnAtOnce is how many contents are drawn at once in a process: each takes a core.
func drawnAtOnce() int64 { return int64(max(2, runtime.GOMAXPROCS(0))) }

// draw draws a content in its turn: what is stored of it, and its canonical text. Errors:
// RESOURCE_EXHAUSTED busy; INVALID_ARGUMENT with the reason why the text cannot be a source,
// content-too-costly of one that takes more than knowledge.UpdateTime.
func (k *Knowledge) draw(ctx context.Context, workspaceID string, req *UpdateRequest) (u knowledge.Update, text string, err error) {
	turn, cancel := context.WithTimeout(ctx, drawWait)
	defer cancel()
	if err := k.drawing.Acquire(turn, workspaceID, 1); err != nil {
		return u, "", cmp.Or(ctx.Err(), error(fault.Busy()))
	}
	defer k.drawing.Release(workspaceID, 1)
	drawn, err := k.Drawing.All(ctx, req.NewContent)
	switch unfit := extract.AsFailure(err); {
	case unfit != nil && unfit.Reason == extract.Timeout:
		return u, "", fault.InvalidReason("content-too-costly", "newContent takes more than 20 seconds of the processor; divide it, or send it as a file")
	case unfit != nil:
		return u, "", fault.InvalidReason(unfit.Reason, unfit.Message)
	case err != nil:
		return u, "", err
	}
	content := sha256.Sum256([]byte(req.NewContent))
	return knowledge.Update{
		SourceID: req.SourceID, Expected: req.ExpectedVersion, Size: int64(len(req.NewContent)), SHA256: content[:],
		Chunks: drawn.Chunks, Rules: drawn.Rules, Metadata: drawn.Metadata,
	}, drawn.Markdown, nil
}

// commitUpdate keeps the content and its canonical text, once where they are the same,
// and commits the version that names them.
func (k *Knowledge) commitUpdate(ctx context.Context, workspaceID string, u knowledge.Update, content, canonical string) (knowledge.Updated, error) {
	folder := fmt.Sprintf("sources/%s/%s/updates/%s/", workspaceID, u.SourceID, id.Token("u"))
	u.OriginalKey, u.CanonicalKey = folder+"original", folder+"original"
	texts := map[string]string{u.OriginalKey: content}
	if canonical != content {
		u.CanonicalKey = folder + "canonical.md"
		texts[u.CanonicalKey] = canonical
	}
	for key, text := range texts {
		if err := k.write(ctx, knowledge.UnclaimedFile{WorkspaceID: workspaceID, BlobKey: key}, knowledge.TypeMarkdown, strings.NewReader(text)); err != nil {
			return knowledge.Updated{}, err
		}
	}
	done, err := k.Store.Update(ctx, workspaceID, u)
	if refused(err) {
		for key := range texts {
			k.drop(ctx, key)
		}
	}
	return done, err
}

// refused reports whether an error says that nothing was committed. After others a row
// may name the files.
func refused(err error) bool {
	return fault.Is(err, fault.StatusNotFound) || fault.Is(err, fault.StatusAborted) || fault.Is(err, fault.StatusFailedPrecondition)
}

// awaitLive looks at the rows now and then until the version is what reads serve, or
// none will be, or the time for that is over. It holds nothing between two looks.
func (k *Knowledge) awaitLive(ctx context.Context, v knowledge.VersionRef) {
	wait := liveWait
	if until, bounded := ctx.Deadline(); bounded {
		wait = min(wait, time.Until(until)-answerSpare)
	}
	own, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for pause := firstLook; ; pause = min(pause*5/4, longestLook) {
		select {
		case <-own.Done():
			return
		case <-time.After(pause):
		}
		if settled, err := k.Store.Settled(own, v); err == nil && settled {
			return
		}
	}
}
