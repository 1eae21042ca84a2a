package knowledge

import (
	"context"
	"fmt"
	"maps"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Makers are the versions of what makes the text of a version, its chunks and its
// rules. They rise with every change of what is made.
type Makers struct{ Converter, Chunker, Rules int }

// makersForm is how makers stand in rows.
const makersForm = "extract/%d chunk/%d rules/%d"

// String is how they are kept with a version.
func (m Makers) String() string { return fmt.Sprintf(makersForm, m.Converter, m.Chunker, m.Rules) }

// makersOf reads them; those of a text that says nothing are older than all.
func makersOf(text string) (m Makers) {
	if _, err := fmt.Sscanf(text, makersForm, &m.Converter, &m.Chunker, &m.Rules); err != nil {
		return Makers{}
	}
	return m
}

// keeps returns of how many finished stages the output still counts: of those before the
// first one whose output an older maker made.
func (m Makers) keeps(made Makers, done int) int {
	switch {
	case made.Converter < m.Converter:
		return min(done, stageNumbers[StageConverting])
	case made.Chunker < m.Chunker:
		return min(done, stageNumbers[StageChunking])
	case made.Rules < m.Rules:
		return min(done, stageNumbers[StageRules])
	default:
		return done
	}
}

// mostRetries is how often a caller may have a version made again with one converter: what fails
// so often fails again, and takes time from others.
const mostRetries = 3

// Retry makes the newest version of a source run again, from the first stage whose
// output is missing or was made by an older maker than now; of several who ask one
// succeeds. It waits for who is removing what the version left in the index. Errors:
// NOT_FOUND; FAILED_PRECONDITION (not-failed, retries-used).
func (k *Knowledge) Retry(ctx context.Context, workspaceID, sourceID string, now Makers) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		v := VersionRef{WorkspaceID: workspaceID, SourceID: sourceID}
		if err := lockSource(ctx, tx, v); err != nil {
			return err
		}
		newest, err := readNewest(ctx, tx, v)
		if err != nil {
			return err
		}
		if newest.state != "failed" {
			return fault.FailedPrecondition("not-failed", "the newest version of the source has not failed")
		}
		if newest.retryConverter != now.Converter {
			newest.retries = 0
		}
		if newest.retries >= mostRetries {
			return fault.FailedPrecondition("retries-used", "the version was retried as often as it may be; send the source again, or another one")
		}
		v.Version = newest.version
		queueVersion(tx, v)
		return again(ctx, tx, v, now.keeps(makersOf(newest.makers), newest.done), map[string]any{
			"retries": newest.retries + 1, "retry_converter": now.Converter,
		})
	})
}

// withoutRulesMetadata is a version's metadata without what rulesMetadata puts there.
const withoutRulesMetadata = `metadata - '{rulesSkipped,rulesTruncated}'::text[]`

// again accepts a failed version again, with so many stages finished. What later stages
// have noted goes: they note it again. set is what is noted beside.
func again(ctx context.Context, tx *pg.Tx, v VersionRef, done int, set map[string]any) error {
	maps.Copy(set, map[string]any{
		"state": "accepted", "stage": StageQueued, "done": done, "failure_reason": nil, "failure_message": nil,
		"started_at": pg.Clock, "updated_at": pg.Clock,
	})
	if done <= stageNumbers[StageChunking] {
		set["chunk_count"] = 0
	}
	if done <= stageNumbers[StageRules] {
		set["rule_count"] = 0
		set["metadata"] = gorm.Expr(withoutRulesMetadata)
	}
	if done <= stageNumbers[StageConverting] {
		set["metadata"] = gorm.Expr("'{}'")
	}
	_, err := gorm.G[versionRow](tx.Gorm()).Scopes(v.only).Where("state = 'failed'").Set(clause.Assignments(set)).Update(ctx)
	return err
}
