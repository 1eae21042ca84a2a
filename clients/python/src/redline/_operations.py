# Generated from the published document. Do not edit.
from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any, Protocol, cast

from . import types as t
from ._core import Id, Operation, Pages, added_activities, added_annotations, added_comments


class _Caller(Protocol):
    def call(self, operation: Operation, data: Any) -> Any: ...

    def walk(self, operation: Operation, pages: Pages, data: Any) -> Iterator[Any]: ...


_ACTIVITIES_ADD = Operation("/v2/activities/add", ids=(Id("activities.id"), ), committed=added_activities)
_ACTIVITIES_DELETE = Operation("/v2/activities/delete", safe=True)
_ACTIVITIES_GET = Operation("/v2/activities/get", safe=True)
_ACTIVITIES_UPDATE = Operation("/v2/activities/update", safe=True)
_AGENTS_CREATE = Operation("/v2/agents/create", safe=True)
_AGENTS_CREATE_GROUPS = Operation("/v2/agents/groups/create")
_AGENTS_DELETE = Operation("/v2/agents/delete", safe=True)
_AGENTS_DELETE_GROUPS = Operation("/v2/agents/groups/delete", safe=True)
_AGENTS_EXECUTION_COUNT = Operation("/v2/agents/execution/count", safe=True)
_AGENTS_EXECUTION_RUN = Operation("/v2/agents/execution/run", ids=(Id("idempotencyKey"), ))
_AGENTS_GET = Operation("/v2/agents/get", safe=True)
_AGENTS_GET_ANALYTICS = Operation("/v2/agents/analytics/get", safe=True)
_AGENTS_GET_EXECUTION = Operation("/v2/agents/execution/get", safe=True)
_AGENTS_GET_GROUPS = Operation("/v2/agents/groups/get", safe=True)
_AGENTS_GROUPS_ADD_AGENTS = Operation("/v2/agents/groups/add-agents", safe=True)
_AGENTS_GROUPS_REMOVE_AGENTS = Operation("/v2/agents/groups/remove-agents", safe=True)
_AGENTS_LIST = Operation("/v2/agents/list", safe=True)
_AGENTS_LIST_EXECUTION = Operation("/v2/agents/execution/list", safe=True)
_AGENTS_LIST_GROUPS = Operation("/v2/agents/groups/list", safe=True)
_AGENTS_LIST_VERSIONS = Operation("/v2/agents/versions/list", safe=True)
_AGENTS_UPDATE = Operation("/v2/agents/update", safe=True)
_AGENTS_UPDATE_GROUPS = Operation("/v2/agents/groups/update", safe=True)
_AGENTS_UPDATE_VERSION = Operation("/v2/agents/version/update")
_AGENTS_VERSIONS_RESTORE = Operation("/v2/agents/versions/restore", ids=(Id("version", integer=True), ))
_ALERTS_ACTION = Operation("/v2/memory/alerts/action", safe=True)
_ALERTS_DISMISS = Operation("/v2/memory/alerts/dismiss", safe=True)
_ALERTS_GET_CONFIG = Operation("/v2/memory/alerts/config/get", safe=True)
_ALERTS_LIST = Operation("/v2/memory/alerts/list", safe=True)
_ALERTS_UPDATE_CONFIG = Operation("/v2/memory/alerts/config/update", safe=True)
_ANNOTATIONS_ADD = Operation("/v2/commentannotations/add", ids=(Id("commentAnnotations.annotationId"), Id("commentAnnotations.commentData.commentId", integer=True), Id("commentAnnotations.comments.commentId", integer=True), ), committed=added_annotations)
_ANNOTATIONS_DELETE = Operation("/v2/commentannotations/delete", safe=True)
_ANNOTATIONS_GET = Operation("/v2/commentannotations/get", safe=True)
_ANNOTATIONS_GET_COUNT = Operation("/v2/commentannotations/count/get", safe=True)
_ANNOTATIONS_GET_COUNT_V1 = Operation("/v1/commentannotations/count/get", safe=True)
_ANNOTATIONS_GET_V1 = Operation("/v1/commentannotations/get", safe=True)
_ANNOTATIONS_READ = Operation("/v2/commentannotations/read", safe=True)
_ANNOTATIONS_UPDATE = Operation("/v2/commentannotations/update", safe=True)
_API_KEYS_COPY = Operation("/v2/workspace/apikey/copy", workspace=True, safe=True)
_API_KEYS_CREATE = Operation("/v2/workspace/apikey/create", workspace=True)
_API_KEYS_GET = Operation("/v2/workspace/apikeys/get", workspace=True, safe=True)
_API_KEYS_UPDATE = Operation("/v2/workspace/apikey/update", workspace=True, safe=True)
_ATTEMPTS_GET = Operation("/v2/workspace/advancedwebhook/attempts/get", safe=True)
_AUTH_GENERATE_TOKEN = Operation("/v2/auth/generate_token", safe=True)
_AUTH_VERIFY_TOKEN = Operation("/v2/auth/verify_token", safe=True)
_AUTH_TOKENS_ENSURE = Operation("/v2/workspace/authtoken/ensure", workspace=True, safe=True)
_AUTH_TOKENS_GET = Operation("/v2/workspace/authtokens/get", workspace=True, safe=True)
_AUTH_TOKENS_RESET = Operation("/v2/workspace/authtoken/reset", workspace=True)
_COMMENTS_ADD = Operation("/v2/commentannotations/comments/add", ids=(Id("commentData.commentId", integer=True), Id("comments.commentId", integer=True), ), committed=added_comments)
_COMMENTS_DELETE = Operation("/v2/commentannotations/comments/delete", safe=True)
_COMMENTS_GET = Operation("/v2/commentannotations/comments/get", safe=True)
_COMMENTS_GET_V1 = Operation("/v1/commentannotations/comments/get", safe=True)
_COMMENTS_UPDATE = Operation("/v2/commentannotations/comments/update", safe=True)
_CONSOLIDATION_TRIGGER = Operation("/v2/memory/consolidation/trigger", safe=True)
_DEFINITIONS_CREATE = Operation("/v2/workflow/definitions/create", safe=True)
_DEFINITIONS_DELETE = Operation("/v2/workflow/definitions/delete", safe=True)
_DEFINITIONS_GET = Operation("/v2/workflow/definitions/get", safe=True)
_DEFINITIONS_GET_VERSIONS = Operation("/v2/workflow/definitions/versions/get", safe=True)
_DEFINITIONS_LINT = Operation("/v2/workflow/definitions/lint", safe=True)
_DEFINITIONS_LIST = Operation("/v2/workflow/definitions/list", safe=True)
_DEFINITIONS_LIST_VERSIONS = Operation("/v2/workflow/definitions/versions/list", safe=True)
_DEFINITIONS_UPDATE = Operation("/v2/workflow/definitions/update")
_DOCUMENTS_ADD = Operation("/v2/organizations/documents/add", safe=True)
_DOCUMENTS_DELETE = Operation("/v2/organizations/documents/delete", safe=True)
_DOCUMENTS_GET = Operation("/v2/organizations/documents/get", safe=True)
_DOCUMENTS_GET_COUNT = Operation("/v2/organizations/documents/count/get", safe=True)
_DOCUMENTS_MIGRATE = Operation("/v2/organizations/documents/migrate", safe=True)
_DOCUMENTS_MIGRATE_STATUS = Operation("/v2/organizations/documents/migrate/status", safe=True)
_DOCUMENTS_MOVE = Operation("/v2/organizations/documents/move", safe=True)
_DOCUMENTS_UPDATE = Operation("/v2/organizations/documents/update", safe=True)
_DOCUMENTS_UPDATE_ACCESS = Operation("/v2/organizations/documents/access/update", safe=True)
_DOCUMENTS_UPDATE_ACCESS_DISABLE_STATE = Operation("/v2/organizations/documents/access/disablestate/update", safe=True)
_DOMAINS_ADD = Operation("/v2/workspace/domains/add", safe=True)
_DOMAINS_DELETE = Operation("/v2/workspace/domains/delete", safe=True)
_DOMAINS_GET = Operation("/v2/workspace/domains/get", safe=True)
_ENDPOINTS_CREATE = Operation("/v2/workspace/advancedwebhook/endpoints/create", ids=(Id("uid"), ))
_ENDPOINTS_DELETE = Operation("/v2/workspace/advancedwebhook/endpoints/delete", safe=True)
_ENDPOINTS_GET = Operation("/v2/workspace/advancedwebhook/endpoints/get", safe=True)
_ENDPOINTS_GET_RECOVER = Operation("/v2/workspace/advancedwebhook/endpoints/recover/get", safe=True)
_ENDPOINTS_GET_SECRET = Operation("/v2/workspace/advancedwebhook/endpoints/secret/get", safe=True)
_ENDPOINTS_RECOVER = Operation("/v2/workspace/advancedwebhook/endpoints/recover")
_ENDPOINTS_ROTATE_SECRET = Operation("/v2/workspace/advancedwebhook/endpoints/secret/rotate")
_ENDPOINTS_TEST = Operation("/v2/workspace/advancedwebhook/endpoints/test")
_ENDPOINTS_UPDATE = Operation("/v2/workspace/advancedwebhook/endpoints/update", safe=True)
_EVENT_TYPES_GET = Operation("/v2/workspace/advancedwebhook/eventtypes/get", safe=True)
_EXECUTIONS_CANCEL = Operation("/v2/workflow/executions/cancel", safe=True)
_EXECUTIONS_DELETE = Operation("/v2/workflow/executions/delete", safe=True)
_EXECUTIONS_DISPATCH = Operation("/v2/workflow/executions/dispatch", ids=(Id("idempotencyKey"), ))
_EXECUTIONS_GET = Operation("/v2/workflow/executions/get", safe=True)
_EXECUTIONS_GET_DELIVERIES = Operation("/v2/workflow/executions/getDeliveries", safe=True)
_EXECUTIONS_GET_EVENTS = Operation("/v2/workflow/executions/getEvents", safe=True)
_EXECUTIONS_LIST = Operation("/v2/workflow/executions/list", safe=True)
_EXECUTIONS_PAUSE = Operation("/v2/workflow/executions/pause", safe=True)
_EXECUTIONS_REDELIVER = Operation("/v2/workflow/executions/redeliver")
_EXECUTIONS_RESUME = Operation("/v2/workflow/executions/resume", safe=True)
_EXECUTIONS_RETRY = Operation("/v2/workflow/executions/retry")
_FOLDERS_ADD = Operation("/v2/organizations/folders/add", safe=True)
_FOLDERS_DELETE = Operation("/v2/organizations/folders/delete", safe=True)
_FOLDERS_GET = Operation("/v2/organizations/folders/get", safe=True)
_FOLDERS_UPDATE = Operation("/v2/organizations/folders/update", safe=True)
_FOLDERS_UPDATE_ACCESS = Operation("/v2/organizations/folders/access/update", safe=True)
_JOBS_LIST = Operation("/v2/workspace/jobs/list", safe=True)
_JUDGMENTS_DELETE = Operation("/v2/memory/judgments/delete", safe=True)
_JUDGMENTS_QUERY = Operation("/v2/memory/judgments/query", safe=True)
_JUDGMENTS_RECORD = Operation("/v2/memory/judgments/record", ids=(Id("judgments.recordId"), ))
_KNOWLEDGE_DELETE = Operation("/v2/memory/knowledge/delete", safe=True)
_KNOWLEDGE_DOWNLOAD = Operation("/v2/memory/knowledge/download", safe=True)
_KNOWLEDGE_INGEST = Operation("/v2/memory/knowledge/ingest")
_KNOWLEDGE_INGEST_STATUS = Operation("/v2/memory/knowledge/ingest-status", safe=True)
_KNOWLEDGE_LIST = Operation("/v2/memory/knowledge/list", safe=True)
_KNOWLEDGE_RETRY = Operation("/v2/memory/knowledge/retry")
_KNOWLEDGE_RULES = Operation("/v2/memory/knowledge/rules", safe=True)
_KNOWLEDGE_SEARCH = Operation("/v2/memory/knowledge/search", safe=True)
_KNOWLEDGE_UPDATE = Operation("/v2/memory/knowledge/update", safe=True)
_KNOWLEDGE_UPLOAD_URL = Operation("/v2/memory/knowledge/upload-url", safe=True)
_MEMORY_ASK = Operation("/v2/memory/ask", safe=True)
_MEMORY_SEARCH = Operation("/v2/memory/search", safe=True)
_MEMORY_SUGGEST = Operation("/v2/memory/suggest", safe=True)
_MESSAGES_GET = Operation("/v2/workspace/advancedwebhook/messages/get", safe=True)
_MESSAGES_RESEND = Operation("/v2/workspace/advancedwebhook/messages/resend")
_NOTIFICATIONS_ADD = Operation("/v2/notifications/add", ids=(Id("notificationId"), ))
_NOTIFICATIONS_DELETE = Operation("/v2/notifications/delete", safe=True)
_NOTIFICATIONS_GET = Operation("/v2/notifications/get", safe=True)
_NOTIFICATIONS_GET_CONFIG = Operation("/v2/notifications/config/get", safe=True)
_NOTIFICATIONS_SET_CONFIG = Operation("/v2/notifications/config/set", safe=True)
_NOTIFICATIONS_UPDATE = Operation("/v2/notifications/update", safe=True)
_ORGANIZATIONS_ADD = Operation("/v2/organizations/add", safe=True)
_ORGANIZATIONS_DELETE = Operation("/v2/organizations/delete", safe=True)
_ORGANIZATIONS_GET = Operation("/v2/organizations/get", safe=True)
_ORGANIZATIONS_UPDATE = Operation("/v2/organizations/update", safe=True)
_ORGANIZATIONS_UPDATE_ACCESS_DISABLE_STATE = Operation("/v2/organizations/access/disablestate/update", safe=True)
_OWNER_GET = Operation("/v2/workspace/owner/get", workspace=True, safe=True)
_OWNER_SEND_CONFIRMATION = Operation("/v2/workspace/owner/send-confirmation", workspace=True)
_PATTERNS_GET = Operation("/v2/memory/patterns/get", safe=True)
_PERMISSIONS_ADD = Operation("/v2/auth/permissions/add", safe=True)
_PERMISSIONS_GET = Operation("/v2/auth/permissions/get", safe=True)
_PERMISSIONS_REMOVE = Operation("/v2/auth/permissions/remove", safe=True)
_PROFILES_GET = Operation("/v2/memory/profiles/get", safe=True)
_STATS_GET = Operation("/v2/memory/stats/get", safe=True)
_STEPS_CANCEL = Operation("/v2/workflow/steps/cancel", safe=True)
_STEPS_LIST = Operation("/v2/workflow/steps/list", safe=True)
_STEPS_REASSIGN = Operation("/v2/workflow/steps/reassign", safe=True)
_STEPS_RECORD_AGENT_RESOLUTION = Operation("/v2/workflow/steps/recordAgentResolution", safe=True)
_STEPS_RECORD_REVIEWER_DECISION = Operation("/v2/workflow/steps/recordReviewerDecision", safe=True)
_STEPS_RESOLVE = Operation("/v2/workflow/steps/resolve", safe=True)
_USAGE_GET = Operation("/v2/workspace/usage/get", safe=True)
_USER_GROUPS_ADD = Operation("/v2/organizations/usergroups/add", safe=True)
_USER_GROUPS_ADD_USERS = Operation("/v2/organizations/usergroups/users/add", safe=True)
_USER_GROUPS_DELETE = Operation("/v2/organizations/usergroups/delete", safe=True)
_USER_GROUPS_DELETE_USERS = Operation("/v2/organizations/usergroups/users/delete", safe=True)
_USER_GROUPS_GET = Operation("/v2/organizations/usergroups/get", safe=True)
_USERS_ADD = Operation("/v2/users/add", safe=True)
_USERS_ADD_INVITE = Operation("/v2/users/invite/add", safe=True)
_USERS_DATA_DELETE_STATUS = Operation("/v2/users/data/delete/status", safe=True)
_USERS_DATA_EXPORT = Operation("/v2/users/data/export", safe=True)
_USERS_DATA_EXPORT_STATUS = Operation("/v2/users/data/export/status", safe=True)
_USERS_DELETE = Operation("/v2/users/delete", safe=True)
_USERS_DELETE_DATA = Operation("/v2/users/data/delete", safe=True)
_USERS_GET = Operation("/v2/users/get", safe=True)
_USERS_GET_COUNT = Operation("/v2/users/count/get", safe=True)
_USERS_GET_DATA = Operation("/v2/users/data/get", safe=True)
_USERS_GET_DOC = Operation("/v2/users/doc/get", safe=True)
_USERS_GET_INVITATIONS = Operation("/v2/users/invitations/get", safe=True)
_USERS_GET_INVITE = Operation("/v2/users/invite/get", safe=True)
_USERS_INVITE_PENDING_COUNT = Operation("/v2/users/invite/pending/count", safe=True)
_USERS_INVITE_RESPOND = Operation("/v2/users/invite/respond", safe=True)
_USERS_UPDATE = Operation("/v2/users/update", safe=True)
_WORKSPACE_CREATE = Operation("/v2/workspace/create")
_WORKSPACE_EMAIL_CONFIG_CONFIRM = Operation("/v2/workspace/emailconfig/confirm", safe=True)
_WORKSPACE_GET = Operation("/v2/workspace/get", workspace=True, safe=True)
_WORKSPACE_GET_ACTIVITY_CONFIG = Operation("/v2/workspace/activityconfig/get", safe=True)
_WORKSPACE_GET_ADVANCED_WEBHOOK_CONFIG = Operation("/v2/workspace/advancedwebhookconfig/get", safe=True)
_WORKSPACE_GET_API_KEY_CONFIG = Operation("/v2/workspace/apikeyconfig/get", safe=True)
_WORKSPACE_GET_EMAIL_CONFIG = Operation("/v2/workspace/emailconfig/get", safe=True)
_WORKSPACE_GET_NOTIFICATION_CONFIG = Operation("/v2/workspace/notificationconfig/get", safe=True)
_WORKSPACE_GET_PERMISSION_PROVIDER_CONFIG = Operation("/v2/workspace/permissionproviderconfig/get", safe=True)
_WORKSPACE_GET_WEBHOOK_CONFIG = Operation("/v2/workspace/webhookconfig/get", safe=True)
_WORKSPACE_UPDATE_ACTIVITY_CONFIG = Operation("/v2/workspace/activityconfig/update", safe=True)
_WORKSPACE_UPDATE_ADVANCED_WEBHOOK_CONFIG = Operation("/v2/workspace/advancedwebhookconfig/update", safe=True)
_WORKSPACE_UPDATE_API_KEY_CONFIG = Operation("/v2/workspace/apikeyconfig/update", safe=True)
_WORKSPACE_UPDATE_EMAIL_CONFIG = Operation("/v2/workspace/emailconfig/update", safe=True)
_WORKSPACE_UPDATE_NOTIFICATION_CONFIG = Operation("/v2/workspace/notificationconfig/update", safe=True)
_WORKSPACE_UPDATE_PERMISSION_PROVIDER_CONFIG = Operation("/v2/workspace/permissionproviderconfig/update", safe=True)
_WORKSPACE_UPDATE_WEBHOOK_CONFIG = Operation("/v2/workspace/webhookconfig/update", safe=True)


class ActivitiesOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddActivitiesRequest) -> dict[str, t.Item]:
        """Keep a record of what was done."""
        result = self._caller.call(_ACTIVITIES_ADD, data)
        return cast("dict[str, t.Item]", result["data"])

    def delete(self, data: t.DeleteActivitiesRequest) -> t.DeletedActivities:
        """Delete records that are not immutable."""
        result = self._caller.call(_ACTIVITIES_DELETE, data)
        return cast("t.DeletedActivities", result)

    def get(self, data: t.GetActivitiesRequest) -> t.ActivityListResult:
        """List what was done in an organization, newest first."""
        result = self._caller.call(_ACTIVITIES_GET, data)
        return cast("t.ActivityListResult", result)

    def get_all(self, data: t.GetActivitiesRequest) -> Iterator[t.Activity]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_ACTIVITIES_GET, Pages("pageToken", "data", "nextPageToken"), data)

    def update(self, data: t.UpdateActivitiesRequest) -> dict[str, t.Item]:
        """Change records that are not immutable."""
        result = self._caller.call(_ACTIVITIES_UPDATE, data)
        return cast("dict[str, t.Item]", result["data"])


class AgentsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def create(self, data: t.CreateAgentRequest) -> t.Agent:
        """Register an agent."""
        result = self._caller.call(_AGENTS_CREATE, data)
        return cast("t.Agent", result)

    def create_groups(self, data: t.CreateAgentGroupRequest) -> t.OneAgentGroup:
        """Make a group of agents."""
        result = self._caller.call(_AGENTS_CREATE_GROUPS, data)
        return cast("t.OneAgentGroup", result["data"])

    def delete(self, data: t.DeleteAgentRequest) -> t.DeletedAgent:
        """Remove an agent from the registry."""
        result = self._caller.call(_AGENTS_DELETE, data)
        return cast("t.DeletedAgent", result)

    def delete_groups(self, data: t.DeleteAgentGroupRequest) -> t.DeletedAgentGroup:
        """Delete a group, not its agents."""
        result = self._caller.call(_AGENTS_DELETE_GROUPS, data)
        return cast("t.DeletedAgentGroup", result["data"])

    def execution_count(self, data: t.CountAgentRunsRequest) -> t.AgentRunCounts:
        """Count executions of agents."""
        result = self._caller.call(_AGENTS_EXECUTION_COUNT, data)
        return cast("t.AgentRunCounts", result["data"])

    def execution_run(self, data: t.RunAgentRequest) -> t.StartedRun:
        """Let an agent look at a page."""
        result = self._caller.call(_AGENTS_EXECUTION_RUN, data)
        return cast("t.StartedRun", result["data"])

    def get(self, data: t.GetAgentRequest) -> t.FoundAgents:
        """Read an agent, or list registered and built-in ones."""
        result = self._caller.call(_AGENTS_GET, data)
        return cast("t.FoundAgents", result)

    def get_all(self, data: t.GetAgentRequest) -> Iterator[t.CatalogAgent]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_AGENTS_GET, Pages("cursor", "items", "nextCursor"), data)

    def get_analytics(self, data: t.GetAgentAnalyticsRequest) -> t.AgentAnalytics:
        """Count what became of the steps of agents."""
        result = self._caller.call(_AGENTS_GET_ANALYTICS, data)
        return cast("t.AgentAnalytics", result["data"])

    def get_execution(self, data: t.GetAgentRunRequest) -> t.OneAgentRun:
        """Read an execution of an agent, with what it found."""
        result = self._caller.call(_AGENTS_GET_EXECUTION, data)
        return cast("t.OneAgentRun", result["data"])

    def get_groups(self, data: t.GetAgentGroupRequest) -> t.OneAgentGroup:
        """Read a group of agents."""
        result = self._caller.call(_AGENTS_GET_GROUPS, data)
        return cast("t.OneAgentGroup", result["data"])

    def groups_add_agents(self, data: t.AgentGroupMembersRequest) -> t.OneAgentGroup:
        """Put agents into a group."""
        result = self._caller.call(_AGENTS_GROUPS_ADD_AGENTS, data)
        return cast("t.OneAgentGroup", result["data"])

    def groups_remove_agents(self, data: t.AgentGroupMembersRequest) -> t.OneAgentGroup:
        """Take agents out of a group."""
        result = self._caller.call(_AGENTS_GROUPS_REMOVE_AGENTS, data)
        return cast("t.OneAgentGroup", result["data"])

    def list(self, data: t.ListAgentsRequest) -> t.AgentPage:
        """List the agents, newest first."""
        result = self._caller.call(_AGENTS_LIST, data)
        return cast("t.AgentPage", result)

    def list_all(self, data: t.ListAgentsRequest) -> Iterator[t.Agent]:
        """Iterates over all items of list, page by page."""
        return self._caller.walk(_AGENTS_LIST, Pages("cursor", "items", "nextCursor"), data)

    def list_execution(self, data: t.ListAgentRunsRequest) -> t.AgentRunListResult:
        """List executions of agents, newest first."""
        result = self._caller.call(_AGENTS_LIST_EXECUTION, data)
        return cast("t.AgentRunListResult", result)

    def list_execution_all(self, data: t.ListAgentRunsRequest) -> Iterator[t.AgentRun]:
        """Iterates over all items of list_execution, page by page."""
        return self._caller.walk(_AGENTS_LIST_EXECUTION, Pages("pageToken", "data.executions", "nextPageToken"), data)

    def list_groups(self, data: t.ListAgentGroupsRequest) -> t.AgentGroupList:
        """List the groups of agents, newest first."""
        result = self._caller.call(_AGENTS_LIST_GROUPS, data)
        return cast("t.AgentGroupList", result["data"])

    def list_versions(self, data: t.ListAgentVersionsRequest) -> t.AgentVersionListResult:
        """List the versions of an agent's behaviour, newest first."""
        result = self._caller.call(_AGENTS_LIST_VERSIONS, data)
        return cast("t.AgentVersionListResult", result)

    def list_versions_all(self, data: t.ListAgentVersionsRequest) -> Iterator[t.AgentVersion]:
        """Iterates over all items of list_versions, page by page."""
        return self._caller.walk(_AGENTS_LIST_VERSIONS, Pages("pageToken", "data.versions", "nextPageToken"), data)

    def update(self, data: t.UpdateAgentRequest) -> t.Agent:
        """Change an agent."""
        result = self._caller.call(_AGENTS_UPDATE, data)
        return cast("t.Agent", result)

    def update_groups(self, data: t.UpdateAgentGroupRequest) -> t.OneAgentGroup:
        """Change the name or the description of a group of agents."""
        result = self._caller.call(_AGENTS_UPDATE_GROUPS, data)
        return cast("t.OneAgentGroup", result["data"])

    def update_version(self, data: t.UpdateAgentVersionRequest) -> t.AgentVersionNumber:
        """Change the behaviour of an agent, which makes a version."""
        result = self._caller.call(_AGENTS_UPDATE_VERSION, data)
        return cast("t.AgentVersionNumber", result["data"])

    def versions_restore(self, data: t.RestoreAgentVersionRequest) -> t.AgentVersionNumber:
        """Go back to a version of an agent's behaviour."""
        result = self._caller.call(_AGENTS_VERSIONS_RESTORE, data)
        return cast("t.AgentVersionNumber", result["data"])


class AlertsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def action(self, data: t.SettleAlertRequest) -> t.AlertSettled:
        """Note that something was done about an alert."""
        result = self._caller.call(_ALERTS_ACTION, data)
        return cast("t.AlertSettled", result)

    def dismiss(self, data: t.SettleAlertRequest) -> t.AlertSettled:
        """Note that an alert is of no use."""
        result = self._caller.call(_ALERTS_DISMISS, data)
        return cast("t.AlertSettled", result)

    def get_config(self, data: t.GetAlertConfigRequest) -> t.AlertConfig:
        """Read what is set for alerts."""
        result = self._caller.call(_ALERTS_GET_CONFIG, data)
        return cast("t.AlertConfig", result)

    def list(self, data: t.ListAlertsRequest) -> builtins.list[t.Alert]:
        """List what stands out in what reviewers decide."""
        result = self._caller.call(_ALERTS_LIST, data)
        return cast("builtins.list[t.Alert]", result)

    def update_config(self, data: t.UpdateAlertConfigRequest) -> t.AlertConfig:
        """Change what is set for alerts."""
        result = self._caller.call(_ALERTS_UPDATE_CONFIG, data)
        return cast("t.AlertConfig", result)


class AnnotationsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddAnnotationsRequest) -> dict[str, t.AddedAnnotation]:
        """Add annotations to a document."""
        result = self._caller.call(_ANNOTATIONS_ADD, data)
        return cast("dict[str, t.AddedAnnotation]", result["data"])

    def delete(self, data: t.DeleteAnnotationsRequest) -> t.DeletedAnnotations:
        """Delete annotations of a document."""
        result = self._caller.call(_ANNOTATIONS_DELETE, data)
        return cast("t.DeletedAnnotations", result)

    def get(self, data: t.FindAnnotationsRequest) -> t.WholeAnnotationListResult:
        """Read annotations of documents with all that is known of them, by their latest change."""
        result = self._caller.call(_ANNOTATIONS_GET, data)
        return cast("t.WholeAnnotationListResult", result)

    def get_all(self, data: t.FindAnnotationsRequest) -> Iterator[t.WholeAnnotation | None]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_ANNOTATIONS_GET, Pages("pageToken", "data", "nextPageToken"), data)

    def get_count(self, data: t.CountAnnotationsRequest) -> dict[str, t.Count]:
        """Count the annotations of documents for a user."""
        result = self._caller.call(_ANNOTATIONS_GET_COUNT, data)
        return cast("dict[str, t.Count]", result["data"])

    def get_count_v1(self, data: t.CountAnnotationsRequest) -> dict[str, t.Count]:
        """Count the annotations of documents for a user."""
        result = self._caller.call(_ANNOTATIONS_GET_COUNT_V1, data)
        return cast("dict[str, t.Count]", result["data"])

    def get_v1(self, data: t.GetAnnotationsRequest) -> t.AnnotationBySlotResult:
        """Read annotations of a document, latest change first."""
        result = self._caller.call(_ANNOTATIONS_GET_V1, data)
        return cast("t.AnnotationBySlotResult", result)

    def get_v1_all(self, data: t.GetAnnotationsRequest) -> Iterator[t.Annotation | None]:
        """Iterates over all items of get_v1, page by page."""
        return self._caller.walk(_ANNOTATIONS_GET_V1, Pages("pageToken", "data", "nextPageToken"), data)

    def read(self, data: t.ReadAnnotationsRequest) -> t.ReadResult:
        """Mark annotations as read by a user."""
        result = self._caller.call(_ANNOTATIONS_READ, data)
        return cast("t.ReadResult", result)

    def update(self, data: t.UpdateAnnotationsRequest) -> t.ItemByIDResult:
        """Change annotations of a document."""
        result = self._caller.call(_ANNOTATIONS_UPDATE, data)
        return cast("t.ItemByIDResult", result)


class APIKeysOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def copy(self, data: t.CopyAPIKeyRequest) -> t.CopiedAPIKey:
        """Make the allowed domains of an API key those of another."""
        result = self._caller.call(_API_KEYS_COPY, data)
        return cast("t.CopiedAPIKey", result["data"])

    def create(self, data: t.CreateAPIKeyRequest) -> t.CreatedAPIKey:
        """Create an API key."""
        result = self._caller.call(_API_KEYS_CREATE, data)
        return cast("t.CreatedAPIKey", result["data"])

    def get(self, data: t.ListAPIKeysRequest) -> t.APIKeyListResult:
        """List the API keys, newest first."""
        result = self._caller.call(_API_KEYS_GET, data)
        return cast("t.APIKeyListResult", result)

    def get_all(self, data: t.ListAPIKeysRequest) -> Iterator[t.APIKey]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_API_KEYS_GET, Pages("pageToken", "data", "nextPageToken"), data)

    def update(self, data: t.UpdateAPIKeyRequest) -> t.NoData | None:
        """Rename an API key."""
        result = self._caller.call(_API_KEYS_UPDATE, data)
        return cast("t.NoData | None", result["data"])


class AttemptsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def get(self, data: t.ListAttemptsRequest) -> t.AttemptList:
        """List attempts to tell endpoints, newest first."""
        result = self._caller.call(_ATTEMPTS_GET, data)
        return cast("t.AttemptList", result["data"])

    def get_all(self, data: t.ListAttemptsRequest) -> Iterator[t.EndpointAttempt]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_ATTEMPTS_GET, Pages("iterator", "data.attempts", "data.iterator", "data.done"), data)


class AuthOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def generate_token(self, data: t.GenerateTokenRequest) -> t.Token:
        """Make a token that says who a user is."""
        result = self._caller.call(_AUTH_GENERATE_TOKEN, data)
        return cast("t.Token", result["data"])

    def verify_token(self, data: t.VerifyTokenRequest) -> t.TokenState:
        """Check a token that says who a user is."""
        result = self._caller.call(_AUTH_VERIFY_TOKEN, data)
        return cast("t.TokenState", result["data"])


class AuthTokensOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def ensure(self, data: t.EnsureAuthTokenRequest) -> t.EnsuredAuthToken:
        """Read the auth token of an API key, made if it has none."""
        result = self._caller.call(_AUTH_TOKENS_ENSURE, data)
        return cast("t.EnsuredAuthToken", result["data"])

    def get(self, data: t.GetAuthTokensRequest) -> t.KeyTokens:
        """Read the auth token of an API key."""
        result = self._caller.call(_AUTH_TOKENS_GET, data)
        return cast("t.KeyTokens", result["data"])

    def reset(self, data: t.ResetAuthTokenRequest) -> t.NewAuthToken:
        """Replace the auth token of an API key."""
        result = self._caller.call(_AUTH_TOKENS_RESET, data)
        return cast("t.NewAuthToken", result["data"])


class CommentsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddCommentsRequest) -> builtins.list[int]:
        """Add comments to an annotation."""
        result = self._caller.call(_COMMENTS_ADD, data)
        return cast("builtins.list[int]", result["data"])

    def delete(self, data: t.DeleteCommentsRequest) -> dict[str, t.Item]:
        """Delete comments of an annotation, and it with the last one."""
        result = self._caller.call(_COMMENTS_DELETE, data)
        return cast("dict[str, t.Item]", result["data"])

    def get(self, data: t.GetWholeCommentsRequest) -> t.WholeCommentPage:
        """Read the comments of an annotation with all that is known of them, oldest first."""
        result = self._caller.call(_COMMENTS_GET, data)
        return cast("t.WholeCommentPage", result)

    def get_v1(self, data: t.GetCommentsRequest) -> t.ThreadCommentPage:
        """Read the comments of an annotation, oldest first."""
        result = self._caller.call(_COMMENTS_GET_V1, data)
        return cast("t.ThreadCommentPage", result)

    def update(self, data: t.UpdateCommentsRequest) -> dict[str, t.Item]:
        """Change comments of an annotation."""
        result = self._caller.call(_COMMENTS_UPDATE, data)
        return cast("dict[str, t.Item]", result["data"])


class ConsolidationOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def trigger(self, data: t.TriggerConsolidationRequest) -> t.Consolidation:
        """Have patterns and alerts looked for now."""
        result = self._caller.call(_CONSOLIDATION_TRIGGER, data)
        return cast("t.Consolidation", result)


class DefinitionsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def create(self, data: t.DefinitionRequest) -> t.Definition:
        """Store a definition as version 1."""
        result = self._caller.call(_DEFINITIONS_CREATE, data)
        return cast("t.Definition", result)

    def delete(self, data: t.DeleteDefinitionRequest) -> t.DeletedDefinition:
        """Delete a definition, or purge it."""
        result = self._caller.call(_DEFINITIONS_DELETE, data)
        return cast("t.DeletedDefinition", result)

    def get(self, data: t.GetDefinitionRequest) -> t.Definition:
        """Read the current version of a definition."""
        result = self._caller.call(_DEFINITIONS_GET, data)
        return cast("t.Definition", result)

    def get_versions(self, data: t.GetVersionRequest) -> t.Definition:
        """Read one version of a definition."""
        result = self._caller.call(_DEFINITIONS_GET_VERSIONS, data)
        return cast("t.Definition", result)

    def lint(self, data: t.DefinitionRequest) -> t.LintResult:
        """Judge a definition without storing it."""
        result = self._caller.call(_DEFINITIONS_LINT, data)
        return cast("t.LintResult", result)

    def list(self, data: t.ListDefinitionsRequest) -> t.DefinitionList:
        """List the active definitions, latest change first."""
        result = self._caller.call(_DEFINITIONS_LIST, data)
        return cast("t.DefinitionList", result)

    def list_all(self, data: t.ListDefinitionsRequest) -> Iterator[t.Definition]:
        """Iterates over all items of list, page by page."""
        return self._caller.walk(_DEFINITIONS_LIST, Pages("cursor", "items", "nextCursor"), data)

    def list_versions(self, data: t.ListVersionsRequest) -> t.VersionPage:
        """List the versions of a definition, latest first."""
        result = self._caller.call(_DEFINITIONS_LIST_VERSIONS, data)
        return cast("t.VersionPage", result)

    def list_versions_all(self, data: t.ListVersionsRequest) -> Iterator[t.Version]:
        """Iterates over all items of list_versions, page by page."""
        return self._caller.walk(_DEFINITIONS_LIST_VERSIONS, Pages("cursor", "items", "nextCursor"), data)

    def update(self, data: t.DefinitionUpdateRequest) -> t.Definition:
        """Store the next version of a definition."""
        result = self._caller.call(_DEFINITIONS_UPDATE, data)
        return cast("t.Definition", result)


class DocumentsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddDocumentsRequest) -> dict[str, t.Item]:
        """Add documents."""
        result = self._caller.call(_DOCUMENTS_ADD, data)
        return cast("dict[str, t.Item]", result["data"])

    def delete(self, data: t.DeleteDocumentsRequest) -> dict[str, t.Item]:
        """Delete documents with everything in them."""
        result = self._caller.call(_DOCUMENTS_DELETE, data)
        return cast("dict[str, t.Item]", result["data"])

    def get(self, data: t.GetDocumentsRequest) -> t.DocumentListResult:
        """List the documents of an organization, newest first."""
        result = self._caller.call(_DOCUMENTS_GET, data)
        return cast("t.DocumentListResult", result)

    def get_all(self, data: t.GetDocumentsRequest) -> Iterator[t.Document]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_DOCUMENTS_GET, Pages("pageToken", "data", "nextPageToken"), data)

    def get_count(self, data: t.CountDocumentsRequest) -> t.DocumentCount:
        """Count the documents of an organization."""
        result = self._caller.call(_DOCUMENTS_GET_COUNT, data)
        return cast("t.DocumentCount", result["data"])

    def migrate(self, data: t.MigrateDocumentRequest) -> t.MigrationID:
        """Give a document another id, with all that belongs to it."""
        result = self._caller.call(_DOCUMENTS_MIGRATE, data)
        return cast("t.MigrationID", result["data"])

    def migrate_status(self, data: t.MigrationStatusRequest) -> t.Migration:
        """Read how a migration stands."""
        result = self._caller.call(_DOCUMENTS_MIGRATE_STATUS, data)
        return cast("t.Migration", result["data"])

    def move(self, data: t.MoveDocumentsRequest) -> t.Moved:
        """Move documents into a folder."""
        result = self._caller.call(_DOCUMENTS_MOVE, data)
        return cast("t.Moved", result)

    def update(self, data: t.UpdateDocumentsRequest) -> dict[str, t.Item]:
        """Change documents."""
        result = self._caller.call(_DOCUMENTS_UPDATE, data)
        return cast("dict[str, t.Item]", result["data"])

    def update_access(self, data: t.SetDocumentsAccessRequest) -> dict[str, t.DocumentAccess]:
        """Set who may enter documents."""
        result = self._caller.call(_DOCUMENTS_UPDATE_ACCESS, data)
        return cast("dict[str, t.DocumentAccess]", result["data"])

    def update_access_disable_state(self, data: t.DisableDocumentsRequest) -> dict[str, t.Disabled]:
        """Switch access to documents off or on."""
        result = self._caller.call(_DOCUMENTS_UPDATE_ACCESS_DISABLE_STATE, data)
        return cast("dict[str, t.Disabled]", result["data"])


class DomainsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddDomainsRequest) -> t.AddedDomains:
        """Let pages of domains call with the calling key."""
        result = self._caller.call(_DOMAINS_ADD, data)
        return cast("t.AddedDomains", result["data"])

    def delete(self, data: t.DeleteDomainsRequest) -> t.RemovedDomains:
        """Let pages of domains no longer call with the calling key."""
        result = self._caller.call(_DOMAINS_DELETE, data)
        return cast("t.RemovedDomains", result["data"])

    def get(self, data: t.GetDomainsRequest) -> t.AllowedDomains:
        """List the domains whose pages may call with the calling key."""
        result = self._caller.call(_DOMAINS_GET, data)
        return cast("t.AllowedDomains", result["data"])


class EndpointsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def create(self, data: t.CreateEndpointRequest) -> t.Endpoint:
        """Create a webhook endpoint."""
        result = self._caller.call(_ENDPOINTS_CREATE, data)
        return cast("t.Endpoint", result["data"])

    def delete(self, data: t.DeleteEndpointRequest) -> t.DeletedEndpoint:
        """Delete an endpoint."""
        result = self._caller.call(_ENDPOINTS_DELETE, data)
        return cast("t.DeletedEndpoint", result["data"])

    def get(self, data: t.ListEndpointsRequest) -> t.EndpointList:
        """List the endpoints, newest first."""
        result = self._caller.call(_ENDPOINTS_GET, data)
        return cast("t.EndpointList", result["data"])

    def get_all(self, data: t.ListEndpointsRequest) -> Iterator[t.Endpoint]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_ENDPOINTS_GET, Pages("iterator", "data.endpoints", "data.iterator", "data.done"), data)

    def get_recover(self, data: t.GetRecoveryRequest) -> t.Recovery:
        """Read how a recovery stands."""
        result = self._caller.call(_ENDPOINTS_GET_RECOVER, data)
        return cast("t.Recovery", result["data"])

    def get_secret(self, data: t.GetEndpointSecretRequest) -> t.EndpointSecret:
        """Read the secret that signs what an endpoint is told."""
        result = self._caller.call(_ENDPOINTS_GET_SECRET, data)
        return cast("t.EndpointSecret", result["data"])

    def recover(self, data: t.RecoverEndpointRequest) -> t.StartedRecovery:
        """Send an endpoint what it missed."""
        result = self._caller.call(_ENDPOINTS_RECOVER, data)
        return cast("t.StartedRecovery", result["data"])

    def rotate_secret(self, data: t.RotateEndpointSecretRequest) -> t.RotatedSecret:
        """Give an endpoint a new secret."""
        result = self._caller.call(_ENDPOINTS_ROTATE_SECRET, data)
        return cast("t.RotatedSecret", result["data"])

    def test(self, data: t.TestEndpointRequest) -> t.TestedEndpoint:
        """Tell an endpoint the sample of an event."""
        result = self._caller.call(_ENDPOINTS_TEST, data)
        return cast("t.TestedEndpoint", result["data"])

    def update(self, data: t.UpdateEndpointRequest) -> t.Endpoint:
        """Change an endpoint."""
        result = self._caller.call(_ENDPOINTS_UPDATE, data)
        return cast("t.Endpoint", result["data"])


class EventTypesOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def get(self, data: t.ListEventTypesRequest) -> t.EventTypeList:
        """List the types of events."""
        result = self._caller.call(_EVENT_TYPES_GET, data)
        return cast("t.EventTypeList", result["data"])


class ExecutionsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def cancel(self, data: t.CancelExecutionRequest) -> t.CancelResult:
        """End an execution."""
        result = self._caller.call(_EXECUTIONS_CANCEL, data)
        return cast("t.CancelResult", result)

    def delete(self, data: t.DeleteExecutionsRequest) -> t.ExecutionsDeleted:
        """Delete executions that have ended."""
        result = self._caller.call(_EXECUTIONS_DELETE, data)
        return cast("t.ExecutionsDeleted", result)

    def dispatch(self, data: t.DispatchRequest) -> t.DispatchResult:
        """Start an execution."""
        result = self._caller.call(_EXECUTIONS_DISPATCH, data)
        return cast("t.DispatchResult", result)

    def get(self, data: t.GetExecutionRequest) -> t.Execution:
        """Read an execution with its steps."""
        result = self._caller.call(_EXECUTIONS_GET, data)
        return cast("t.Execution", result)

    def get_deliveries(self, data: t.ListDeliveriesRequest) -> t.DeliveryPage:
        """List what an execution's receiver was sent, newest first."""
        result = self._caller.call(_EXECUTIONS_GET_DELIVERIES, data)
        return cast("t.DeliveryPage", result)

    def get_deliveries_all(self, data: t.ListDeliveriesRequest) -> Iterator[t.Delivery]:
        """Iterates over all items of get_deliveries, page by page."""
        return self._caller.walk(_EXECUTIONS_GET_DELIVERIES, Pages("cursor", "items", "nextCursor"), data)

    def get_events(self, data: t.GetEventsRequest) -> t.EventList:
        """Read the events of an execution."""
        result = self._caller.call(_EXECUTIONS_GET_EVENTS, data)
        return cast("t.EventList", result)

    def get_events_all(self, data: t.GetEventsRequest) -> Iterator[t.Event]:
        """Iterates over all items of get_events, page by page."""
        return self._caller.walk(_EXECUTIONS_GET_EVENTS, Pages("sinceSeq", "events", "nextCursor"), data)

    def list(self, data: t.ListExecutionsRequest) -> t.ExecutionList:
        """List executions, newest first."""
        result = self._caller.call(_EXECUTIONS_LIST, data)
        return cast("t.ExecutionList", result)

    def list_all(self, data: t.ListExecutionsRequest) -> Iterator[t.Execution]:
        """Iterates over all items of list, page by page."""
        return self._caller.walk(_EXECUTIONS_LIST, Pages("cursor", "items", "nextCursor"), data)

    def pause(self, data: t.ExecutionActRequest) -> t.PauseResult:
        """Keep an execution from going on."""
        result = self._caller.call(_EXECUTIONS_PAUSE, data)
        return cast("t.PauseResult", result)

    def redeliver(self, data: t.RedeliverRequest) -> t.RedeliverResult:
        """Send events again."""
        result = self._caller.call(_EXECUTIONS_REDELIVER, data)
        return cast("t.RedeliverResult", result)

    def resume(self, data: t.ExecutionActRequest) -> t.PauseResult:
        """Let a paused execution go on."""
        result = self._caller.call(_EXECUTIONS_RESUME, data)
        return cast("t.PauseResult", result)

    def retry(self, data: t.RetryExecutionRequest) -> t.Execution:
        """Try a failed execution again."""
        result = self._caller.call(_EXECUTIONS_RETRY, data)
        return cast("t.Execution", result)


class FoldersOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddFoldersRequest) -> dict[str, t.Item]:
        """Add folders to an organization."""
        result = self._caller.call(_FOLDERS_ADD, data)
        return cast("dict[str, t.Item]", result["data"])

    def delete(self, data: t.DeleteFolderRequest) -> t.NoData | None:
        """Delete a folder with all that stands in it."""
        result = self._caller.call(_FOLDERS_DELETE, data)
        return cast("t.NoData | None", result["data"])

    def get(self, data: t.GetFoldersRequest) -> t.FolderListResult:
        """Read folders with what stands in them, newest first."""
        result = self._caller.call(_FOLDERS_GET, data)
        return cast("t.FolderListResult", result)

    def get_all(self, data: t.GetFoldersRequest) -> Iterator[t.Folder]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_FOLDERS_GET, Pages("pageToken", "data", "nextPageToken"), data)

    def update(self, data: t.UpdateFoldersRequest) -> dict[str, t.Item]:
        """Rename and move folders."""
        result = self._caller.call(_FOLDERS_UPDATE, data)
        return cast("dict[str, t.Item]", result["data"])

    def update_access(self, data: t.UpdateFolderAccessRequest) -> dict[str, t.FolderAccess]:
        """Set who may enter folders."""
        result = self._caller.call(_FOLDERS_UPDATE_ACCESS, data)
        return cast("dict[str, t.FolderAccess]", result["data"])


class JobsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def list(self, data: t.ListJobsRequest) -> t.JobListResult:
        """List the jobs of the workspace, newest first."""
        result = self._caller.call(_JOBS_LIST, data)
        return cast("t.JobListResult", result)

    def list_all(self, data: t.ListJobsRequest) -> Iterator[t.Job]:
        """Iterates over all items of list, page by page."""
        return self._caller.walk(_JOBS_LIST, Pages("pageToken", "data.items", "nextPageToken"), data)


class JudgmentsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def delete(self, data: t.DeleteJudgmentsRequest) -> t.JudgmentsDeleted:
        """Delete judgments; the acts behind them stay."""
        result = self._caller.call(_JUDGMENTS_DELETE, data)
        return cast("t.JudgmentsDeleted", result)

    def query(self, data: t.QueryJudgmentsRequest) -> t.JudgmentList:
        """List judgments by what is known about them."""
        result = self._caller.call(_JUDGMENTS_QUERY, data)
        return cast("t.JudgmentList", result)

    def query_all(self, data: t.QueryJudgmentsRequest) -> Iterator[t.Judgment]:
        """Iterates over all items of query, page by page."""
        return self._caller.walk(_JUDGMENTS_QUERY, Pages("cursor", "results", "nextCursor"), data)

    def record(self, data: t.RecordJudgmentsRequest) -> t.JudgmentsRecorded:
        """Record judgments that were made elsewhere."""
        result = self._caller.call(_JUDGMENTS_RECORD, data)
        return cast("t.JudgmentsRecorded", result)


class KnowledgeOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def delete(self, data: t.DeleteSourceRequest) -> t.SourceDeleted:
        """Delete a source with all that was made of it."""
        result = self._caller.call(_KNOWLEDGE_DELETE, data)
        return cast("t.SourceDeleted", result)

    def download(self, data: t.NamedSourceRequest) -> str | None:
        """Read the text of a source."""
        result = self._caller.call(_KNOWLEDGE_DOWNLOAD, data)
        return cast("str | None", result)

    def ingest(self, data: t.IngestRequest) -> t.IngestResult:
        """Bring a file in as a source of knowledge."""
        result = self._caller.call(_KNOWLEDGE_INGEST, data)
        return cast("t.IngestResult", result)

    def ingest_status(self, data: t.IngestStatusRequest) -> t.IngestStatus:
        """Tell how the ingestion of a source goes."""
        result = self._caller.call(_KNOWLEDGE_INGEST_STATUS, data)
        return cast("t.IngestStatus", result)

    def list(self, data: t.ListSourcesRequest) -> builtins.list[t.Source]:
        """List the sources of knowledge."""
        result = self._caller.call(_KNOWLEDGE_LIST, data)
        return cast("builtins.list[t.Source]", result)

    def list_all(self, data: t.ListSourcesRequest) -> Iterator[t.Source]:
        """Iterates over all items of list, page by page."""
        return self._caller.walk(_KNOWLEDGE_LIST, Pages("cursor", "items", "nextCursor"), data)

    def retry(self, data: t.NamedSourceRequest) -> t.IngestResult:
        """Bring a source in again that failed."""
        result = self._caller.call(_KNOWLEDGE_RETRY, data)
        return cast("t.IngestResult", result)

    def rules(self, data: t.NamedSourceRequest) -> builtins.list[t.Rule]:
        """List the rules of a source."""
        result = self._caller.call(_KNOWLEDGE_RULES, data)
        return cast("builtins.list[t.Rule]", result)

    def search(self, data: t.KnowledgeSearchRequest) -> t.KnowledgeResults:
        """Find chunks and rules by meaning, with hybrid also by words."""
        result = self._caller.call(_KNOWLEDGE_SEARCH, data)
        return cast("t.KnowledgeResults", result)

    def update(self, data: t.UpdateRequest) -> t.UpdateResult:
        """Replace the content of a source, and see which rules changed."""
        result = self._caller.call(_KNOWLEDGE_UPDATE, data)
        return cast("t.UpdateResult", result)

    def upload_url(self, data: t.UploadURLRequest) -> t.UploadURLResult:
        """Mint an address for uploading a file."""
        result = self._caller.call(_KNOWLEDGE_UPLOAD_URL, data)
        return cast("t.UploadURLResult", result)


class MemoryOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def ask(self, data: t.AskRequest) -> t.AskResult:
        """Answer a question with sentences of judgments and knowledge."""
        result = self._caller.call(_MEMORY_ASK, data)
        return cast("t.AskResult", result)

    def search(self, data: t.SearchJudgmentsRequest) -> t.JudgmentsFound:
        """Find judgments: a thread, the newest of some days, or by meaning."""
        result = self._caller.call(_MEMORY_SEARCH, data)
        return cast("t.JudgmentsFound", result)

    def suggest(self, data: t.SuggestRequest) -> t.SuggestResult:
        """Advise how to decide, by what was decided about things like it."""
        result = self._caller.call(_MEMORY_SUGGEST, data)
        return cast("t.SuggestResult", result)


class MessagesOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def get(self, data: t.ListMessagesRequest) -> t.MessageList:
        """List messages, newest first."""
        result = self._caller.call(_MESSAGES_GET, data)
        return cast("t.MessageList", result["data"])

    def get_all(self, data: t.ListMessagesRequest) -> Iterator[t.Message]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_MESSAGES_GET, Pages("iterator", "data.messages", "data.iterator", "data.done"), data)

    def resend(self, data: t.ResendMessageRequest) -> t.ResentMessage:
        """Send an endpoint a message again."""
        result = self._caller.call(_MESSAGES_RESEND, data)
        return cast("t.ResentMessage", result["data"])


class NotificationsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddNotificationRequest) -> t.AddedNotification:
        """Notify users of something that is about no comment."""
        result = self._caller.call(_NOTIFICATIONS_ADD, data)
        return cast("t.AddedNotification", result["data"])

    def delete(self, data: t.DeleteNotificationsRequest) -> dict[str, t.Item]:
        """Delete notifications, or the entries of a user."""
        result = self._caller.call(_NOTIFICATIONS_DELETE, data)
        return cast("dict[str, t.Item]", result["data"])

    def get(self, data: t.GetNotificationsRequest) -> t.NotificationListResult:
        """List notifications, newest first."""
        result = self._caller.call(_NOTIFICATIONS_GET, data)
        return cast("t.NotificationListResult", result)

    def get_all(self, data: t.GetNotificationsRequest) -> Iterator[t.Notification]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_NOTIFICATIONS_GET, Pages("pageToken", "data", "nextPageToken"), data)

    def get_config(self, data: t.GetPreferencesRequest) -> builtins.list[t.Preference]:
        """Read what a user wants to be told of."""
        result = self._caller.call(_NOTIFICATIONS_GET_CONFIG, data)
        return cast("builtins.list[t.Preference]", result["data"])

    def set_config(self, data: t.SetPreferencesRequest) -> dict[str, t.PreferenceSet]:
        """Set what users want to be told of."""
        result = self._caller.call(_NOTIFICATIONS_SET_CONFIG, data)
        return cast("dict[str, t.PreferenceSet]", result["data"])

    def update(self, data: t.UpdateNotificationsRequest) -> t.UpdatedNotifications:
        """Mark notifications as read, and change what a caller says in those that it added."""
        result = self._caller.call(_NOTIFICATIONS_UPDATE, data)
        return cast("t.UpdatedNotifications", result)


class OrganizationsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.ChangedOrganizationsRequest) -> dict[str, t.Item]:
        """Add organizations."""
        result = self._caller.call(_ORGANIZATIONS_ADD, data)
        return cast("dict[str, t.Item]", result["data"])

    def delete(self, data: t.DeleteOrganizationsRequest) -> dict[str, t.Item]:
        """Delete organizations with everything in them."""
        result = self._caller.call(_ORGANIZATIONS_DELETE, data)
        return cast("dict[str, t.Item]", result["data"])

    def get(self, data: t.GetOrganizationsRequest) -> t.OrganizationListResult:
        """List the organizations, newest first."""
        result = self._caller.call(_ORGANIZATIONS_GET, data)
        return cast("t.OrganizationListResult", result)

    def get_all(self, data: t.GetOrganizationsRequest) -> Iterator[t.Organization]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_ORGANIZATIONS_GET, Pages("pageToken", "data", "nextPageToken"), data)

    def update(self, data: t.ChangedOrganizationsRequest) -> dict[str, t.Item]:
        """Change organizations."""
        result = self._caller.call(_ORGANIZATIONS_UPDATE, data)
        return cast("dict[str, t.Item]", result["data"])

    def update_access_disable_state(self, data: t.DisableOrganizationsRequest) -> dict[str, t.Disabled]:
        """Switch access to organizations off or on."""
        result = self._caller.call(_ORGANIZATIONS_UPDATE_ACCESS_DISABLE_STATE, data)
        return cast("dict[str, t.Disabled]", result["data"])


class OwnerOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def get(self, data: t.GetOwnerRequest) -> t.OwnerConfirmation:
        """Read whether the owner has confirmed the e-mail address."""
        result = self._caller.call(_OWNER_GET, data)
        return cast("t.OwnerConfirmation", result["data"])

    def send_confirmation(self, data: t.SendOwnerConfirmationRequest) -> t.ConfirmationAsked:
        """Send the owner a mail that asks to confirm the e-mail address."""
        result = self._caller.call(_OWNER_SEND_CONFIRMATION, data)
        return cast("t.ConfirmationAsked", result)


class PatternsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def get(self, data: t.GetPatternsRequest) -> builtins.list[t.Pattern]:
        """List what reviewers usually decide."""
        result = self._caller.call(_PATTERNS_GET, data)
        return cast("builtins.list[t.Pattern]", result)


class PermissionsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddPermissionsRequest) -> t.Done:
        """Grant a user organizations, folders and documents."""
        result = self._caller.call(_PERMISSIONS_ADD, data)
        return cast("t.Done", result)

    def get(self, data: t.GetPermissionsRequest) -> dict[str, t.UserPermissions]:
        """Read what users may do."""
        result = self._caller.call(_PERMISSIONS_GET, data)
        return cast("dict[str, t.UserPermissions]", result["data"])

    def remove(self, data: t.RemovePermissionsRequest) -> t.Done:
        """Take grants from a user."""
        result = self._caller.call(_PERMISSIONS_REMOVE, data)
        return cast("t.Done", result)


class ProfilesOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def get(self, data: t.GetProfileRequest) -> t.Profile | None:
        """Read what a user's judgments say about them."""
        result = self._caller.call(_PROFILES_GET, data)
        return cast("t.Profile | None", result)


class StatsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def get(self, data: t.GetStatsRequest) -> t.Stats:
        """Count what the workspace remembers."""
        result = self._caller.call(_STATS_GET, data)
        return cast("t.Stats", result)


class StepsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def cancel(self, data: t.CancelStepRequest) -> t.CancelStepResult:
        """End a step without going on from it."""
        result = self._caller.call(_STEPS_CANCEL, data)
        return cast("t.CancelStepResult", result)

    def list(self, data: t.ListStepsRequest) -> t.ListedStepPage:
        """List steps: the inbox of a person."""
        result = self._caller.call(_STEPS_LIST, data)
        return cast("t.ListedStepPage", result)

    def list_all(self, data: t.ListStepsRequest) -> Iterator[t.ListedStep]:
        """Iterates over all items of list, page by page."""
        return self._caller.walk(_STEPS_LIST, Pages("cursor", "items", "nextCursor"), data)

    def reassign(self, data: t.ReassignStepRequest) -> t.ReassignResult:
        """Put a person in the place of a reviewer."""
        result = self._caller.call(_STEPS_REASSIGN, data)
        return cast("t.ReassignResult", result)

    def record_agent_resolution(self, data: t.AgentResolutionRequest) -> t.DecideResult:
        """Record what became of an agent's step."""
        result = self._caller.call(_STEPS_RECORD_AGENT_RESOLUTION, data)
        return cast("t.DecideResult", result)

    def record_reviewer_decision(self, data: t.DecideStepRequest) -> t.DecideResult:
        """Record what a reviewer decided."""
        result = self._caller.call(_STEPS_RECORD_REVIEWER_DECISION, data)
        return cast("t.DecideResult", result)

    def resolve(self, data: t.ResolveStepRequest) -> t.ResolveResult:
        """End a step by hand."""
        result = self._caller.call(_STEPS_RESOLVE, data)
        return cast("t.ResolveResult", result)


class UsageOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def get(self, data: t.GetUsageRequest) -> t.Usage:
        """Read what the workspace keeps and has, and what it may."""
        result = self._caller.call(_USAGE_GET, data)
        return cast("t.Usage", result["data"])


class UserGroupsOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddGroupsRequest) -> dict[str, t.Item]:
        """Add user groups to an organization, or rename them."""
        result = self._caller.call(_USER_GROUPS_ADD, data)
        return cast("dict[str, t.Item]", result["data"])

    def add_users(self, data: t.AddGroupUsersRequest) -> dict[str, t.GroupUser]:
        """Add members of the organization to a user group."""
        result = self._caller.call(_USER_GROUPS_ADD_USERS, data)
        return cast("dict[str, t.GroupUser]", result["data"])

    def delete(self, data: t.DeleteGroupsRequest) -> dict[str, t.Item]:
        """Delete user groups, not the users."""
        result = self._caller.call(_USER_GROUPS_DELETE, data)
        return cast("dict[str, t.Item]", result["data"])

    def delete_users(self, data: t.DeleteGroupUsersRequest) -> dict[str, t.GroupUser]:
        """Take users out of a user group."""
        result = self._caller.call(_USER_GROUPS_DELETE_USERS, data)
        return cast("dict[str, t.GroupUser]", result["data"])

    def get(self, data: t.GetGroupsRequest) -> t.GroupListResult:
        """List the user groups of an organization, newest first."""
        result = self._caller.call(_USER_GROUPS_GET, data)
        return cast("t.GroupListResult", result)

    def get_all(self, data: t.GetGroupsRequest) -> Iterator[t.Group]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_USER_GROUPS_GET, Pages("pageToken", "data", "nextPageToken"), data)


class UsersOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def add(self, data: t.AddUsersRequest) -> dict[str, t.Item]:
        """Add users to an organization, a folder or a document."""
        result = self._caller.call(_USERS_ADD, data)
        return cast("dict[str, t.Item]", result["data"])

    def add_invite(self, data: t.AddInvitationRequest) -> t.Invitation:
        """Invite somebody by e-mail into an organization, a folder or a document."""
        result = self._caller.call(_USERS_ADD_INVITE, data)
        return cast("t.Invitation", result["data"])

    def data_delete_status(self, data: t.PersonJobRequest) -> t.Erasure:
        """Read how an erasure stands."""
        result = self._caller.call(_USERS_DATA_DELETE_STATUS, data)
        return cast("t.Erasure", result["data"])

    def data_export(self, data: t.ExportPersonRequest) -> t.ExportAccepted:
        """Write what is kept of a person into a file."""
        result = self._caller.call(_USERS_DATA_EXPORT, data)
        return cast("t.ExportAccepted", result["data"])

    def data_export_status(self, data: t.PersonJobRequest) -> t.Export:
        """Read how an export stands, and where its file is."""
        result = self._caller.call(_USERS_DATA_EXPORT_STATUS, data)
        return cast("t.Export", result["data"])

    def delete(self, data: t.DeleteUsersRequest) -> dict[str, t.RemovedUser]:
        """Remove users from an organization, a folder or a document."""
        result = self._caller.call(_USERS_DELETE, data)
        return cast("dict[str, t.RemovedUser]", result["data"])

    def delete_data(self, data: t.ErasePersonsRequest) -> t.ErasureAccepted:
        """Forget people, everywhere or in some organizations."""
        result = self._caller.call(_USERS_DELETE_DATA, data)
        return cast("t.ErasureAccepted", result["data"])

    def get(self, data: t.GetUsersRequest) -> t.UserListResult:
        """List the users of an organization, a folder, a document or of all documents, newest first."""
        result = self._caller.call(_USERS_GET, data)
        return cast("t.UserListResult", result)

    def get_all(self, data: t.GetUsersRequest) -> Iterator[t.User]:
        """Iterates over all items of get, page by page."""
        return self._caller.walk(_USERS_GET, Pages("pageToken", "data", "nextPageToken"), data)

    def get_count(self, data: t.CountUsersRequest) -> t.CountOf:
        """Count the users of an organization, of a document or of all documents."""
        result = self._caller.call(_USERS_GET_COUNT, data)
        return cast("t.CountOf", result["data"])

    def get_data(self, data: t.GetPersonRequest) -> t.PersonDataPage:
        """Read what is kept of a person, page by page."""
        result = self._caller.call(_USERS_GET_DATA, data)
        return cast("t.PersonDataPage", result)

    def get_doc(self, data: t.GetDocumentUsersRequest) -> t.DocumentUsersResult:
        """List who was added to documents, with these, newest first."""
        result = self._caller.call(_USERS_GET_DOC, data)
        return cast("t.DocumentUsersResult", result)

    def get_doc_all(self, data: t.GetDocumentUsersRequest) -> Iterator[t.User]:
        """Iterates over all items of get_doc, page by page."""
        return self._caller.walk(_USERS_GET_DOC, Pages("pageToken", "data", "nextPageToken"), data)

    def get_invitations(self, data: t.GetInvitationsOfRequest) -> t.InvitationListResult:
        """List the invitations of one e-mail, newest first."""
        result = self._caller.call(_USERS_GET_INVITATIONS, data)
        return cast("t.InvitationListResult", result)

    def get_invitations_all(self, data: t.GetInvitationsOfRequest) -> Iterator[t.Invitation]:
        """Iterates over all items of get_invitations, page by page."""
        return self._caller.walk(_USERS_GET_INVITATIONS, Pages("pageToken", "data", "nextPageToken"), data)

    def get_invite(self, data: t.GetInvitationsRequest) -> t.InvitationListResult:
        """List the invitations of an organization, newest first."""
        result = self._caller.call(_USERS_GET_INVITE, data)
        return cast("t.InvitationListResult", result)

    def get_invite_all(self, data: t.GetInvitationsRequest) -> Iterator[t.Invitation]:
        """Iterates over all items of get_invite, page by page."""
        return self._caller.walk(_USERS_GET_INVITE, Pages("pageToken", "data", "nextPageToken"), data)

    def invite_pending_count(self, data: t.CountInvitationsRequest) -> t.CountOf:
        """Count the pending invitations of a kind."""
        result = self._caller.call(_USERS_INVITE_PENDING_COUNT, data)
        return cast("t.CountOf", result["data"])

    def invite_respond(self, data: t.RespondInvitationRequest) -> t.Invitation:
        """Accept, reject or withdraw an invitation."""
        result = self._caller.call(_USERS_INVITE_RESPOND, data)
        return cast("t.Invitation", result["data"])

    def update(self, data: t.UpdateUsersRequest) -> dict[str, t.Item]:
        """Change users."""
        result = self._caller.call(_USERS_UPDATE, data)
        return cast("dict[str, t.Item]", result["data"])


class WorkspaceOperations:
    def __init__(self, caller: _Caller) -> None:
        self._caller = caller

    def create(self, data: t.CreateWorkspaceRequest) -> t.Workspace:
        """Create a workspace."""
        result = self._caller.call(_WORKSPACE_CREATE, data)
        return cast("t.Workspace", result["data"])

    def email_config_confirm(self, data: t.ConfirmSenderRequest) -> t.EmailSettings:
        """Confirm the sender of mails with the code that was sent to it."""
        result = self._caller.call(_WORKSPACE_EMAIL_CONFIG_CONFIRM, data)
        return cast("t.EmailSettings", result["data"])

    def get(self, data: t.GetWorkspaceRequest) -> t.Workspace:
        """Read the workspace with its token and keys."""
        result = self._caller.call(_WORKSPACE_GET, data)
        return cast("t.Workspace", result["data"])

    def get_activity_config(self, data: t.GetActivitySettingsRequest) -> t.ActivitySettings:
        """Read what is set for activities."""
        result = self._caller.call(_WORKSPACE_GET_ACTIVITY_CONFIG, data)
        return cast("t.ActivitySettings", result["data"])

    def get_advanced_webhook_config(self, data: t.GetWebhookSettingsRequest) -> t.WebhookSettings:
        """Read what is set for all endpoints."""
        result = self._caller.call(_WORKSPACE_GET_ADVANCED_WEBHOOK_CONFIG, data)
        return cast("t.WebhookSettings", result["data"])

    def get_api_key_config(self, data: t.GetSettingsRequest) -> t.Settings:
        """Read the settings of the workspace."""
        result = self._caller.call(_WORKSPACE_GET_API_KEY_CONFIG, data)
        return cast("t.Settings", result["data"])

    def get_email_config(self, data: t.GetEmailSettingsRequest) -> t.EmailSettings:
        """Read how the workspace sends mails."""
        result = self._caller.call(_WORKSPACE_GET_EMAIL_CONFIG, data)
        return cast("t.EmailSettings", result["data"])

    def get_notification_config(self, data: t.GetNotificationSettingsRequest) -> t.NotificationSettings:
        """Read what is set for notifications."""
        result = self._caller.call(_WORKSPACE_GET_NOTIFICATION_CONFIG, data)
        return cast("t.NotificationSettings", result["data"])

    def get_permission_provider_config(self, data: t.GetProviderRequest) -> t.Provider:
        """Read which permission provider is asked."""
        result = self._caller.call(_WORKSPACE_GET_PERMISSION_PROVIDER_CONFIG, data)
        return cast("t.Provider", result["data"])

    def get_webhook_config(self, data: t.GetSimpleReceiverRequest) -> t.SimpleReceiver:
        """Read the simple receiver of what happens to comments."""
        result = self._caller.call(_WORKSPACE_GET_WEBHOOK_CONFIG, data)
        return cast("t.SimpleReceiver", result["data"])

    def update_activity_config(self, data: t.UpdateActivitySettingsRequest) -> t.ActivitySettings:
        """Change what is set for activities."""
        result = self._caller.call(_WORKSPACE_UPDATE_ACTIVITY_CONFIG, data)
        return cast("t.ActivitySettings", result["data"])

    def update_advanced_webhook_config(self, data: t.UpdateWebhookSettingsRequest) -> t.WebhookSettings:
        """Switch webhooks on or off, and change what is set for all endpoints."""
        result = self._caller.call(_WORKSPACE_UPDATE_ADVANCED_WEBHOOK_CONFIG, data)
        return cast("t.WebhookSettings", result["data"])

    def update_api_key_config(self, data: t.UpdateSettingsRequest) -> t.Settings:
        """Change the settings of the workspace."""
        result = self._caller.call(_WORKSPACE_UPDATE_API_KEY_CONFIG, data)
        return cast("t.Settings", result["data"])

    def update_email_config(self, data: t.UpdateEmailSettingsRequest) -> t.EmailSettings:
        """Change how the workspace sends mails."""
        result = self._caller.call(_WORKSPACE_UPDATE_EMAIL_CONFIG, data)
        return cast("t.EmailSettings", result["data"])

    def update_notification_config(self, data: t.UpdateNotificationSettingsRequest) -> t.NotificationSettings:
        """Change what is set for notifications."""
        result = self._caller.call(_WORKSPACE_UPDATE_NOTIFICATION_CONFIG, data)
        return cast("t.NotificationSettings", result["data"])

    def update_permission_provider_config(self, data: t.UpdateProviderRequest) -> t.Provider:
        """Change which permission provider is asked."""
        result = self._caller.call(_WORKSPACE_UPDATE_PERMISSION_PROVIDER_CONFIG, data)
        return cast("t.Provider", result["data"])

    def update_webhook_config(self, data: t.UpdateSimpleReceiverRequest) -> t.SimpleReceiver:
        """Change the simple receiver of what happens to comments."""
        result = self._caller.call(_WORKSPACE_UPDATE_WEBHOOK_CONFIG, data)
        return cast("t.SimpleReceiver", result["data"])


class Resources:
    """The resources of a client."""

    def __init__(self, caller: _Caller) -> None:
        self.activities = ActivitiesOperations(caller)
        self.agents = AgentsOperations(caller)
        self.alerts = AlertsOperations(caller)
        self.annotations = AnnotationsOperations(caller)
        self.api_keys = APIKeysOperations(caller)
        self.attempts = AttemptsOperations(caller)
        self.auth = AuthOperations(caller)
        self.auth_tokens = AuthTokensOperations(caller)
        self.comments = CommentsOperations(caller)
        self.consolidation = ConsolidationOperations(caller)
        self.definitions = DefinitionsOperations(caller)
        self.documents = DocumentsOperations(caller)
        self.domains = DomainsOperations(caller)
        self.endpoints = EndpointsOperations(caller)
        self.event_types = EventTypesOperations(caller)
        self.executions = ExecutionsOperations(caller)
        self.folders = FoldersOperations(caller)
        self.jobs = JobsOperations(caller)
        self.judgments = JudgmentsOperations(caller)
        self.knowledge = KnowledgeOperations(caller)
        self.memory = MemoryOperations(caller)
        self.messages = MessagesOperations(caller)
        self.notifications = NotificationsOperations(caller)
        self.organizations = OrganizationsOperations(caller)
        self.owner = OwnerOperations(caller)
        self.patterns = PatternsOperations(caller)
        self.permissions = PermissionsOperations(caller)
        self.profiles = ProfilesOperations(caller)
        self.stats = StatsOperations(caller)
        self.steps = StepsOperations(caller)
        self.usage = UsageOperations(caller)
        self.user_groups = UserGroupsOperations(caller)
        self.users = UsersOperations(caller)
        self.workspace = WorkspaceOperations(caller)
