package knowledge

import (
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/queue"
)

// key is under what a version is queued (VersionOf reads it).
func (v VersionRef) key() string { return VersionKey(v.SourceID, v.Version) }

// queueVersion queues a version to be given a run. It stays queued until it has ended.
func queueVersion(tx *pg.Tx, v VersionRef) {
	queue.Put(tx, queue.Work{Kind: queue.Versions, Key: v.key(), WorkspaceID: v.WorkspaceID})
}

// unqueue removes a version that has ended from the queue: another one of the workspace may
// have its turn.
func unqueue(tx *pg.Tx, v VersionRef) {
	queue.Remove(tx, queue.Versions, v.key())
	tx.NotifyAll(queue.Versions.Topic())
}
