-- Executions with their steps, reviewers and events: the busiest tables, so what
-- they check and index at every write is kept cheap. A condition of a table is read
-- from its text by every statement that writes, a domain's is kept ready by its
-- connection, so sets of words are domains. What is written together under the lock
-- of a row has no condition, and what is written under the lock of its execution and
-- never removed no reference to it.
--
-- While a table is empty, every index that begins with the workspace looks as good
-- for a look-up by key as the key itself, and of equals the youngest is taken;
-- connections then keep a plan that reads all of a workspace. So keys are made last
-- here, and the one of executions that does not identify them begins with another
-- column.

-- +goose Up

CREATE DOMAIN execution_status AS text CHECK (VALUE IN ('pending', 'running', 'completed', 'failed', 'cancelled'));
CREATE DOMAIN key_space AS text CHECK (VALUE IN ('caller', 'trigger', 'schedule'));
CREATE DOMAIN step_status AS text
    CHECK (VALUE IN ('pending', 'running', 'waiting', 'completed', 'failed', 'breached', 'cancelled', 'skipped'));
CREATE DOMAIN node_type AS text CHECK (VALUE IN ('human', 'agent', 'webhook', 'notification'));
CREATE DOMAIN review_decision AS text CHECK (VALUE IN ('', 'approve', 'reject'));

-- Ids begin with the time of the start, so the key has executions in the order of
-- a list.
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
    -- the sampled trace of the call that dispatched it (W3C traceparent)
    trace_parent         text,
    -- a run was asked of the engine once; later wakes are pokes
    run_started          boolean     NOT NULL DEFAULT false,
    -- the plan that the engine is still owed, and when it shall hear of it
    poke_due             bigint,
    poke_at              timestamptz,
    -- the earliest time at which a live step wants the engine
    drive_due            timestamptz
) WITH (fillfactor = 70);

-- An expression keeps this index from look-ups by key: while a table has no
-- statistics, a scan of all executions of a definition looks as cheap as the
-- one row of a unique key.
CREATE INDEX executions_by_definition ON executions (workspace_id, (definition_id || ''), started_at DESC, id DESC);
CREATE INDEX executions_by_correlation ON executions (workspace_id, correlation_id, started_at DESC, id DESC);
CREATE INDEX executions_owed ON executions (poke_at) WHERE poke_at IS NOT NULL;
CREATE INDEX executions_driven ON executions (drive_due) WHERE drive_due IS NOT NULL;
CREATE INDEX executions_by_status ON executions (workspace_id, status, started_at DESC, id DESC);
ALTER TABLE executions ADD PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX executions_key ON executions (idempotency_key, definition_id, workspace_id, key_space);

-- A step's id is the hash of its node, iteration and attempt, so its key is unique
-- in them.
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
    loop_entry     boolean NOT NULL DEFAULT false,
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
    held_until     timestamptz,
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
    -- of a webhook step that was called back: what its receiver said
    callback       json
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX steps_order ON steps (workspace_id, execution_id, ordinal);
CREATE INDEX steps_by_definition ON steps (workspace_id, definition_id, created_at DESC, execution_id DESC, ordinal DESC);
CREATE INDEX steps_by_organization ON steps (workspace_id, organization_key, created_at DESC, execution_id DESC, ordinal DESC) WHERE organization_key IS NOT NULL;
CREATE INDEX steps_by_document ON steps (workspace_id, document_key, created_at DESC, execution_id DESC, ordinal DESC) WHERE document_key IS NOT NULL;
CREATE INDEX steps_calling ON steps (workspace_id, held_until) WHERE held_until IS NOT NULL;
CREATE INDEX steps_queued ON steps (workspace_id, queued_at) WHERE queued_at IS NOT NULL;
CREATE INDEX steps_newest ON steps (workspace_id, status, created_at DESC, execution_id DESC, ordinal DESC);
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

CREATE INDEX step_reviewers_inbox ON step_reviewers (workspace_id, user_id, step_created DESC, execution_id DESC, step_ordinal DESC) WHERE open;

-- Tokens by which a step is answered from outside, found by their SHA-256: each is made
-- with a key of the service from the step that it opens, and brought by every call of it.
CREATE TABLE callback_tokens (
    token_hash   bytea PRIMARY KEY,
    workspace_id text NOT NULL,
    execution_id text NOT NULL,
    step_id      text NOT NULL
);

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

-- +goose Down
DROP TABLE events;
DROP TABLE callback_tokens;
DROP TABLE step_reviewers;
DROP TABLE steps;
DROP TABLE executions;
DROP DOMAIN review_decision;
DROP DOMAIN node_type;
DROP DOMAIN step_status;
DROP DOMAIN key_space;
DROP DOMAIN execution_status;
