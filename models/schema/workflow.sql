-- Definitions with their versions and triggers, agents, and executions with their steps, reviewers and events.
--
-- Executions are the busiest tables, so what they check and index at every write is kept cheap. A condition of a
-- table is read from its text by every statement that writes, a domain's is kept ready by its connection, so sets of
-- words are domains. What is written together under the lock of a row has no condition, and what is written under
-- the lock of its execution and never removed no reference to it.
--
-- While a table is empty, every index that begins with the workspace looks as good for a look-up by key as the key
-- itself, and of equals the youngest is taken; connections then keep a plan that reads all of a workspace. So keys
-- are made last here, and the one of executions that does not identify them begins with another column.

CREATE DOMAIN execution_status AS text CHECK (VALUE IN ('pending', 'running', 'completed', 'failed', 'cancelled'));
CREATE DOMAIN key_space AS text CHECK (VALUE IN ('caller', 'trigger', 'schedule'));
CREATE DOMAIN step_status AS text
    CHECK (VALUE IN ('pending', 'running', 'waiting', 'completed', 'failed', 'breached', 'cancelled', 'skipped'));
CREATE DOMAIN node_type AS text CHECK (VALUE IN ('human', 'agent', 'webhook', 'notification'));
CREATE DOMAIN review_decision AS text CHECK (VALUE IN ('', 'approve', 'reject'));

-- The row of a definition is what dispatch, update and delete lock. It holds what lists filter and sort by;
-- everything else is in its current version. Its scope is by keys of subjects, so that it shows the id which a
-- document has now.
CREATE TABLE definitions (
    workspace_id     text        NOT NULL,
    definition_id    text        NOT NULL,
    status           text        NOT NULL CHECK (status IN ('active', 'tombstoned')),
    version          integer     NOT NULL CHECK (version >= 1),
    version_id       text        NOT NULL,
    organization_key bigint,
    document_key     bigint,
    tags             text[]      NOT NULL DEFAULT '{}',
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    tombstoned_at    timestamptz,
    PRIMARY KEY (workspace_id, definition_id),
    CHECK ((status = 'tombstoned') = (tombstoned_at IS NOT NULL)),
    CHECK (document_key IS NULL OR organization_key IS NOT NULL)
);
CREATE INDEX definitions_newest ON definitions (workspace_id, updated_at DESC, definition_id DESC) WHERE status = 'active'; -- definitions/list
-- definitions/list, organizationId
CREATE INDEX definitions_of_organization ON definitions (workspace_id, organization_key, updated_at DESC, definition_id DESC)
    WHERE status = 'active' AND organization_key IS NOT NULL;
-- definitions/list, documentId
CREATE INDEX definitions_of_document ON definitions (workspace_id, document_key, updated_at DESC, definition_id DESC)
    WHERE status = 'active' AND document_key IS NOT NULL;
CREATE INDEX definitions_tagged ON definitions USING gin (tags) WHERE status = 'active'; -- definitions/list, tag

-- A version never changes after it was written: executions pin it by its id and processes keep it in memory.
-- snapshot and compiled are json, not jsonb: a definition comes back as it was sent, spelling of numbers, order of
-- keys and white space included.
CREATE TABLE definition_versions (
    id                   text        PRIMARY KEY,
    workspace_id         text        NOT NULL,
    definition_id        text        NOT NULL,
    version              integer     NOT NULL CHECK (version >= 1),
    name                 text        NOT NULL CHECK (name <> ''),
    scope_level          text        NOT NULL CHECK (scope_level IN ('apiKey', 'organization', 'document')),
    organization_key     bigint,
    document_key         bigint,
    snapshot             json        NOT NULL,
    compiled             json        NOT NULL,
    -- bytes of snapshot and compiled, which bound the pages of a list
    size                 integer     NOT NULL CHECK (size > 0),
    node_count           integer     NOT NULL CHECK (node_count BETWEEN 1 AND 100),
    edge_count           integer     NOT NULL CHECK (edge_count BETWEEN 0 AND 500),
    receiver_url         text,
    -- sealed at (definition_versions, receiver_secret, id, workspace_id)
    receiver_secret      bytea,
    -- null: every external event
    receiver_event_types text[],
    -- when the definition was created, and when this version was
    defined_at           timestamptz NOT NULL,
    created_at           timestamptz NOT NULL,
    -- also definitions/versions/list, latest first, read backwards
    CONSTRAINT definition_versions_line UNIQUE (workspace_id, definition_id, version),
    CHECK ((receiver_url IS NULL) = (receiver_secret IS NULL)),
    CHECK (receiver_url IS NOT NULL OR receiver_event_types IS NULL),
    CHECK ((scope_level <> 'apiKey') = (organization_key IS NOT NULL)),
    CHECK ((scope_level = 'document') = (document_key IS NOT NULL))
);
CREATE INDEX definition_versions_sealed ON definition_versions (sealed_under(receiver_secret)) WHERE receiver_secret IS NOT NULL; -- values of a key

-- A trigger of the current version of an active definition that starts executions from outside. settings is the
-- trigger as its definition has it, without the secret.
CREATE TABLE inbound_triggers (
    id            text PRIMARY KEY,
    workspace_id  text NOT NULL,
    definition_id text NOT NULL,
    trigger_id    text NOT NULL,
    settings      json NOT NULL,
    -- sealed at (inbound_triggers, secret_sealed, id, workspace_id)
    secret_sealed bytea NOT NULL,
    UNIQUE (workspace_id, definition_id, trigger_id)
);
CREATE INDEX inbound_triggers_sealed ON inbound_triggers (sealed_under(secret_sealed)); -- values of a key

-- Triggers that fire by the clock, as Temporal is to have them: what has changed is queued to be written there. One that
-- was removed is deleted there, and then here. revision counts the changes, so that who has written an older one finds out.
CREATE TABLE schedules (
    workspace_id  text NOT NULL,
    definition_id text NOT NULL,
    trigger_id    text NOT NULL,
    cron          text NOT NULL,
    timezone      text NOT NULL,
    enabled       boolean NOT NULL,
    removed       boolean NOT NULL DEFAULT false,
    revision      bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (workspace_id, definition_id, trigger_id),
    CHECK (NOT (enabled AND removed))
);
CREATE INDEX schedules_enabled ON schedules (workspace_id) WHERE enabled; -- how many a workspace has

-- Agents that steps of executions call, registered by their workspaces.
CREATE TABLE agents (
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    agent_id     text NOT NULL,
    name         text NOT NULL,
    description  text,
    url          text NOT NULL CHECK (url <> ''),
    disabled     boolean NOT NULL,
    -- of its behaviour, which steps that start now go by
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (workspace_id, agent_id)
);
CREATE INDEX agents_newest ON agents (workspace_id, created_at DESC, agent_id DESC); -- agents/list

-- What an agent is told of how it is to work: a version of it never changes.
CREATE TABLE agent_versions (
    workspace_id text NOT NULL,
    agent_id     text NOT NULL,
    version      integer NOT NULL,
    behaviour    json NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (workspace_id, agent_id, version), -- agents/version/list, read backwards
    FOREIGN KEY (workspace_id, agent_id) REFERENCES agents (workspace_id, agent_id) ON DELETE CASCADE
);

-- Secrets of an agent, the newest without an end. id is the place of the sealed value.
CREATE TABLE agent_secrets (
    id            text PRIMARY KEY,
    workspace_id  text NOT NULL,
    agent_id      text NOT NULL,
    secret_sealed bytea NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at    timestamptz,
    FOREIGN KEY (workspace_id, agent_id) REFERENCES agents (workspace_id, agent_id) ON DELETE CASCADE
);
CREATE INDEX agent_secrets_newest ON agent_secrets (workspace_id, agent_id, created_at DESC, id DESC); -- the secrets of an agent
CREATE INDEX agent_secrets_sealed ON agent_secrets (sealed_under(secret_sealed)); -- values of a key

-- Groups of agents, registered and built-in ones, in the order in which they joined.
CREATE TABLE agent_groups (
    id           text PRIMARY KEY,
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name         text NOT NULL,
    description  text,
    agent_ids    text[] NOT NULL CHECK (cardinality(agent_ids) <= 100),
    metadata     json,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX agent_groups_newest ON agent_groups (workspace_id, created_at DESC, id DESC); -- agents/groups/list; those of an agent

-- Ids begin with the time of the start, so the key has executions in the order of a list.
CREATE TABLE executions (
    id                   text        NOT NULL,
    workspace_id         text        NOT NULL,
    definition_id        text        NOT NULL,
    definition_version   integer     NOT NULL,
    -- the immutable snapshot; it may be purged while the execution stays
    version_ref          text        NOT NULL,
    definition_name      text        NOT NULL,
    key_space            key_space   NOT NULL,
    idempotency_key      text        NOT NULL,
    correlation_id       text        NOT NULL,
    status               execution_status NOT NULL,
    attempt              integer     NOT NULL DEFAULT 1,
    -- what it is about, by keys of subjects
    organization_key     bigint,
    document_key         bigint,
    folder_id            text,
    trigger_context      json,
    webhook_auth         bytea,
    receiver_url         text,
    receiver_secret      bytea,
    receiver_event_types text[],
    receiver_destination text,
    receiver_origin      text,
    failure_code         text,
    failure_message      text,
    started_at           timestamptz NOT NULL,
    completed_at         timestamptz,
    cancelled_at         timestamptz,
    paused_at            timestamptz,
    -- what is known of groups: of each its iteration, attempt, and whether it is decided
    group_states         jsonb,
    -- the number of the newest event, and of the newest plan
    seq                  bigint      NOT NULL,
    revision             bigint      NOT NULL,
    step_count           integer     NOT NULL,
    -- the hash of the signature of the request from outside that started it, if one did
    signature_hash       text,
    -- the run that was the last to ask what to drive, NULL while none has: it is signalled
    -- after the outcome of a call that another run made
    run_id               text
) WITH (fillfactor = 70);
-- executions/list, definitionId. An expression keeps it from look-ups by key: while a table has no statistics, a scan of
-- all executions of a definition looks as cheap as the one row of a unique key.
CREATE INDEX executions_by_definition ON executions (workspace_id, (definition_id || ''), started_at DESC, id DESC);
CREATE INDEX executions_by_correlation ON executions (workspace_id, correlation_id, started_at DESC, id DESC); -- executions/list, correlationId
CREATE INDEX executions_by_status ON executions (workspace_id, status, started_at DESC, id DESC); -- executions/list, status
CREATE INDEX executions_receivers_sealed ON executions (sealed_under(receiver_secret)) WHERE receiver_secret IS NOT NULL; -- values of a key
CREATE INDEX executions_auth_sealed ON executions (sealed_under(webhook_auth)) WHERE webhook_auth IS NOT NULL; -- values of a key
-- agents/execution/list, agentId; agents/execution/count
CREATE INDEX executions_of_agent ON executions (workspace_id, version_ref, started_at DESC, id DESC) WHERE definition_id = '__agent';
-- agents/execution/list, documentId
CREATE INDEX executions_of_agents_at ON executions (workspace_id, document_key, started_at DESC, id DESC) WHERE definition_id = '__agent';
ALTER TABLE executions ADD PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX executions_key ON executions (idempotency_key, definition_id, workspace_id, key_space); -- executions/dispatch; executions/list, idempotencyKey
-- a request from outside that was taken before
CREATE UNIQUE INDEX executions_signature ON executions (signature_hash, definition_id, workspace_id) WHERE signature_hash IS NOT NULL;

-- What stays of an execution that was deleted: who answers to its key, and to the signature that started it. purged says
-- that its steps, events and deliveries are gone; nobody finds them before either.
CREATE TABLE deleted_executions (
    workspace_id    text      NOT NULL,
    execution_id    text      NOT NULL,
    definition_id   text      NOT NULL,
    key_space       key_space NOT NULL,
    idempotency_key text      NOT NULL,
    correlation_id  text      NOT NULL,
    signature_hash  text,
    purged          boolean   NOT NULL DEFAULT false,
    PRIMARY KEY (workspace_id, execution_id)
);
CREATE UNIQUE INDEX deleted_executions_key ON deleted_executions (idempotency_key, definition_id, workspace_id, key_space); -- executions/dispatch
CREATE UNIQUE INDEX deleted_executions_signature ON deleted_executions (signature_hash, definition_id, workspace_id)
    WHERE signature_hash IS NOT NULL; -- a request from outside that was taken before
CREATE INDEX deleted_executions_left ON deleted_executions (workspace_id, execution_id) WHERE NOT purged; -- of what rows are left

-- A step's id is the hash of its node, iteration and attempt, so its key is unique in them.
CREATE TABLE steps (
    workspace_id   text        NOT NULL,
    execution_id   text        NOT NULL,
    id             text        NOT NULL,
    node_id        text        NOT NULL,
    node_type      node_type   NOT NULL,
    node_name      text        NOT NULL,
    group_id       text,
    loop_id        text,
    -- an iteration of the loop began with this step
    loop_entry     boolean     NOT NULL DEFAULT false,
    iteration      integer     NOT NULL,
    attempt        integer     NOT NULL,
    -- order of creation inside the execution
    ordinal        integer     NOT NULL,
    status         step_status NOT NULL,
    decision       review_decision NOT NULL DEFAULT '',
    -- what ended the step: its reviewers, its call, an operator, the execution
    ended_by       text        NOT NULL DEFAULT '',
    -- by which act an operator ended the step, and who that was
    end_action     text        NOT NULL DEFAULT '',
    end_actor      text        NOT NULL DEFAULT '',
    -- an edge took the end of this step
    routed         boolean     NOT NULL DEFAULT false,
    input          json,
    output         json,
    error_code     text,
    error_message  text,
    created_at     timestamptz NOT NULL,
    started_at     timestamptz,
    completed_at   timestamptz,
    due_at         timestamptz,
    -- recorded failures, and calls begun (cut-off ones too)
    retries        integer     NOT NULL DEFAULT 0,
    calls          integer     NOT NULL DEFAULT 0,
    locked_until     timestamptz,
    next_try_at    timestamptz,
    -- waits for one of the workspace's places for calls since then
    queued_at      timestamptz,
    -- those of its execution, for lists
    organization_key bigint,
    document_key   bigint,
    definition_id  text        NOT NULL,
    -- of an agent's step: when its time is over, and what the agent said so far
    timeout_at     timestamptz,
    agent          json,
    -- the version of the agent's behaviour at its first call
    agent_version  integer,
    -- of a webhook step that was called back: what its receiver said
    callback       json
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX steps_order ON steps (workspace_id, execution_id, ordinal); -- the steps of an execution
CREATE INDEX steps_by_definition ON steps (workspace_id, definition_id, created_at DESC, execution_id DESC, ordinal DESC); -- steps/list, definitionId
-- steps/list, organizationId
CREATE INDEX steps_by_organization ON steps (workspace_id, organization_key, created_at DESC, execution_id DESC, ordinal DESC)
    WHERE organization_key IS NOT NULL;
-- steps/list, documentId
CREATE INDEX steps_by_document ON steps (workspace_id, document_key, created_at DESC, execution_id DESC, ordinal DESC) WHERE document_key IS NOT NULL;
CREATE INDEX steps_calling ON steps (workspace_id, locked_until) WHERE locked_until IS NOT NULL; -- how many places for calls a workspace has taken
CREATE INDEX steps_queued ON steps (workspace_id, queued_at) WHERE queued_at IS NOT NULL; -- who waits for one
CREATE INDEX steps_newest ON steps (workspace_id, status, created_at DESC, execution_id DESC, ordinal DESC); -- steps/list, status
CREATE INDEX steps_of_agent ON steps (workspace_id, (agent->>'agentId'), started_at) WHERE agent IS NOT NULL; -- agents/analytics/get
ALTER TABLE steps ADD PRIMARY KEY (workspace_id, execution_id, id);

CREATE TABLE step_reviewers (
    workspace_id text        NOT NULL,
    execution_id text        NOT NULL,
    step_id      text        NOT NULL,
    user_id      text        NOT NULL,
    position     integer     NOT NULL,
    mandatory    boolean     NOT NULL,
    decision     review_decision NOT NULL DEFAULT '',
    reason       text,
    decided_at   timestamptz,
    -- whom this person was put in the place of
    replaces     text,
    -- the step is open for this person: listed, not decided, still waiting
    open         boolean     NOT NULL,
    step_created timestamptz NOT NULL,
    step_ordinal integer     NOT NULL,
    PRIMARY KEY (workspace_id, execution_id, step_id, user_id)
);
-- steps/list, reviewerId
CREATE INDEX step_reviewers_inbox ON step_reviewers (workspace_id, user_id, step_created DESC, execution_id DESC, step_ordinal DESC) WHERE open;

-- Tokens by which a step is answered from outside, found by their SHA-256: each is made with a key of the service
-- from the step that it opens, and brought by every call of it.
CREATE TABLE callback_tokens (
    token_hash   bytea PRIMARY KEY,
    workspace_id text NOT NULL,
    execution_id text NOT NULL,
    step_id      text NOT NULL
);
CREATE INDEX callback_tokens_of_execution ON callback_tokens (workspace_id, execution_id); -- what goes with an execution

-- The events of an execution are mostly external, so its key finds those as well.
CREATE TABLE events (
    workspace_id text        NOT NULL,
    execution_id text        NOT NULL,
    seq          bigint      NOT NULL,
    id           text        NOT NULL,
    type         text        NOT NULL,
    internal     boolean     NOT NULL,
    step_id      text,
    status       text,
    at           timestamptz NOT NULL,
    data         json,
    PRIMARY KEY (workspace_id, execution_id, seq)
);
