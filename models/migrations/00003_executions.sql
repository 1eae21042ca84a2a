-- +goose Up
CREATE TABLE executions (
    id                   text        NOT NULL,
    workspace_id         text        NOT NULL,
    definition_id        text        NOT NULL,
    definition_version   integer     NOT NULL,
    -- the immutable snapshot; it may be purged while the execution stays
    version_ref          text        NOT NULL,
    definition_name      text        NOT NULL,
    key_space            text        NOT NULL CHECK (key_space IN ('caller', 'trigger', 'schedule')),
    idempotency_key      text        NOT NULL,
    correlation_id       text        NOT NULL,
    status               text        NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
    attempt              integer     NOT NULL DEFAULT 1,
    organization_id      text,
    document_id          text,
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
    drive_due            timestamptz,
    PRIMARY KEY (workspace_id, id),
    CHECK ((poke_due IS NULL) = (poke_at IS NULL)),
    CHECK ((receiver_url IS NULL) = (receiver_secret IS NULL))
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX executions_key ON executions (workspace_id, definition_id, key_space, idempotency_key);
CREATE INDEX executions_newest ON executions (workspace_id, started_at DESC, id DESC);
-- An expression keeps this index from look-ups by key: while a table has no
-- statistics, a scan of all executions of a definition looks as cheap as the
-- one row of a unique key.
CREATE INDEX executions_by_definition ON executions (workspace_id, (definition_id || ''), started_at DESC, id DESC);
CREATE INDEX executions_by_correlation ON executions (workspace_id, correlation_id, started_at DESC, id DESC);
CREATE INDEX executions_by_status ON executions (workspace_id, status, started_at DESC, id DESC);
CREATE INDEX executions_owed ON executions (poke_at) WHERE poke_at IS NOT NULL;
CREATE INDEX executions_driven ON executions (drive_due) WHERE drive_due IS NOT NULL;

CREATE TABLE steps (
    workspace_id   text        NOT NULL,
    execution_id   text        NOT NULL,
    id             text        NOT NULL,
    node_id        text        NOT NULL,
    node_type      text        NOT NULL CHECK (node_type IN ('human', 'agent', 'webhook', 'notification')),
    node_name      text        NOT NULL,
    group_id       text,
    loop_id        text,
    iteration      integer     NOT NULL,
    attempt        integer     NOT NULL,
    -- order of creation inside the execution
    ordinal        integer     NOT NULL,
    status         text        NOT NULL CHECK (status IN ('pending', 'running', 'waiting', 'completed', 'failed', 'breached', 'cancelled', 'skipped')),
    decision       text        NOT NULL DEFAULT '' CHECK (decision IN ('', 'approve', 'reject')),
    -- what ended the step: its reviewers, its call, an operator, the execution
    ended_by       text        NOT NULL DEFAULT '',
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
    organization_id text,
    document_id     text,
    definition_id   text       NOT NULL,
    PRIMARY KEY (workspace_id, execution_id, id),
    FOREIGN KEY (workspace_id, execution_id) REFERENCES executions (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX steps_once ON steps (workspace_id, execution_id, node_id, iteration, attempt);
CREATE UNIQUE INDEX steps_order ON steps (workspace_id, execution_id, ordinal);
CREATE INDEX steps_newest ON steps (workspace_id, status, created_at DESC, execution_id DESC, ordinal DESC);
CREATE INDEX steps_by_definition ON steps (workspace_id, definition_id, created_at DESC, execution_id DESC, ordinal DESC);
CREATE INDEX steps_by_organization ON steps (workspace_id, organization_id, created_at DESC, execution_id DESC, ordinal DESC) WHERE organization_id IS NOT NULL;
CREATE INDEX steps_by_document ON steps (workspace_id, document_id, created_at DESC, execution_id DESC, ordinal DESC) WHERE document_id IS NOT NULL;
CREATE INDEX steps_calling ON steps (workspace_id, held_until) WHERE held_until IS NOT NULL;
CREATE INDEX steps_queued ON steps (workspace_id, queued_at) WHERE queued_at IS NOT NULL;

CREATE TABLE step_reviewers (
    workspace_id text        NOT NULL,
    execution_id text        NOT NULL,
    step_id      text        NOT NULL,
    user_id      text        NOT NULL,
    position     integer     NOT NULL,
    mandatory    boolean     NOT NULL,
    decision     text        NOT NULL DEFAULT '' CHECK (decision IN ('', 'approve', 'reject')),
    reason       text,
    decided_at   timestamptz,
    -- the step is open for this person: listed, not decided, still waiting
    open         boolean     NOT NULL,
    step_created timestamptz NOT NULL,
    step_ordinal integer     NOT NULL,
    PRIMARY KEY (workspace_id, execution_id, step_id, user_id),
    FOREIGN KEY (workspace_id, execution_id, step_id) REFERENCES steps (workspace_id, execution_id, id) ON DELETE CASCADE
);

CREATE INDEX step_reviewers_inbox ON step_reviewers (workspace_id, user_id, step_created DESC, execution_id DESC, step_ordinal DESC) WHERE open;

-- no foreign key: every event is written under its execution's lock, and the
-- check would cost more than the row
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

CREATE INDEX events_external ON events (workspace_id, execution_id, seq) WHERE NOT internal;

-- +goose Down
DROP TABLE events;
DROP TABLE step_reviewers;
DROP TABLE steps;
DROP TABLE executions;
