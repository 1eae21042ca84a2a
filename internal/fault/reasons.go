package fault

// Reasons are the words that details.reason of an error may be, sorted: those that an error is
// made with, and for the others its status in kebab-case. They are published, so a word is
// added here when an error first has it, and none changes its meaning.
var Reasons = []string{
	"aborted", "access-disabled", "activities-disabled", "address-refused", "advanced-queries-disabled", "agent-disabled", "agent-exists", "agent-not-registered", "agent-quota",
	"agent-version-quota",
	"already-exists", "already-ingested", "already-uploaded", "attempts-used-up", "body-too-large", "busy",
	"confirmation-quota", "consolidation-recent", "content-too-costly", "content-type", "deadline-exceeded",
	"definition-exists", "definition-gone", "definition-quota", "definition-tombstoned", "disposable-domain",
	"domain-quota", "embedder-away", "embedding-model-changed", "empty-file", "endpoint-disabled", "endpoint-quota",
	"execution-ended", "failed-precondition", "file-corrupt", "file-encrypted", "file-size", "file-too-large",
	"first-update-must-enable", "first-version", "folder-depth", "group-full", "group-quota", "headers-too-large", "if-match",
	"index-away", "indexing-slots", "ingest-in-progress", "internal", "invalid-argument", "invitation-quota", "ip-limit", "key-quota",
	"live-executions", "migration-in-progress", "no-mail-relay", "no-provider-url", "no-receiver", "no-text-layer", "no-webhook-url",
	"not-a-human-step", "not-a-reviewer", "not-an-agent-step", "not-failed", "not-found", "not-pending", "not-uploaded",
	"nothing-to-confirm", "notifications-disabled", "origin-not-allowed", "permission-denied", "plan-required", "preference-quota",
	"private-comments-disabled", "provider-unreachable", "range", "rate-limit", "recovery-running", "resource-exhausted", "retries-used",
	"reviewer-decided", "reviewer-listed", "schedule-quota", "scope-mismatch", "slow-body", "source-quota",
	"speaks-of-endpoint", "step-ended", "step-limit", "step-not-started", "step-not-waiting", "step-state",
	"storage-quota", "token-refused", "too-many-marks", "too-much-kept", "uid-taken", "unauthenticated", "unavailable", "unknown-file-ref",
	"unknown-source", "unsupported-encoding", "unsupported-format", "upload-expired", "upload-slots",
	"version-conflict", "version-mismatch", "webhooks-disabled", "webhooks-not-configured", "workspace-exists",
	"workspace-quota", "wrong-code",
}
