// Package knowledge holds the sources of knowledge, their versions, the chunks and
// rules that are drawn from them, and which of their vectors the index holds. Searches
// in them are in models/search.
//
// The states of a version, and who changes them:
//
//	(new)    -> accepted  accept: stage queued, due for Temporal at once; Update: a
//	                      later version, whose chunks and rules are stored with it
//	accepted -> staging   claimVersions: the workspace has fewer than 64 in work
//	staging  -> live      endVersion by Complete: five stages are done; the version is visible
//	staging  -> failed    endVersion by Fail: with its reason
//	failed   -> accepted  Retry: the stages that are done stay done
//	live, accepted,
//	staging  -> retired   goLive: a later version is live; Update: an unfinished
//	                      version, or a failed one, before the one that it makes;
//	                      Delete: the source was deleted; RemoveBatch: what it is
//	                      scoped to was removed
//
// Versions of a source have numbers without a gap, by the lock of its row. The newest
// one always has its row: the rules of the next one are compared with its rules, whatever
// its state, and those that say the same keep their ids. What a retired version has in
// the index, its files and all its rows go some time after it was retired
// (HiddenVersions, FormerVersions); nothing refers to it then.
//
// Within staging the stages follow one another: converting, chunking,
// extracting-rules, embedding, indexing. beginStage enters one, finishStage counts it
// as done, in the transaction that stores its rows; takeBack sends a version back
// to embedding where the index was switched to another model meanwhile. A version is
// queued (models/queue) until it has ended; whoever works on it keeps it locked. indexed
// says that the index may hold objects of it, until Purge.
//
// The scope of a source is by keys of subjects (models/subject), so it goes along with
// a document that gets another id. A source whose scope is removed is hidden from every
// read at once (VisibleSource). Then RemoveBatch ends it; what its versions left goes by
// HiddenVersions and RemovedVersions once nobody can be reading or working on them. A
// vector goes with the last row that names its text: who removes rows locks the vectors
// and then looks who else names them, and who names one holds it until that is stored.
//
// A generation of the index is building, then serving, then retired: addGeneration
// makes it, Switch serves it and retires the one before, Build gives up one of
// another model, Forget removes a retired one.
//
// What the index keeps of a workspace in memory is held, then released: NoteUse
// notes the use, at most once an hour, and whoever finds it a day old by
// IdleWorkspaces has the index release the workspace and notes that by Released. The
// next use brings it back by itself. A use that comes in between is noted later than
// what was read, so Released leaves it alone.
//
// Tables: sources, source_versions, chunks, rules, vectors, uploads, unclaimed_files,
// index_generations, index_copies, index_uses.
//
// Locks, in this order: the upload's row, an advisory lock of the workspace (of
// its sources, of its uploads or of its indexing), the source's row, the serving
// generation (FOR SHARE by a version that goes live, FOR UPDATE by Switch), the
// version's row, the vectors by model and text. Claims pass over locked rows.
//
// It must not call Temporal, the embedder, the blob store or the index.
package knowledge
