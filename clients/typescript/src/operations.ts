// Generated from the published document. Do not edit.
import type { CallOptions, Caller, Operation } from "./caller.js";
import { addedActivities, addedAnnotations, addedComments } from "./ids.js";
import type { paths } from "./schema.js";

type Content<T> = T extends { content: { "application/json": infer C } } ? C : never;
type Post<P extends keyof paths> = paths[P] extends { post: infer O } ? O : never;
type Data<P extends keyof paths> = Post<P> extends { requestBody: infer B } ? (Content<B> extends { data: infer D } ? D : never) : never;
type Result<P extends keyof paths> =
  Post<P> extends { responses: { 200: infer A } } ? (Content<A> extends { result: infer R } ? R : never) : never;
type Field<T, N extends string> = N extends `${infer First}.${infer Rest}`
  ? Field<Field<T, First>, Rest>
  : T extends { [name in N]: infer V } ? V : never;
type Item<P extends keyof paths, N extends string> = Extract<Field<Result<P>, N>, readonly unknown[]>[number];

const opActivitiesAdd: Operation = { path: "/v2/activities/add", ids: [{ path: "activities.id" }], committed: addedActivities };
const opActivitiesDelete: Operation = { path: "/v2/activities/delete", safe: true };
const opActivitiesGet: Operation = { path: "/v2/activities/get", safe: true };
const opActivitiesUpdate: Operation = { path: "/v2/activities/update", safe: true };
const opAgentsCreate: Operation = { path: "/v2/agents/create", safe: true };
const opAgentsCreateGroups: Operation = { path: "/v2/agents/groups/create" };
const opAgentsDelete: Operation = { path: "/v2/agents/delete", safe: true };
const opAgentsDeleteGroups: Operation = { path: "/v2/agents/groups/delete", safe: true };
const opAgentsExecutionCount: Operation = { path: "/v2/agents/execution/count", safe: true };
const opAgentsExecutionRun: Operation = { path: "/v2/agents/execution/run", ids: [{ path: "idempotencyKey" }] };
const opAgentsGet: Operation = { path: "/v2/agents/get", safe: true };
const opAgentsGetAnalytics: Operation = { path: "/v2/agents/analytics/get", safe: true };
const opAgentsGetExecution: Operation = { path: "/v2/agents/execution/get", safe: true };
const opAgentsGetGroups: Operation = { path: "/v2/agents/groups/get", safe: true };
const opAgentsGroupsAddAgents: Operation = { path: "/v2/agents/groups/add-agents", safe: true };
const opAgentsGroupsRemoveAgents: Operation = { path: "/v2/agents/groups/remove-agents", safe: true };
const opAgentsList: Operation = { path: "/v2/agents/list", safe: true };
const opAgentsListExecution: Operation = { path: "/v2/agents/execution/list", safe: true };
const opAgentsListGroups: Operation = { path: "/v2/agents/groups/list", safe: true };
const opAgentsListVersions: Operation = { path: "/v2/agents/versions/list", safe: true };
const opAgentsUpdate: Operation = { path: "/v2/agents/update", safe: true };
const opAgentsUpdateGroups: Operation = { path: "/v2/agents/groups/update", safe: true };
const opAgentsUpdateVersion: Operation = { path: "/v2/agents/version/update" };
const opAgentsVersionsRestore: Operation = { path: "/v2/agents/versions/restore", ids: [{ path: "version", integer: true }] };
const opAlertsAction: Operation = { path: "/v2/memory/alerts/action", safe: true };
const opAlertsDismiss: Operation = { path: "/v2/memory/alerts/dismiss", safe: true };
const opAlertsGetConfig: Operation = { path: "/v2/memory/alerts/config/get", safe: true };
const opAlertsList: Operation = { path: "/v2/memory/alerts/list", safe: true };
const opAlertsUpdateConfig: Operation = { path: "/v2/memory/alerts/config/update", safe: true };
const opAnnotationsAdd: Operation = { path: "/v2/commentannotations/add", ids: [{ path: "commentAnnotations.annotationId" }, { path: "commentAnnotations.commentData.commentId", integer: true }, { path: "commentAnnotations.comments.commentId", integer: true }], committed: addedAnnotations };
const opAnnotationsDelete: Operation = { path: "/v2/commentannotations/delete", safe: true };
const opAnnotationsGet: Operation = { path: "/v2/commentannotations/get", safe: true };
const opAnnotationsGetCount: Operation = { path: "/v2/commentannotations/count/get", safe: true };
const opAnnotationsGetCountV1: Operation = { path: "/v1/commentannotations/count/get", safe: true };
const opAnnotationsGetV1: Operation = { path: "/v1/commentannotations/get", safe: true };
const opAnnotationsRead: Operation = { path: "/v2/commentannotations/read", safe: true };
const opAnnotationsUpdate: Operation = { path: "/v2/commentannotations/update", safe: true };
const opAPIKeysCopy: Operation = { path: "/v2/workspace/apikey/copy", workspace: true, safe: true };
const opAPIKeysCreate: Operation = { path: "/v2/workspace/apikey/create", workspace: true };
const opAPIKeysGet: Operation = { path: "/v2/workspace/apikeys/get", workspace: true, safe: true };
const opAPIKeysUpdate: Operation = { path: "/v2/workspace/apikey/update", workspace: true, safe: true };
const opAttemptsGet: Operation = { path: "/v2/workspace/advancedwebhook/attempts/get", safe: true };
const opAuthGenerateToken: Operation = { path: "/v2/auth/generate_token", safe: true };
const opAuthVerifyToken: Operation = { path: "/v2/auth/verify_token", safe: true };
const opAuthTokensEnsure: Operation = { path: "/v2/workspace/authtoken/ensure", workspace: true, safe: true };
const opAuthTokensGet: Operation = { path: "/v2/workspace/authtokens/get", workspace: true, safe: true };
const opAuthTokensReset: Operation = { path: "/v2/workspace/authtoken/reset", workspace: true };
const opCommentsAdd: Operation = { path: "/v2/commentannotations/comments/add", ids: [{ path: "commentData.commentId", integer: true }, { path: "comments.commentId", integer: true }], committed: addedComments };
const opCommentsDelete: Operation = { path: "/v2/commentannotations/comments/delete", safe: true };
const opCommentsGet: Operation = { path: "/v2/commentannotations/comments/get", safe: true };
const opCommentsGetV1: Operation = { path: "/v1/commentannotations/comments/get", safe: true };
const opCommentsUpdate: Operation = { path: "/v2/commentannotations/comments/update", safe: true };
const opConsolidationTrigger: Operation = { path: "/v2/memory/consolidation/trigger", safe: true };
const opDefinitionsCreate: Operation = { path: "/v2/workflow/definitions/create", safe: true };
const opDefinitionsDelete: Operation = { path: "/v2/workflow/definitions/delete", safe: true };
const opDefinitionsGet: Operation = { path: "/v2/workflow/definitions/get", safe: true };
const opDefinitionsGetVersions: Operation = { path: "/v2/workflow/definitions/versions/get", safe: true };
const opDefinitionsLint: Operation = { path: "/v2/workflow/definitions/lint", safe: true };
const opDefinitionsList: Operation = { path: "/v2/workflow/definitions/list", safe: true };
const opDefinitionsListVersions: Operation = { path: "/v2/workflow/definitions/versions/list", safe: true };
const opDefinitionsUpdate: Operation = { path: "/v2/workflow/definitions/update" };
const opDocumentsAdd: Operation = { path: "/v2/organizations/documents/add", safe: true };
const opDocumentsDelete: Operation = { path: "/v2/organizations/documents/delete", safe: true };
const opDocumentsGet: Operation = { path: "/v2/organizations/documents/get", safe: true };
const opDocumentsGetCount: Operation = { path: "/v2/organizations/documents/count/get", safe: true };
const opDocumentsMigrate: Operation = { path: "/v2/organizations/documents/migrate", safe: true };
const opDocumentsMigrateStatus: Operation = { path: "/v2/organizations/documents/migrate/status", safe: true };
const opDocumentsMove: Operation = { path: "/v2/organizations/documents/move", safe: true };
const opDocumentsUpdate: Operation = { path: "/v2/organizations/documents/update", safe: true };
const opDocumentsUpdateAccess: Operation = { path: "/v2/organizations/documents/access/update", safe: true };
const opDocumentsUpdateAccessDisableState: Operation = { path: "/v2/organizations/documents/access/disablestate/update", safe: true };
const opDomainsAdd: Operation = { path: "/v2/workspace/domains/add", safe: true };
const opDomainsDelete: Operation = { path: "/v2/workspace/domains/delete", safe: true };
const opDomainsGet: Operation = { path: "/v2/workspace/domains/get", safe: true };
const opEndpointsCreate: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/create", ids: [{ path: "uid" }] };
const opEndpointsDelete: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/delete", safe: true };
const opEndpointsGet: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/get", safe: true };
const opEndpointsGetRecover: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/recover/get", safe: true };
const opEndpointsGetSecret: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/secret/get", safe: true };
const opEndpointsRecover: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/recover" };
const opEndpointsRotateSecret: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/secret/rotate" };
const opEndpointsTest: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/test" };
const opEndpointsUpdate: Operation = { path: "/v2/workspace/advancedwebhook/endpoints/update", safe: true };
const opEventTypesGet: Operation = { path: "/v2/workspace/advancedwebhook/eventtypes/get", safe: true };
const opExecutionsCancel: Operation = { path: "/v2/workflow/executions/cancel", safe: true };
const opExecutionsDelete: Operation = { path: "/v2/workflow/executions/delete", safe: true };
const opExecutionsDispatch: Operation = { path: "/v2/workflow/executions/dispatch", ids: [{ path: "idempotencyKey" }] };
const opExecutionsGet: Operation = { path: "/v2/workflow/executions/get", safe: true };
const opExecutionsGetDeliveries: Operation = { path: "/v2/workflow/executions/getDeliveries", safe: true };
const opExecutionsGetEvents: Operation = { path: "/v2/workflow/executions/getEvents", safe: true };
const opExecutionsList: Operation = { path: "/v2/workflow/executions/list", safe: true };
const opExecutionsPause: Operation = { path: "/v2/workflow/executions/pause", safe: true };
const opExecutionsRedeliver: Operation = { path: "/v2/workflow/executions/redeliver" };
const opExecutionsResume: Operation = { path: "/v2/workflow/executions/resume", safe: true };
const opExecutionsRetry: Operation = { path: "/v2/workflow/executions/retry" };
const opFoldersAdd: Operation = { path: "/v2/organizations/folders/add", safe: true };
const opFoldersDelete: Operation = { path: "/v2/organizations/folders/delete", safe: true };
const opFoldersGet: Operation = { path: "/v2/organizations/folders/get", safe: true };
const opFoldersUpdate: Operation = { path: "/v2/organizations/folders/update", safe: true };
const opFoldersUpdateAccess: Operation = { path: "/v2/organizations/folders/access/update", safe: true };
const opJobsList: Operation = { path: "/v2/workspace/jobs/list", safe: true };
const opJudgmentsDelete: Operation = { path: "/v2/memory/judgments/delete", safe: true };
const opJudgmentsQuery: Operation = { path: "/v2/memory/judgments/query", safe: true };
const opJudgmentsRecord: Operation = { path: "/v2/memory/judgments/record", ids: [{ path: "judgments.recordId" }] };
const opKnowledgeDelete: Operation = { path: "/v2/memory/knowledge/delete", safe: true };
const opKnowledgeDownload: Operation = { path: "/v2/memory/knowledge/download", safe: true };
const opKnowledgeIngest: Operation = { path: "/v2/memory/knowledge/ingest" };
const opKnowledgeIngestStatus: Operation = { path: "/v2/memory/knowledge/ingest-status", safe: true };
const opKnowledgeList: Operation = { path: "/v2/memory/knowledge/list", safe: true };
const opKnowledgeRetry: Operation = { path: "/v2/memory/knowledge/retry" };
const opKnowledgeRules: Operation = { path: "/v2/memory/knowledge/rules", safe: true };
const opKnowledgeSearch: Operation = { path: "/v2/memory/knowledge/search", safe: true };
const opKnowledgeUpdate: Operation = { path: "/v2/memory/knowledge/update", safe: true };
const opKnowledgeUploadURL: Operation = { path: "/v2/memory/knowledge/upload-url", safe: true };
const opMemoryAsk: Operation = { path: "/v2/memory/ask", safe: true };
const opMemorySearch: Operation = { path: "/v2/memory/search", safe: true };
const opMemorySuggest: Operation = { path: "/v2/memory/suggest", safe: true };
const opMessagesGet: Operation = { path: "/v2/workspace/advancedwebhook/messages/get", safe: true };
const opMessagesResend: Operation = { path: "/v2/workspace/advancedwebhook/messages/resend" };
const opNotificationsAdd: Operation = { path: "/v2/notifications/add", ids: [{ path: "notificationId" }] };
const opNotificationsDelete: Operation = { path: "/v2/notifications/delete", safe: true };
const opNotificationsGet: Operation = { path: "/v2/notifications/get", safe: true };
const opNotificationsGetConfig: Operation = { path: "/v2/notifications/config/get", safe: true };
const opNotificationsSetConfig: Operation = { path: "/v2/notifications/config/set", safe: true };
const opNotificationsUpdate: Operation = { path: "/v2/notifications/update", safe: true };
const opOrganizationsAdd: Operation = { path: "/v2/organizations/add", safe: true };
const opOrganizationsDelete: Operation = { path: "/v2/organizations/delete", safe: true };
const opOrganizationsGet: Operation = { path: "/v2/organizations/get", safe: true };
const opOrganizationsUpdate: Operation = { path: "/v2/organizations/update", safe: true };
const opOrganizationsUpdateAccessDisableState: Operation = { path: "/v2/organizations/access/disablestate/update", safe: true };
const opOwnerGet: Operation = { path: "/v2/workspace/owner/get", workspace: true, safe: true };
const opOwnerSendConfirmation: Operation = { path: "/v2/workspace/owner/send-confirmation", workspace: true };
const opPatternsGet: Operation = { path: "/v2/memory/patterns/get", safe: true };
const opPermissionsAdd: Operation = { path: "/v2/auth/permissions/add", safe: true };
const opPermissionsGet: Operation = { path: "/v2/auth/permissions/get", safe: true };
const opPermissionsRemove: Operation = { path: "/v2/auth/permissions/remove", safe: true };
const opProfilesGet: Operation = { path: "/v2/memory/profiles/get", safe: true };
const opStatsGet: Operation = { path: "/v2/memory/stats/get", safe: true };
const opStepsCancel: Operation = { path: "/v2/workflow/steps/cancel", safe: true };
const opStepsList: Operation = { path: "/v2/workflow/steps/list", safe: true };
const opStepsReassign: Operation = { path: "/v2/workflow/steps/reassign", safe: true };
const opStepsRecordAgentResolution: Operation = { path: "/v2/workflow/steps/recordAgentResolution", safe: true };
const opStepsRecordReviewerDecision: Operation = { path: "/v2/workflow/steps/recordReviewerDecision", safe: true };
const opStepsResolve: Operation = { path: "/v2/workflow/steps/resolve", safe: true };
const opUsageGet: Operation = { path: "/v2/workspace/usage/get", safe: true };
const opUserGroupsAdd: Operation = { path: "/v2/organizations/usergroups/add", safe: true };
const opUserGroupsAddUsers: Operation = { path: "/v2/organizations/usergroups/users/add", safe: true };
const opUserGroupsDelete: Operation = { path: "/v2/organizations/usergroups/delete", safe: true };
const opUserGroupsDeleteUsers: Operation = { path: "/v2/organizations/usergroups/users/delete", safe: true };
const opUserGroupsGet: Operation = { path: "/v2/organizations/usergroups/get", safe: true };
const opUsersAdd: Operation = { path: "/v2/users/add", safe: true };
const opUsersAddInvite: Operation = { path: "/v2/users/invite/add", safe: true };
const opUsersDataDeleteStatus: Operation = { path: "/v2/users/data/delete/status", safe: true };
const opUsersDataExport: Operation = { path: "/v2/users/data/export", safe: true };
const opUsersDataExportStatus: Operation = { path: "/v2/users/data/export/status", safe: true };
const opUsersDelete: Operation = { path: "/v2/users/delete", safe: true };
const opUsersDeleteData: Operation = { path: "/v2/users/data/delete", safe: true };
const opUsersGet: Operation = { path: "/v2/users/get", safe: true };
const opUsersGetCount: Operation = { path: "/v2/users/count/get", safe: true };
const opUsersGetData: Operation = { path: "/v2/users/data/get", safe: true };
const opUsersGetDoc: Operation = { path: "/v2/users/doc/get", safe: true };
const opUsersGetInvitations: Operation = { path: "/v2/users/invitations/get", safe: true };
const opUsersGetInvite: Operation = { path: "/v2/users/invite/get", safe: true };
const opUsersInvitePendingCount: Operation = { path: "/v2/users/invite/pending/count", safe: true };
const opUsersInviteRespond: Operation = { path: "/v2/users/invite/respond", safe: true };
const opUsersUpdate: Operation = { path: "/v2/users/update", safe: true };
const opWorkspaceCreate: Operation = { path: "/v2/workspace/create" };
const opWorkspaceEmailConfigConfirm: Operation = { path: "/v2/workspace/emailconfig/confirm", safe: true };
const opWorkspaceGet: Operation = { path: "/v2/workspace/get", workspace: true, safe: true };
const opWorkspaceGetActivityConfig: Operation = { path: "/v2/workspace/activityconfig/get", safe: true };
const opWorkspaceGetAdvancedWebhookConfig: Operation = { path: "/v2/workspace/advancedwebhookconfig/get", safe: true };
const opWorkspaceGetAPIKeyConfig: Operation = { path: "/v2/workspace/apikeyconfig/get", safe: true };
const opWorkspaceGetEmailConfig: Operation = { path: "/v2/workspace/emailconfig/get", safe: true };
const opWorkspaceGetNotificationConfig: Operation = { path: "/v2/workspace/notificationconfig/get", safe: true };
const opWorkspaceGetPermissionProviderConfig: Operation = { path: "/v2/workspace/permissionproviderconfig/get", safe: true };
const opWorkspaceGetWebhookConfig: Operation = { path: "/v2/workspace/webhookconfig/get", safe: true };
const opWorkspaceUpdateActivityConfig: Operation = { path: "/v2/workspace/activityconfig/update", safe: true };
const opWorkspaceUpdateAdvancedWebhookConfig: Operation = { path: "/v2/workspace/advancedwebhookconfig/update", safe: true };
const opWorkspaceUpdateAPIKeyConfig: Operation = { path: "/v2/workspace/apikeyconfig/update", safe: true };
const opWorkspaceUpdateEmailConfig: Operation = { path: "/v2/workspace/emailconfig/update", safe: true };
const opWorkspaceUpdateNotificationConfig: Operation = { path: "/v2/workspace/notificationconfig/update", safe: true };
const opWorkspaceUpdatePermissionProviderConfig: Operation = { path: "/v2/workspace/permissionproviderconfig/update", safe: true };
const opWorkspaceUpdateWebhookConfig: Operation = { path: "/v2/workspace/webhookconfig/update", safe: true };

export class ActivitiesOperations {
  constructor(private readonly caller: Caller) {}

  /** Keep a record of what was done. */
  async add(data: Data<"/v2/activities/add">, options?: CallOptions): Promise<Result<"/v2/activities/add">["data"]> {
    return (await this.caller.call<Result<"/v2/activities/add">>(opActivitiesAdd, data, options)).data;
  }

  /** Delete records that are not immutable. */
  async delete(data: Data<"/v2/activities/delete">, options?: CallOptions): Promise<Result<"/v2/activities/delete">> {
    return this.caller.call(opActivitiesDelete, data, options);
  }

  /** List what was done in an organization, newest first. */
  async get(data: Data<"/v2/activities/get">, options?: CallOptions): Promise<Result<"/v2/activities/get">> {
    return this.caller.call(opActivitiesGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/activities/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/activities/get", "data">, void, undefined> {
    return this.caller.walk(opActivitiesGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Change records that are not immutable. */
  async update(data: Data<"/v2/activities/update">, options?: CallOptions): Promise<Result<"/v2/activities/update">["data"]> {
    return (await this.caller.call<Result<"/v2/activities/update">>(opActivitiesUpdate, data, options)).data;
  }
}

export class AgentsOperations {
  constructor(private readonly caller: Caller) {}

  /** Register an agent. */
  async create(data: Data<"/v2/agents/create">, options?: CallOptions): Promise<Result<"/v2/agents/create">> {
    return this.caller.call(opAgentsCreate, data, options);
  }

  /** Make a group of agents. */
  async createGroups(data: Data<"/v2/agents/groups/create">, options?: CallOptions): Promise<Result<"/v2/agents/groups/create">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/groups/create">>(opAgentsCreateGroups, data, options)).data;
  }

  /** Remove an agent from the registry. */
  async delete(data: Data<"/v2/agents/delete">, options?: CallOptions): Promise<Result<"/v2/agents/delete">> {
    return this.caller.call(opAgentsDelete, data, options);
  }

  /** Delete a group, not its agents. */
  async deleteGroups(data: Data<"/v2/agents/groups/delete">, options?: CallOptions): Promise<Result<"/v2/agents/groups/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/groups/delete">>(opAgentsDeleteGroups, data, options)).data;
  }

  /** Count executions of agents. */
  async executionCount(data: Data<"/v2/agents/execution/count">, options?: CallOptions): Promise<Result<"/v2/agents/execution/count">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/execution/count">>(opAgentsExecutionCount, data, options)).data;
  }

  /** Let an agent look at a page. */
  async executionRun(data: Data<"/v2/agents/execution/run">, options?: CallOptions): Promise<Result<"/v2/agents/execution/run">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/execution/run">>(opAgentsExecutionRun, data, options)).data;
  }

  /** Read an agent, or list registered and built-in ones. */
  async get(data: Data<"/v2/agents/get">, options?: CallOptions): Promise<Result<"/v2/agents/get">> {
    return this.caller.call(opAgentsGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/agents/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/agents/get", "items">, void, undefined> {
    return this.caller.walk(opAgentsGet, { request: "cursor", items: "items", next: "nextCursor" }, data, options);
  }

  /** Count what became of the steps of agents. */
  async getAnalytics(data: Data<"/v2/agents/analytics/get">, options?: CallOptions): Promise<Result<"/v2/agents/analytics/get">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/analytics/get">>(opAgentsGetAnalytics, data, options)).data;
  }

  /** Read an execution of an agent, with what it found. */
  async getExecution(data: Data<"/v2/agents/execution/get">, options?: CallOptions): Promise<Result<"/v2/agents/execution/get">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/execution/get">>(opAgentsGetExecution, data, options)).data;
  }

  /** Read a group of agents. */
  async getGroups(data: Data<"/v2/agents/groups/get">, options?: CallOptions): Promise<Result<"/v2/agents/groups/get">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/groups/get">>(opAgentsGetGroups, data, options)).data;
  }

  /** Put agents into a group. */
  async groupsAddAgents(data: Data<"/v2/agents/groups/add-agents">, options?: CallOptions): Promise<Result<"/v2/agents/groups/add-agents">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/groups/add-agents">>(opAgentsGroupsAddAgents, data, options)).data;
  }

  /** Take agents out of a group. */
  async groupsRemoveAgents(data: Data<"/v2/agents/groups/remove-agents">, options?: CallOptions): Promise<Result<"/v2/agents/groups/remove-agents">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/groups/remove-agents">>(opAgentsGroupsRemoveAgents, data, options)).data;
  }

  /** List the agents, newest first. */
  async list(data: Data<"/v2/agents/list">, options?: CallOptions): Promise<Result<"/v2/agents/list">> {
    return this.caller.call(opAgentsList, data, options);
  }

  /** Walks over all items of list, page by page. */
  listAll(data: Data<"/v2/agents/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/agents/list", "items">, void, undefined> {
    return this.caller.walk(opAgentsList, { request: "cursor", items: "items", next: "nextCursor" }, data, options);
  }

  /** List executions of agents, newest first. */
  async listExecution(data: Data<"/v2/agents/execution/list">, options?: CallOptions): Promise<Result<"/v2/agents/execution/list">> {
    return this.caller.call(opAgentsListExecution, data, options);
  }

  /** Walks over all items of listExecution, page by page. */
  listExecutionAll(data: Data<"/v2/agents/execution/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/agents/execution/list", "data.executions">, void, undefined> {
    return this.caller.walk(opAgentsListExecution, { request: "pageToken", items: "data.executions", next: "nextPageToken" }, data, options);
  }

  /** List the groups of agents, newest first. */
  async listGroups(data: Data<"/v2/agents/groups/list">, options?: CallOptions): Promise<Result<"/v2/agents/groups/list">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/groups/list">>(opAgentsListGroups, data, options)).data;
  }

  /** List the versions of an agent's behaviour, newest first. */
  async listVersions(data: Data<"/v2/agents/versions/list">, options?: CallOptions): Promise<Result<"/v2/agents/versions/list">> {
    return this.caller.call(opAgentsListVersions, data, options);
  }

  /** Walks over all items of listVersions, page by page. */
  listVersionsAll(data: Data<"/v2/agents/versions/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/agents/versions/list", "data.versions">, void, undefined> {
    return this.caller.walk(opAgentsListVersions, { request: "pageToken", items: "data.versions", next: "nextPageToken" }, data, options);
  }

  /** Change an agent. */
  async update(data: Data<"/v2/agents/update">, options?: CallOptions): Promise<Result<"/v2/agents/update">> {
    return this.caller.call(opAgentsUpdate, data, options);
  }

  /** Change the name or the description of a group of agents. */
  async updateGroups(data: Data<"/v2/agents/groups/update">, options?: CallOptions): Promise<Result<"/v2/agents/groups/update">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/groups/update">>(opAgentsUpdateGroups, data, options)).data;
  }

  /** Change the behaviour of an agent, which makes a version. */
  async updateVersion(data: Data<"/v2/agents/version/update">, options?: CallOptions): Promise<Result<"/v2/agents/version/update">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/version/update">>(opAgentsUpdateVersion, data, options)).data;
  }

  /** Go back to a version of an agent's behaviour. */
  async versionsRestore(data: Data<"/v2/agents/versions/restore">, options?: CallOptions): Promise<Result<"/v2/agents/versions/restore">["data"]> {
    return (await this.caller.call<Result<"/v2/agents/versions/restore">>(opAgentsVersionsRestore, data, options)).data;
  }
}

export class AlertsOperations {
  constructor(private readonly caller: Caller) {}

  /** Note that something was done about an alert. */
  async action(data: Data<"/v2/memory/alerts/action">, options?: CallOptions): Promise<Result<"/v2/memory/alerts/action">> {
    return this.caller.call(opAlertsAction, data, options);
  }

  /** Note that an alert is of no use. */
  async dismiss(data: Data<"/v2/memory/alerts/dismiss">, options?: CallOptions): Promise<Result<"/v2/memory/alerts/dismiss">> {
    return this.caller.call(opAlertsDismiss, data, options);
  }

  /** Read what is set for alerts. */
  async getConfig(data: Data<"/v2/memory/alerts/config/get">, options?: CallOptions): Promise<Result<"/v2/memory/alerts/config/get">> {
    return this.caller.call(opAlertsGetConfig, data, options);
  }

  /** List what stands out in what reviewers decide. */
  async list(data: Data<"/v2/memory/alerts/list">, options?: CallOptions): Promise<Result<"/v2/memory/alerts/list">> {
    return this.caller.call(opAlertsList, data, options);
  }

  /** Change what is set for alerts. */
  async updateConfig(data: Data<"/v2/memory/alerts/config/update">, options?: CallOptions): Promise<Result<"/v2/memory/alerts/config/update">> {
    return this.caller.call(opAlertsUpdateConfig, data, options);
  }
}

export class AnnotationsOperations {
  constructor(private readonly caller: Caller) {}

  /** Add annotations to a document. */
  async add(data: Data<"/v2/commentannotations/add">, options?: CallOptions): Promise<Result<"/v2/commentannotations/add">["data"]> {
    return (await this.caller.call<Result<"/v2/commentannotations/add">>(opAnnotationsAdd, data, options)).data;
  }

  /** Delete annotations of a document. */
  async delete(data: Data<"/v2/commentannotations/delete">, options?: CallOptions): Promise<Result<"/v2/commentannotations/delete">> {
    return this.caller.call(opAnnotationsDelete, data, options);
  }

  /** Read annotations of documents with all that is known of them, by their latest change. */
  async get(data: Data<"/v2/commentannotations/get">, options?: CallOptions): Promise<Result<"/v2/commentannotations/get">> {
    return this.caller.call(opAnnotationsGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/commentannotations/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/commentannotations/get", "data">, void, undefined> {
    return this.caller.walk(opAnnotationsGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Count the annotations of documents for a user. */
  async getCount(data: Data<"/v2/commentannotations/count/get">, options?: CallOptions): Promise<Result<"/v2/commentannotations/count/get">["data"]> {
    return (await this.caller.call<Result<"/v2/commentannotations/count/get">>(opAnnotationsGetCount, data, options)).data;
  }

  /** Count the annotations of documents for a user. */
  async getCountV1(data: Data<"/v1/commentannotations/count/get">, options?: CallOptions): Promise<Result<"/v1/commentannotations/count/get">["data"]> {
    return (await this.caller.call<Result<"/v1/commentannotations/count/get">>(opAnnotationsGetCountV1, data, options)).data;
  }

  /** Read annotations of a document, latest change first. */
  async getV1(data: Data<"/v1/commentannotations/get">, options?: CallOptions): Promise<Result<"/v1/commentannotations/get">> {
    return this.caller.call(opAnnotationsGetV1, data, options);
  }

  /** Walks over all items of getV1, page by page. */
  getV1All(data: Data<"/v1/commentannotations/get">, options?: CallOptions): AsyncGenerator<Item<"/v1/commentannotations/get", "data">, void, undefined> {
    return this.caller.walk(opAnnotationsGetV1, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Mark annotations as read by a user. */
  async read(data: Data<"/v2/commentannotations/read">, options?: CallOptions): Promise<Result<"/v2/commentannotations/read">> {
    return this.caller.call(opAnnotationsRead, data, options);
  }

  /** Change annotations of a document. */
  async update(data: Data<"/v2/commentannotations/update">, options?: CallOptions): Promise<Result<"/v2/commentannotations/update">> {
    return this.caller.call(opAnnotationsUpdate, data, options);
  }
}

export class APIKeysOperations {
  constructor(private readonly caller: Caller) {}

  /** Make the allowed domains of an API key those of another. */
  async copy(data: Data<"/v2/workspace/apikey/copy">, options?: CallOptions): Promise<Result<"/v2/workspace/apikey/copy">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/apikey/copy">>(opAPIKeysCopy, data, options)).data;
  }

  /** Create an API key. */
  async create(data: Data<"/v2/workspace/apikey/create">, options?: CallOptions): Promise<Result<"/v2/workspace/apikey/create">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/apikey/create">>(opAPIKeysCreate, data, options)).data;
  }

  /** List the API keys, newest first. */
  async get(data: Data<"/v2/workspace/apikeys/get">, options?: CallOptions): Promise<Result<"/v2/workspace/apikeys/get">> {
    return this.caller.call(opAPIKeysGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/workspace/apikeys/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/workspace/apikeys/get", "data">, void, undefined> {
    return this.caller.walk(opAPIKeysGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Rename an API key. */
  async update(data: Data<"/v2/workspace/apikey/update">, options?: CallOptions): Promise<Result<"/v2/workspace/apikey/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/apikey/update">>(opAPIKeysUpdate, data, options)).data;
  }
}

export class AttemptsOperations {
  constructor(private readonly caller: Caller) {}

  /** List attempts to tell endpoints, newest first. */
  async get(data: Data<"/v2/workspace/advancedwebhook/attempts/get">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/attempts/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/attempts/get">>(opAttemptsGet, data, options)).data;
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/workspace/advancedwebhook/attempts/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/workspace/advancedwebhook/attempts/get", "data.attempts">, void, undefined> {
    return this.caller.walk(opAttemptsGet, { request: "iterator", items: "data.attempts", next: "data.iterator", done: "data.done" }, data, options);
  }
}

export class AuthOperations {
  constructor(private readonly caller: Caller) {}

  /** Make a token that says who a user is. */
  async generateToken(data: Data<"/v2/auth/generate_token">, options?: CallOptions): Promise<Result<"/v2/auth/generate_token">["data"]> {
    return (await this.caller.call<Result<"/v2/auth/generate_token">>(opAuthGenerateToken, data, options)).data;
  }

  /** Check a token that says who a user is. */
  async verifyToken(data: Data<"/v2/auth/verify_token">, options?: CallOptions): Promise<Result<"/v2/auth/verify_token">["data"]> {
    return (await this.caller.call<Result<"/v2/auth/verify_token">>(opAuthVerifyToken, data, options)).data;
  }
}

export class AuthTokensOperations {
  constructor(private readonly caller: Caller) {}

  /** Read the auth token of an API key, made if it has none. */
  async ensure(data: Data<"/v2/workspace/authtoken/ensure">, options?: CallOptions): Promise<Result<"/v2/workspace/authtoken/ensure">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/authtoken/ensure">>(opAuthTokensEnsure, data, options)).data;
  }

  /** Read the auth token of an API key. */
  async get(data: Data<"/v2/workspace/authtokens/get">, options?: CallOptions): Promise<Result<"/v2/workspace/authtokens/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/authtokens/get">>(opAuthTokensGet, data, options)).data;
  }

  /** Replace the auth token of an API key. */
  async reset(data: Data<"/v2/workspace/authtoken/reset">, options?: CallOptions): Promise<Result<"/v2/workspace/authtoken/reset">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/authtoken/reset">>(opAuthTokensReset, data, options)).data;
  }
}

export class CommentsOperations {
  constructor(private readonly caller: Caller) {}

  /** Add comments to an annotation. */
  async add(data: Data<"/v2/commentannotations/comments/add">, options?: CallOptions): Promise<Result<"/v2/commentannotations/comments/add">["data"]> {
    return (await this.caller.call<Result<"/v2/commentannotations/comments/add">>(opCommentsAdd, data, options)).data;
  }

  /** Delete comments of an annotation, and it with the last one. */
  async delete(data: Data<"/v2/commentannotations/comments/delete">, options?: CallOptions): Promise<Result<"/v2/commentannotations/comments/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/commentannotations/comments/delete">>(opCommentsDelete, data, options)).data;
  }

  /** Read the comments of an annotation with all that is known of them, oldest first. */
  async get(data: Data<"/v2/commentannotations/comments/get">, options?: CallOptions): Promise<Result<"/v2/commentannotations/comments/get">> {
    return this.caller.call(opCommentsGet, data, options);
  }

  /** Read the comments of an annotation, oldest first. */
  async getV1(data: Data<"/v1/commentannotations/comments/get">, options?: CallOptions): Promise<Result<"/v1/commentannotations/comments/get">> {
    return this.caller.call(opCommentsGetV1, data, options);
  }

  /** Change comments of an annotation. */
  async update(data: Data<"/v2/commentannotations/comments/update">, options?: CallOptions): Promise<Result<"/v2/commentannotations/comments/update">["data"]> {
    return (await this.caller.call<Result<"/v2/commentannotations/comments/update">>(opCommentsUpdate, data, options)).data;
  }
}

export class ConsolidationOperations {
  constructor(private readonly caller: Caller) {}

  /** Have patterns and alerts looked for now. */
  async trigger(data: Data<"/v2/memory/consolidation/trigger">, options?: CallOptions): Promise<Result<"/v2/memory/consolidation/trigger">> {
    return this.caller.call(opConsolidationTrigger, data, options);
  }
}

export class DefinitionsOperations {
  constructor(private readonly caller: Caller) {}

  /** Store a definition as version 1. */
  async create(data: Data<"/v2/workflow/definitions/create">, options?: CallOptions): Promise<Result<"/v2/workflow/definitions/create">> {
    return this.caller.call(opDefinitionsCreate, data, options);
  }

  /** Delete a definition, or purge it. */
  async delete(data: Data<"/v2/workflow/definitions/delete">, options?: CallOptions): Promise<Result<"/v2/workflow/definitions/delete">> {
    return this.caller.call(opDefinitionsDelete, data, options);
  }

  /** Read the current version of a definition. */
  async get(data: Data<"/v2/workflow/definitions/get">, options?: CallOptions): Promise<Result<"/v2/workflow/definitions/get">> {
    return this.caller.call(opDefinitionsGet, data, options);
  }

  /** Read one version of a definition. */
  async getVersions(data: Data<"/v2/workflow/definitions/versions/get">, options?: CallOptions): Promise<Result<"/v2/workflow/definitions/versions/get">> {
    return this.caller.call(opDefinitionsGetVersions, data, options);
  }

  /** Judge a definition without storing it. */
  async lint(data: Data<"/v2/workflow/definitions/lint">, options?: CallOptions): Promise<Result<"/v2/workflow/definitions/lint">> {
    return this.caller.call(opDefinitionsLint, data, options);
  }

  /** List the active definitions, latest change first. */
  async list(data: Data<"/v2/workflow/definitions/list">, options?: CallOptions): Promise<Result<"/v2/workflow/definitions/list">> {
    return this.caller.call(opDefinitionsList, data, options);
  }

  /** Walks over all items of list, page by page. */
  listAll(data: Data<"/v2/workflow/definitions/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/workflow/definitions/list", "items">, void, undefined> {
    return this.caller.walk(opDefinitionsList, { request: "cursor", items: "items", next: "nextCursor" }, data, options);
  }

  /** List the versions of a definition, latest first. */
  async listVersions(data: Data<"/v2/workflow/definitions/versions/list">, options?: CallOptions): Promise<Result<"/v2/workflow/definitions/versions/list">> {
    return this.caller.call(opDefinitionsListVersions, data, options);
  }

  /** Walks over all items of listVersions, page by page. */
  listVersionsAll(data: Data<"/v2/workflow/definitions/versions/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/workflow/definitions/versions/list", "items">, void, undefined> {
    return this.caller.walk(opDefinitionsListVersions, { request: "cursor", items: "items", next: "nextCursor" }, data, options);
  }

  /** Store the next version of a definition. */
  async update(data: Data<"/v2/workflow/definitions/update">, options?: CallOptions): Promise<Result<"/v2/workflow/definitions/update">> {
    return this.caller.call(opDefinitionsUpdate, data, options);
  }
}

export class DocumentsOperations {
  constructor(private readonly caller: Caller) {}

  /** Add documents. */
  async add(data: Data<"/v2/organizations/documents/add">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/add">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/documents/add">>(opDocumentsAdd, data, options)).data;
  }

  /** Delete documents with everything in them. */
  async delete(data: Data<"/v2/organizations/documents/delete">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/documents/delete">>(opDocumentsDelete, data, options)).data;
  }

  /** List the documents of an organization, newest first. */
  async get(data: Data<"/v2/organizations/documents/get">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/get">> {
    return this.caller.call(opDocumentsGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/organizations/documents/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/organizations/documents/get", "data">, void, undefined> {
    return this.caller.walk(opDocumentsGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Count the documents of an organization. */
  async getCount(data: Data<"/v2/organizations/documents/count/get">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/count/get">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/documents/count/get">>(opDocumentsGetCount, data, options)).data;
  }

  /** Give a document another id, with all that belongs to it. */
  async migrate(data: Data<"/v2/organizations/documents/migrate">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/migrate">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/documents/migrate">>(opDocumentsMigrate, data, options)).data;
  }

  /** Read how a migration stands. */
  async migrateStatus(data: Data<"/v2/organizations/documents/migrate/status">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/migrate/status">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/documents/migrate/status">>(opDocumentsMigrateStatus, data, options)).data;
  }

  /** Move documents into a folder. */
  async move(data: Data<"/v2/organizations/documents/move">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/move">> {
    return this.caller.call(opDocumentsMove, data, options);
  }

  /** Change documents. */
  async update(data: Data<"/v2/organizations/documents/update">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/update">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/documents/update">>(opDocumentsUpdate, data, options)).data;
  }

  /** Set who may enter documents. */
  async updateAccess(data: Data<"/v2/organizations/documents/access/update">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/access/update">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/documents/access/update">>(opDocumentsUpdateAccess, data, options)).data;
  }

  /** Switch access to documents off or on. */
  async updateAccessDisableState(data: Data<"/v2/organizations/documents/access/disablestate/update">, options?: CallOptions): Promise<Result<"/v2/organizations/documents/access/disablestate/update">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/documents/access/disablestate/update">>(opDocumentsUpdateAccessDisableState, data, options)).data;
  }
}

export class DomainsOperations {
  constructor(private readonly caller: Caller) {}

  /** Let pages of domains call with the calling key. */
  async add(data: Data<"/v2/workspace/domains/add">, options?: CallOptions): Promise<Result<"/v2/workspace/domains/add">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/domains/add">>(opDomainsAdd, data, options)).data;
  }

  /** Let pages of domains no longer call with the calling key. */
  async delete(data: Data<"/v2/workspace/domains/delete">, options?: CallOptions): Promise<Result<"/v2/workspace/domains/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/domains/delete">>(opDomainsDelete, data, options)).data;
  }

  /** List the domains whose pages may call with the calling key. */
  async get(data: Data<"/v2/workspace/domains/get">, options?: CallOptions): Promise<Result<"/v2/workspace/domains/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/domains/get">>(opDomainsGet, data, options)).data;
  }
}

export class EndpointsOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a webhook endpoint. */
  async create(data: Data<"/v2/workspace/advancedwebhook/endpoints/create">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/create">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/create">>(opEndpointsCreate, data, options)).data;
  }

  /** Delete an endpoint. */
  async delete(data: Data<"/v2/workspace/advancedwebhook/endpoints/delete">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/delete">>(opEndpointsDelete, data, options)).data;
  }

  /** List the endpoints, newest first. */
  async get(data: Data<"/v2/workspace/advancedwebhook/endpoints/get">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/get">>(opEndpointsGet, data, options)).data;
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/workspace/advancedwebhook/endpoints/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/workspace/advancedwebhook/endpoints/get", "data.endpoints">, void, undefined> {
    return this.caller.walk(opEndpointsGet, { request: "iterator", items: "data.endpoints", next: "data.iterator", done: "data.done" }, data, options);
  }

  /** Read how a recovery stands. */
  async getRecover(data: Data<"/v2/workspace/advancedwebhook/endpoints/recover/get">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/recover/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/recover/get">>(opEndpointsGetRecover, data, options)).data;
  }

  /** Read the secret that signs what an endpoint is told. */
  async getSecret(data: Data<"/v2/workspace/advancedwebhook/endpoints/secret/get">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/secret/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/secret/get">>(opEndpointsGetSecret, data, options)).data;
  }

  /** Send an endpoint what it missed. */
  async recover(data: Data<"/v2/workspace/advancedwebhook/endpoints/recover">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/recover">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/recover">>(opEndpointsRecover, data, options)).data;
  }

  /** Give an endpoint a new secret. */
  async rotateSecret(data: Data<"/v2/workspace/advancedwebhook/endpoints/secret/rotate">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/secret/rotate">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/secret/rotate">>(opEndpointsRotateSecret, data, options)).data;
  }

  /** Tell an endpoint the sample of an event. */
  async test(data: Data<"/v2/workspace/advancedwebhook/endpoints/test">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/test">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/test">>(opEndpointsTest, data, options)).data;
  }

  /** Change an endpoint. */
  async update(data: Data<"/v2/workspace/advancedwebhook/endpoints/update">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/endpoints/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/endpoints/update">>(opEndpointsUpdate, data, options)).data;
  }
}

export class EventTypesOperations {
  constructor(private readonly caller: Caller) {}

  /** List the types of events. */
  async get(data: Data<"/v2/workspace/advancedwebhook/eventtypes/get">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/eventtypes/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/eventtypes/get">>(opEventTypesGet, data, options)).data;
  }
}

export class ExecutionsOperations {
  constructor(private readonly caller: Caller) {}

  /** End an execution. */
  async cancel(data: Data<"/v2/workflow/executions/cancel">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/cancel">> {
    return this.caller.call(opExecutionsCancel, data, options);
  }

  /** Delete executions that have ended. */
  async delete(data: Data<"/v2/workflow/executions/delete">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/delete">> {
    return this.caller.call(opExecutionsDelete, data, options);
  }

  /** Start an execution. */
  async dispatch(data: Data<"/v2/workflow/executions/dispatch">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/dispatch">> {
    return this.caller.call(opExecutionsDispatch, data, options);
  }

  /** Read an execution with its steps. */
  async get(data: Data<"/v2/workflow/executions/get">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/get">> {
    return this.caller.call(opExecutionsGet, data, options);
  }

  /** List what an execution's receiver was sent, newest first. */
  async getDeliveries(data: Data<"/v2/workflow/executions/getDeliveries">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/getDeliveries">> {
    return this.caller.call(opExecutionsGetDeliveries, data, options);
  }

  /** Walks over all items of getDeliveries, page by page. */
  getDeliveriesAll(data: Data<"/v2/workflow/executions/getDeliveries">, options?: CallOptions): AsyncGenerator<Item<"/v2/workflow/executions/getDeliveries", "items">, void, undefined> {
    return this.caller.walk(opExecutionsGetDeliveries, { request: "cursor", items: "items", next: "nextCursor" }, data, options);
  }

  /** Read the events of an execution. */
  async getEvents(data: Data<"/v2/workflow/executions/getEvents">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/getEvents">> {
    return this.caller.call(opExecutionsGetEvents, data, options);
  }

  /** Walks over all items of getEvents, page by page. */
  getEventsAll(data: Data<"/v2/workflow/executions/getEvents">, options?: CallOptions): AsyncGenerator<Item<"/v2/workflow/executions/getEvents", "events">, void, undefined> {
    return this.caller.walk(opExecutionsGetEvents, { request: "sinceSeq", items: "events", next: "nextCursor" }, data, options);
  }

  /** List executions, newest first. */
  async list(data: Data<"/v2/workflow/executions/list">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/list">> {
    return this.caller.call(opExecutionsList, data, options);
  }

  /** Walks over all items of list, page by page. */
  listAll(data: Data<"/v2/workflow/executions/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/workflow/executions/list", "items">, void, undefined> {
    return this.caller.walk(opExecutionsList, { request: "cursor", items: "items", next: "nextCursor" }, data, options);
  }

  /** Keep an execution from going on. */
  async pause(data: Data<"/v2/workflow/executions/pause">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/pause">> {
    return this.caller.call(opExecutionsPause, data, options);
  }

  /** Send events again. */
  async redeliver(data: Data<"/v2/workflow/executions/redeliver">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/redeliver">> {
    return this.caller.call(opExecutionsRedeliver, data, options);
  }

  /** Let a paused execution go on. */
  async resume(data: Data<"/v2/workflow/executions/resume">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/resume">> {
    return this.caller.call(opExecutionsResume, data, options);
  }

  /** Try a failed execution again. */
  async retry(data: Data<"/v2/workflow/executions/retry">, options?: CallOptions): Promise<Result<"/v2/workflow/executions/retry">> {
    return this.caller.call(opExecutionsRetry, data, options);
  }
}

export class FoldersOperations {
  constructor(private readonly caller: Caller) {}

  /** Add folders to an organization. */
  async add(data: Data<"/v2/organizations/folders/add">, options?: CallOptions): Promise<Result<"/v2/organizations/folders/add">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/folders/add">>(opFoldersAdd, data, options)).data;
  }

  /** Delete a folder with all that stands in it. */
  async delete(data: Data<"/v2/organizations/folders/delete">, options?: CallOptions): Promise<Result<"/v2/organizations/folders/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/folders/delete">>(opFoldersDelete, data, options)).data;
  }

  /** Read folders with what stands in them, newest first. */
  async get(data: Data<"/v2/organizations/folders/get">, options?: CallOptions): Promise<Result<"/v2/organizations/folders/get">> {
    return this.caller.call(opFoldersGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/organizations/folders/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/organizations/folders/get", "data">, void, undefined> {
    return this.caller.walk(opFoldersGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Rename and move folders. */
  async update(data: Data<"/v2/organizations/folders/update">, options?: CallOptions): Promise<Result<"/v2/organizations/folders/update">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/folders/update">>(opFoldersUpdate, data, options)).data;
  }

  /** Set who may enter folders. */
  async updateAccess(data: Data<"/v2/organizations/folders/access/update">, options?: CallOptions): Promise<Result<"/v2/organizations/folders/access/update">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/folders/access/update">>(opFoldersUpdateAccess, data, options)).data;
  }
}

export class JobsOperations {
  constructor(private readonly caller: Caller) {}

  /** List the jobs of the workspace, newest first. */
  async list(data: Data<"/v2/workspace/jobs/list">, options?: CallOptions): Promise<Result<"/v2/workspace/jobs/list">> {
    return this.caller.call(opJobsList, data, options);
  }

  /** Walks over all items of list, page by page. */
  listAll(data: Data<"/v2/workspace/jobs/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/workspace/jobs/list", "data.items">, void, undefined> {
    return this.caller.walk(opJobsList, { request: "pageToken", items: "data.items", next: "nextPageToken" }, data, options);
  }
}

export class JudgmentsOperations {
  constructor(private readonly caller: Caller) {}

  /** Delete judgments; the acts behind them stay. */
  async delete(data: Data<"/v2/memory/judgments/delete">, options?: CallOptions): Promise<Result<"/v2/memory/judgments/delete">> {
    return this.caller.call(opJudgmentsDelete, data, options);
  }

  /** List judgments by what is known about them. */
  async query(data: Data<"/v2/memory/judgments/query">, options?: CallOptions): Promise<Result<"/v2/memory/judgments/query">> {
    return this.caller.call(opJudgmentsQuery, data, options);
  }

  /** Walks over all items of query, page by page. */
  queryAll(data: Data<"/v2/memory/judgments/query">, options?: CallOptions): AsyncGenerator<Item<"/v2/memory/judgments/query", "results">, void, undefined> {
    return this.caller.walk(opJudgmentsQuery, { request: "cursor", items: "results", next: "nextCursor" }, data, options);
  }

  /** Record judgments that were made elsewhere. */
  async record(data: Data<"/v2/memory/judgments/record">, options?: CallOptions): Promise<Result<"/v2/memory/judgments/record">> {
    return this.caller.call(opJudgmentsRecord, data, options);
  }
}

export class KnowledgeOperations {
  constructor(private readonly caller: Caller) {}

  /** Delete a source with all that was made of it. */
  async delete(data: Data<"/v2/memory/knowledge/delete">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/delete">> {
    return this.caller.call(opKnowledgeDelete, data, options);
  }

  /** Read the text of a source. */
  async download(data: Data<"/v2/memory/knowledge/download">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/download">> {
    return this.caller.call(opKnowledgeDownload, data, options);
  }

  /** Bring a file in as a source of knowledge. */
  async ingest(data: Data<"/v2/memory/knowledge/ingest">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/ingest">> {
    return this.caller.call(opKnowledgeIngest, data, options);
  }

  /** Tell how the ingestion of a source goes. */
  async ingestStatus(data: Data<"/v2/memory/knowledge/ingest-status">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/ingest-status">> {
    return this.caller.call(opKnowledgeIngestStatus, data, options);
  }

  /** List the sources of knowledge. */
  async list(data: Data<"/v2/memory/knowledge/list">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/list">> {
    return this.caller.call(opKnowledgeList, data, options);
  }

  /** Walks over all items of list, page by page. */
  listAll(data: Data<"/v2/memory/knowledge/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/memory/knowledge/list", "items">, void, undefined> {
    return this.caller.walk(opKnowledgeList, { request: "cursor", items: "items", next: "nextCursor" }, data, options);
  }

  /** Bring a source in again that failed. */
  async retry(data: Data<"/v2/memory/knowledge/retry">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/retry">> {
    return this.caller.call(opKnowledgeRetry, data, options);
  }

  /** List the rules of a source. */
  async rules(data: Data<"/v2/memory/knowledge/rules">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/rules">> {
    return this.caller.call(opKnowledgeRules, data, options);
  }

  /** Find chunks and rules by meaning, with hybrid also by words. */
  async search(data: Data<"/v2/memory/knowledge/search">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/search">> {
    return this.caller.call(opKnowledgeSearch, data, options);
  }

  /** Replace the content of a source, and see which rules changed. */
  async update(data: Data<"/v2/memory/knowledge/update">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/update">> {
    return this.caller.call(opKnowledgeUpdate, data, options);
  }

  /** Mint an address for uploading a file. */
  async uploadUrl(data: Data<"/v2/memory/knowledge/upload-url">, options?: CallOptions): Promise<Result<"/v2/memory/knowledge/upload-url">> {
    return this.caller.call(opKnowledgeUploadURL, data, options);
  }
}

export class MemoryOperations {
  constructor(private readonly caller: Caller) {}

  /** Answer a question with sentences of judgments and knowledge. */
  async ask(data: Data<"/v2/memory/ask">, options?: CallOptions): Promise<Result<"/v2/memory/ask">> {
    return this.caller.call(opMemoryAsk, data, options);
  }

  /** Find judgments: a thread, the newest of some days, or by meaning. */
  async search(data: Data<"/v2/memory/search">, options?: CallOptions): Promise<Result<"/v2/memory/search">> {
    return this.caller.call(opMemorySearch, data, options);
  }

  /** Advise how to decide, by what was decided about things like it. */
  async suggest(data: Data<"/v2/memory/suggest">, options?: CallOptions): Promise<Result<"/v2/memory/suggest">> {
    return this.caller.call(opMemorySuggest, data, options);
  }
}

export class MessagesOperations {
  constructor(private readonly caller: Caller) {}

  /** List messages, newest first. */
  async get(data: Data<"/v2/workspace/advancedwebhook/messages/get">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/messages/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/messages/get">>(opMessagesGet, data, options)).data;
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/workspace/advancedwebhook/messages/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/workspace/advancedwebhook/messages/get", "data.messages">, void, undefined> {
    return this.caller.walk(opMessagesGet, { request: "iterator", items: "data.messages", next: "data.iterator", done: "data.done" }, data, options);
  }

  /** Send an endpoint a message again. */
  async resend(data: Data<"/v2/workspace/advancedwebhook/messages/resend">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhook/messages/resend">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhook/messages/resend">>(opMessagesResend, data, options)).data;
  }
}

export class NotificationsOperations {
  constructor(private readonly caller: Caller) {}

  /** Notify users of something that is about no comment. */
  async add(data: Data<"/v2/notifications/add">, options?: CallOptions): Promise<Result<"/v2/notifications/add">["data"]> {
    return (await this.caller.call<Result<"/v2/notifications/add">>(opNotificationsAdd, data, options)).data;
  }

  /** Delete notifications, or the entries of a user. */
  async delete(data: Data<"/v2/notifications/delete">, options?: CallOptions): Promise<Result<"/v2/notifications/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/notifications/delete">>(opNotificationsDelete, data, options)).data;
  }

  /** List notifications, newest first. */
  async get(data: Data<"/v2/notifications/get">, options?: CallOptions): Promise<Result<"/v2/notifications/get">> {
    return this.caller.call(opNotificationsGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/notifications/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/notifications/get", "data">, void, undefined> {
    return this.caller.walk(opNotificationsGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Read what a user wants to be told of. */
  async getConfig(data: Data<"/v2/notifications/config/get">, options?: CallOptions): Promise<Result<"/v2/notifications/config/get">["data"]> {
    return (await this.caller.call<Result<"/v2/notifications/config/get">>(opNotificationsGetConfig, data, options)).data;
  }

  /** Set what users want to be told of. */
  async setConfig(data: Data<"/v2/notifications/config/set">, options?: CallOptions): Promise<Result<"/v2/notifications/config/set">["data"]> {
    return (await this.caller.call<Result<"/v2/notifications/config/set">>(opNotificationsSetConfig, data, options)).data;
  }

  /** Mark notifications as read, and change what a caller says in those that it added. */
  async update(data: Data<"/v2/notifications/update">, options?: CallOptions): Promise<Result<"/v2/notifications/update">> {
    return this.caller.call(opNotificationsUpdate, data, options);
  }
}

export class OrganizationsOperations {
  constructor(private readonly caller: Caller) {}

  /** Add organizations. */
  async add(data: Data<"/v2/organizations/add">, options?: CallOptions): Promise<Result<"/v2/organizations/add">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/add">>(opOrganizationsAdd, data, options)).data;
  }

  /** Delete organizations with everything in them. */
  async delete(data: Data<"/v2/organizations/delete">, options?: CallOptions): Promise<Result<"/v2/organizations/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/delete">>(opOrganizationsDelete, data, options)).data;
  }

  /** List the organizations, newest first. */
  async get(data: Data<"/v2/organizations/get">, options?: CallOptions): Promise<Result<"/v2/organizations/get">> {
    return this.caller.call(opOrganizationsGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/organizations/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/organizations/get", "data">, void, undefined> {
    return this.caller.walk(opOrganizationsGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Change organizations. */
  async update(data: Data<"/v2/organizations/update">, options?: CallOptions): Promise<Result<"/v2/organizations/update">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/update">>(opOrganizationsUpdate, data, options)).data;
  }

  /** Switch access to organizations off or on. */
  async updateAccessDisableState(data: Data<"/v2/organizations/access/disablestate/update">, options?: CallOptions): Promise<Result<"/v2/organizations/access/disablestate/update">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/access/disablestate/update">>(opOrganizationsUpdateAccessDisableState, data, options)).data;
  }
}

export class OwnerOperations {
  constructor(private readonly caller: Caller) {}

  /** Read whether the owner has confirmed the e-mail address. */
  async get(data: Data<"/v2/workspace/owner/get">, options?: CallOptions): Promise<Result<"/v2/workspace/owner/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/owner/get">>(opOwnerGet, data, options)).data;
  }

  /** Send the owner a mail that asks to confirm the e-mail address. */
  async sendConfirmation(data: Data<"/v2/workspace/owner/send-confirmation">, options?: CallOptions): Promise<Result<"/v2/workspace/owner/send-confirmation">> {
    return this.caller.call(opOwnerSendConfirmation, data, options);
  }
}

export class PatternsOperations {
  constructor(private readonly caller: Caller) {}

  /** List what reviewers usually decide. */
  async get(data: Data<"/v2/memory/patterns/get">, options?: CallOptions): Promise<Result<"/v2/memory/patterns/get">> {
    return this.caller.call(opPatternsGet, data, options);
  }
}

export class PermissionsOperations {
  constructor(private readonly caller: Caller) {}

  /** Grant a user organizations, folders and documents. */
  async add(data: Data<"/v2/auth/permissions/add">, options?: CallOptions): Promise<Result<"/v2/auth/permissions/add">> {
    return this.caller.call(opPermissionsAdd, data, options);
  }

  /** Read what users may do. */
  async get(data: Data<"/v2/auth/permissions/get">, options?: CallOptions): Promise<Result<"/v2/auth/permissions/get">["data"]> {
    return (await this.caller.call<Result<"/v2/auth/permissions/get">>(opPermissionsGet, data, options)).data;
  }

  /** Take grants from a user. */
  async remove(data: Data<"/v2/auth/permissions/remove">, options?: CallOptions): Promise<Result<"/v2/auth/permissions/remove">> {
    return this.caller.call(opPermissionsRemove, data, options);
  }
}

export class ProfilesOperations {
  constructor(private readonly caller: Caller) {}

  /** Read what a user's judgments say about them. */
  async get(data: Data<"/v2/memory/profiles/get">, options?: CallOptions): Promise<Result<"/v2/memory/profiles/get">> {
    return this.caller.call(opProfilesGet, data, options);
  }
}

export class StatsOperations {
  constructor(private readonly caller: Caller) {}

  /** Count what the workspace remembers. */
  async get(data: Data<"/v2/memory/stats/get">, options?: CallOptions): Promise<Result<"/v2/memory/stats/get">> {
    return this.caller.call(opStatsGet, data, options);
  }
}

export class StepsOperations {
  constructor(private readonly caller: Caller) {}

  /** End a step without going on from it. */
  async cancel(data: Data<"/v2/workflow/steps/cancel">, options?: CallOptions): Promise<Result<"/v2/workflow/steps/cancel">> {
    return this.caller.call(opStepsCancel, data, options);
  }

  /** List steps: the inbox of a person. */
  async list(data: Data<"/v2/workflow/steps/list">, options?: CallOptions): Promise<Result<"/v2/workflow/steps/list">> {
    return this.caller.call(opStepsList, data, options);
  }

  /** Walks over all items of list, page by page. */
  listAll(data: Data<"/v2/workflow/steps/list">, options?: CallOptions): AsyncGenerator<Item<"/v2/workflow/steps/list", "items">, void, undefined> {
    return this.caller.walk(opStepsList, { request: "cursor", items: "items", next: "nextCursor" }, data, options);
  }

  /** Put a person in the place of a reviewer. */
  async reassign(data: Data<"/v2/workflow/steps/reassign">, options?: CallOptions): Promise<Result<"/v2/workflow/steps/reassign">> {
    return this.caller.call(opStepsReassign, data, options);
  }

  /** Record what became of an agent's step. */
  async recordAgentResolution(data: Data<"/v2/workflow/steps/recordAgentResolution">, options?: CallOptions): Promise<Result<"/v2/workflow/steps/recordAgentResolution">> {
    return this.caller.call(opStepsRecordAgentResolution, data, options);
  }

  /** Record what a reviewer decided. */
  async recordReviewerDecision(data: Data<"/v2/workflow/steps/recordReviewerDecision">, options?: CallOptions): Promise<Result<"/v2/workflow/steps/recordReviewerDecision">> {
    return this.caller.call(opStepsRecordReviewerDecision, data, options);
  }

  /** End a step by hand. */
  async resolve(data: Data<"/v2/workflow/steps/resolve">, options?: CallOptions): Promise<Result<"/v2/workflow/steps/resolve">> {
    return this.caller.call(opStepsResolve, data, options);
  }
}

export class UsageOperations {
  constructor(private readonly caller: Caller) {}

  /** Read what the workspace keeps and has, and what it may. */
  async get(data: Data<"/v2/workspace/usage/get">, options?: CallOptions): Promise<Result<"/v2/workspace/usage/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/usage/get">>(opUsageGet, data, options)).data;
  }
}

export class UserGroupsOperations {
  constructor(private readonly caller: Caller) {}

  /** Add user groups to an organization, or rename them. */
  async add(data: Data<"/v2/organizations/usergroups/add">, options?: CallOptions): Promise<Result<"/v2/organizations/usergroups/add">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/usergroups/add">>(opUserGroupsAdd, data, options)).data;
  }

  /** Add members of the organization to a user group. */
  async addUsers(data: Data<"/v2/organizations/usergroups/users/add">, options?: CallOptions): Promise<Result<"/v2/organizations/usergroups/users/add">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/usergroups/users/add">>(opUserGroupsAddUsers, data, options)).data;
  }

  /** Delete user groups, not the users. */
  async delete(data: Data<"/v2/organizations/usergroups/delete">, options?: CallOptions): Promise<Result<"/v2/organizations/usergroups/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/usergroups/delete">>(opUserGroupsDelete, data, options)).data;
  }

  /** Take users out of a user group. */
  async deleteUsers(data: Data<"/v2/organizations/usergroups/users/delete">, options?: CallOptions): Promise<Result<"/v2/organizations/usergroups/users/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/organizations/usergroups/users/delete">>(opUserGroupsDeleteUsers, data, options)).data;
  }

  /** List the user groups of an organization, newest first. */
  async get(data: Data<"/v2/organizations/usergroups/get">, options?: CallOptions): Promise<Result<"/v2/organizations/usergroups/get">> {
    return this.caller.call(opUserGroupsGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/organizations/usergroups/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/organizations/usergroups/get", "data">, void, undefined> {
    return this.caller.walk(opUserGroupsGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }
}

export class UsersOperations {
  constructor(private readonly caller: Caller) {}

  /** Add users to an organization, a folder or a document. */
  async add(data: Data<"/v2/users/add">, options?: CallOptions): Promise<Result<"/v2/users/add">["data"]> {
    return (await this.caller.call<Result<"/v2/users/add">>(opUsersAdd, data, options)).data;
  }

  /** Invite somebody by e-mail into an organization, a folder or a document. */
  async addInvite(data: Data<"/v2/users/invite/add">, options?: CallOptions): Promise<Result<"/v2/users/invite/add">["data"]> {
    return (await this.caller.call<Result<"/v2/users/invite/add">>(opUsersAddInvite, data, options)).data;
  }

  /** Read how an erasure stands. */
  async dataDeleteStatus(data: Data<"/v2/users/data/delete/status">, options?: CallOptions): Promise<Result<"/v2/users/data/delete/status">["data"]> {
    return (await this.caller.call<Result<"/v2/users/data/delete/status">>(opUsersDataDeleteStatus, data, options)).data;
  }

  /** Write what is kept of a person into a file. */
  async dataExport(data: Data<"/v2/users/data/export">, options?: CallOptions): Promise<Result<"/v2/users/data/export">["data"]> {
    return (await this.caller.call<Result<"/v2/users/data/export">>(opUsersDataExport, data, options)).data;
  }

  /** Read how an export stands, and where its file is. */
  async dataExportStatus(data: Data<"/v2/users/data/export/status">, options?: CallOptions): Promise<Result<"/v2/users/data/export/status">["data"]> {
    return (await this.caller.call<Result<"/v2/users/data/export/status">>(opUsersDataExportStatus, data, options)).data;
  }

  /** Remove users from an organization, a folder or a document. */
  async delete(data: Data<"/v2/users/delete">, options?: CallOptions): Promise<Result<"/v2/users/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/users/delete">>(opUsersDelete, data, options)).data;
  }

  /** Forget people, everywhere or in some organizations. */
  async deleteData(data: Data<"/v2/users/data/delete">, options?: CallOptions): Promise<Result<"/v2/users/data/delete">["data"]> {
    return (await this.caller.call<Result<"/v2/users/data/delete">>(opUsersDeleteData, data, options)).data;
  }

  /** List the users of an organization, a folder, a document or of all documents, newest first. */
  async get(data: Data<"/v2/users/get">, options?: CallOptions): Promise<Result<"/v2/users/get">> {
    return this.caller.call(opUsersGet, data, options);
  }

  /** Walks over all items of get, page by page. */
  getAll(data: Data<"/v2/users/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/users/get", "data">, void, undefined> {
    return this.caller.walk(opUsersGet, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Count the users of an organization, of a document or of all documents. */
  async getCount(data: Data<"/v2/users/count/get">, options?: CallOptions): Promise<Result<"/v2/users/count/get">["data"]> {
    return (await this.caller.call<Result<"/v2/users/count/get">>(opUsersGetCount, data, options)).data;
  }

  /** Read what is kept of a person, page by page. */
  async getData(data: Data<"/v2/users/data/get">, options?: CallOptions): Promise<Result<"/v2/users/data/get">> {
    return this.caller.call(opUsersGetData, data, options);
  }

  /** List who was added to documents, with these, newest first. */
  async getDoc(data: Data<"/v2/users/doc/get">, options?: CallOptions): Promise<Result<"/v2/users/doc/get">> {
    return this.caller.call(opUsersGetDoc, data, options);
  }

  /** Walks over all items of getDoc, page by page. */
  getDocAll(data: Data<"/v2/users/doc/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/users/doc/get", "data">, void, undefined> {
    return this.caller.walk(opUsersGetDoc, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** List the invitations of one e-mail, newest first. */
  async getInvitations(data: Data<"/v2/users/invitations/get">, options?: CallOptions): Promise<Result<"/v2/users/invitations/get">> {
    return this.caller.call(opUsersGetInvitations, data, options);
  }

  /** Walks over all items of getInvitations, page by page. */
  getInvitationsAll(data: Data<"/v2/users/invitations/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/users/invitations/get", "data">, void, undefined> {
    return this.caller.walk(opUsersGetInvitations, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** List the invitations of an organization, newest first. */
  async getInvite(data: Data<"/v2/users/invite/get">, options?: CallOptions): Promise<Result<"/v2/users/invite/get">> {
    return this.caller.call(opUsersGetInvite, data, options);
  }

  /** Walks over all items of getInvite, page by page. */
  getInviteAll(data: Data<"/v2/users/invite/get">, options?: CallOptions): AsyncGenerator<Item<"/v2/users/invite/get", "data">, void, undefined> {
    return this.caller.walk(opUsersGetInvite, { request: "pageToken", items: "data", next: "nextPageToken" }, data, options);
  }

  /** Count the pending invitations of a kind. */
  async invitePendingCount(data: Data<"/v2/users/invite/pending/count">, options?: CallOptions): Promise<Result<"/v2/users/invite/pending/count">["data"]> {
    return (await this.caller.call<Result<"/v2/users/invite/pending/count">>(opUsersInvitePendingCount, data, options)).data;
  }

  /** Accept, reject or withdraw an invitation. */
  async inviteRespond(data: Data<"/v2/users/invite/respond">, options?: CallOptions): Promise<Result<"/v2/users/invite/respond">["data"]> {
    return (await this.caller.call<Result<"/v2/users/invite/respond">>(opUsersInviteRespond, data, options)).data;
  }

  /** Change users. */
  async update(data: Data<"/v2/users/update">, options?: CallOptions): Promise<Result<"/v2/users/update">["data"]> {
    return (await this.caller.call<Result<"/v2/users/update">>(opUsersUpdate, data, options)).data;
  }
}

export class WorkspaceOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a workspace. */
  async create(data: Data<"/v2/workspace/create">, options?: CallOptions): Promise<Result<"/v2/workspace/create">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/create">>(opWorkspaceCreate, data, options)).data;
  }

  /** Confirm the sender of mails with the code that was sent to it. */
  async emailConfigConfirm(data: Data<"/v2/workspace/emailconfig/confirm">, options?: CallOptions): Promise<Result<"/v2/workspace/emailconfig/confirm">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/emailconfig/confirm">>(opWorkspaceEmailConfigConfirm, data, options)).data;
  }

  /** Read the workspace with its token and keys. */
  async get(data: Data<"/v2/workspace/get">, options?: CallOptions): Promise<Result<"/v2/workspace/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/get">>(opWorkspaceGet, data, options)).data;
  }

  /** Read what is set for activities. */
  async getActivityConfig(data: Data<"/v2/workspace/activityconfig/get">, options?: CallOptions): Promise<Result<"/v2/workspace/activityconfig/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/activityconfig/get">>(opWorkspaceGetActivityConfig, data, options)).data;
  }

  /** Read what is set for all endpoints. */
  async getAdvancedWebhookConfig(data: Data<"/v2/workspace/advancedwebhookconfig/get">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhookconfig/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhookconfig/get">>(opWorkspaceGetAdvancedWebhookConfig, data, options)).data;
  }

  /** Read the settings of the workspace. */
  async getApiKeyConfig(data: Data<"/v2/workspace/apikeyconfig/get">, options?: CallOptions): Promise<Result<"/v2/workspace/apikeyconfig/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/apikeyconfig/get">>(opWorkspaceGetAPIKeyConfig, data, options)).data;
  }

  /** Read how the workspace sends mails. */
  async getEmailConfig(data: Data<"/v2/workspace/emailconfig/get">, options?: CallOptions): Promise<Result<"/v2/workspace/emailconfig/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/emailconfig/get">>(opWorkspaceGetEmailConfig, data, options)).data;
  }

  /** Read what is set for notifications. */
  async getNotificationConfig(data: Data<"/v2/workspace/notificationconfig/get">, options?: CallOptions): Promise<Result<"/v2/workspace/notificationconfig/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/notificationconfig/get">>(opWorkspaceGetNotificationConfig, data, options)).data;
  }

  /** Read which permission provider is asked. */
  async getPermissionProviderConfig(data: Data<"/v2/workspace/permissionproviderconfig/get">, options?: CallOptions): Promise<Result<"/v2/workspace/permissionproviderconfig/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/permissionproviderconfig/get">>(opWorkspaceGetPermissionProviderConfig, data, options)).data;
  }

  /** Read the simple receiver of what happens to comments. */
  async getWebhookConfig(data: Data<"/v2/workspace/webhookconfig/get">, options?: CallOptions): Promise<Result<"/v2/workspace/webhookconfig/get">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/webhookconfig/get">>(opWorkspaceGetWebhookConfig, data, options)).data;
  }

  /** Change what is set for activities. */
  async updateActivityConfig(data: Data<"/v2/workspace/activityconfig/update">, options?: CallOptions): Promise<Result<"/v2/workspace/activityconfig/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/activityconfig/update">>(opWorkspaceUpdateActivityConfig, data, options)).data;
  }

  /** Switch webhooks on or off, and change what is set for all endpoints. */
  async updateAdvancedWebhookConfig(data: Data<"/v2/workspace/advancedwebhookconfig/update">, options?: CallOptions): Promise<Result<"/v2/workspace/advancedwebhookconfig/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/advancedwebhookconfig/update">>(opWorkspaceUpdateAdvancedWebhookConfig, data, options)).data;
  }

  /** Change the settings of the workspace. */
  async updateApiKeyConfig(data: Data<"/v2/workspace/apikeyconfig/update">, options?: CallOptions): Promise<Result<"/v2/workspace/apikeyconfig/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/apikeyconfig/update">>(opWorkspaceUpdateAPIKeyConfig, data, options)).data;
  }

  /** Change how the workspace sends mails. */
  async updateEmailConfig(data: Data<"/v2/workspace/emailconfig/update">, options?: CallOptions): Promise<Result<"/v2/workspace/emailconfig/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/emailconfig/update">>(opWorkspaceUpdateEmailConfig, data, options)).data;
  }

  /** Change what is set for notifications. */
  async updateNotificationConfig(data: Data<"/v2/workspace/notificationconfig/update">, options?: CallOptions): Promise<Result<"/v2/workspace/notificationconfig/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/notificationconfig/update">>(opWorkspaceUpdateNotificationConfig, data, options)).data;
  }

  /** Change which permission provider is asked. */
  async updatePermissionProviderConfig(data: Data<"/v2/workspace/permissionproviderconfig/update">, options?: CallOptions): Promise<Result<"/v2/workspace/permissionproviderconfig/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/permissionproviderconfig/update">>(opWorkspaceUpdatePermissionProviderConfig, data, options)).data;
  }

  /** Change the simple receiver of what happens to comments. */
  async updateWebhookConfig(data: Data<"/v2/workspace/webhookconfig/update">, options?: CallOptions): Promise<Result<"/v2/workspace/webhookconfig/update">["data"]> {
    return (await this.caller.call<Result<"/v2/workspace/webhookconfig/update">>(opWorkspaceUpdateWebhookConfig, data, options)).data;
  }
}

/** The resources of a client. */
export class Resources {
  readonly activities: ActivitiesOperations;
  readonly agents: AgentsOperations;
  readonly alerts: AlertsOperations;
  readonly annotations: AnnotationsOperations;
  readonly apiKeys: APIKeysOperations;
  readonly attempts: AttemptsOperations;
  readonly auth: AuthOperations;
  readonly authTokens: AuthTokensOperations;
  readonly comments: CommentsOperations;
  readonly consolidation: ConsolidationOperations;
  readonly definitions: DefinitionsOperations;
  readonly documents: DocumentsOperations;
  readonly domains: DomainsOperations;
  readonly endpoints: EndpointsOperations;
  readonly eventTypes: EventTypesOperations;
  readonly executions: ExecutionsOperations;
  readonly folders: FoldersOperations;
  readonly jobs: JobsOperations;
  readonly judgments: JudgmentsOperations;
  readonly knowledge: KnowledgeOperations;
  readonly memory: MemoryOperations;
  readonly messages: MessagesOperations;
  readonly notifications: NotificationsOperations;
  readonly organizations: OrganizationsOperations;
  readonly owner: OwnerOperations;
  readonly patterns: PatternsOperations;
  readonly permissions: PermissionsOperations;
  readonly profiles: ProfilesOperations;
  readonly stats: StatsOperations;
  readonly steps: StepsOperations;
  readonly usage: UsageOperations;
  readonly userGroups: UserGroupsOperations;
  readonly users: UsersOperations;
  readonly workspace: WorkspaceOperations;

  constructor(caller: Caller) {
    this.activities = new ActivitiesOperations(caller);
    this.agents = new AgentsOperations(caller);
    this.alerts = new AlertsOperations(caller);
    this.annotations = new AnnotationsOperations(caller);
    this.apiKeys = new APIKeysOperations(caller);
    this.attempts = new AttemptsOperations(caller);
    this.auth = new AuthOperations(caller);
    this.authTokens = new AuthTokensOperations(caller);
    this.comments = new CommentsOperations(caller);
    this.consolidation = new ConsolidationOperations(caller);
    this.definitions = new DefinitionsOperations(caller);
    this.documents = new DocumentsOperations(caller);
    this.domains = new DomainsOperations(caller);
    this.endpoints = new EndpointsOperations(caller);
    this.eventTypes = new EventTypesOperations(caller);
    this.executions = new ExecutionsOperations(caller);
    this.folders = new FoldersOperations(caller);
    this.jobs = new JobsOperations(caller);
    this.judgments = new JudgmentsOperations(caller);
    this.knowledge = new KnowledgeOperations(caller);
    this.memory = new MemoryOperations(caller);
    this.messages = new MessagesOperations(caller);
    this.notifications = new NotificationsOperations(caller);
    this.organizations = new OrganizationsOperations(caller);
    this.owner = new OwnerOperations(caller);
    this.patterns = new PatternsOperations(caller);
    this.permissions = new PermissionsOperations(caller);
    this.profiles = new ProfilesOperations(caller);
    this.stats = new StatsOperations(caller);
    this.steps = new StepsOperations(caller);
    this.usage = new UsageOperations(caller);
    this.userGroups = new UserGroupsOperations(caller);
    this.users = new UsersOperations(caller);
    this.workspace = new WorkspaceOperations(caller);
  }
}
