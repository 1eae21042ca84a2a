-- What the busiest tables check and index at every write, at less cost. A
-- condition of a table is read from its text by every statement that writes, a
-- domain's is kept ready by its connection: the sets of words below took more of
-- the time of an insert than all of its indexes.

-- +goose Up

CREATE DOMAIN execution_status AS text CHECK (VALUE IN ('pending', 'running', 'completed', 'failed', 'cancelled'));
CREATE DOMAIN key_space AS text CHECK (VALUE IN ('caller', 'trigger', 'schedule'));
CREATE DOMAIN step_status AS text
    CHECK (VALUE IN ('pending', 'running', 'waiting', 'completed', 'failed', 'breached', 'cancelled', 'skipped'));
CREATE DOMAIN node_type AS text CHECK (VALUE IN ('human', 'agent', 'webhook', 'notification'));
CREATE DOMAIN review_decision AS text CHECK (VALUE IN ('', 'approve', 'reject'));
CREATE DOMAIN judgment_origin AS text CHECK (VALUE IN ('step', 'comment'));
CREATE DOMAIN judge_type AS text CHECK (VALUE IN ('human', 'agent'));
CREATE DOMAIN delivery_state AS text CHECK (VALUE IN ('pending', 'sending', 'delivered', 'dead', 'refused'));

ALTER TABLE executions
    DROP CONSTRAINT executions_status_check, DROP CONSTRAINT executions_key_space_check,
    ALTER COLUMN status TYPE execution_status, ALTER COLUMN key_space TYPE key_space;
ALTER TABLE steps
    DROP CONSTRAINT steps_status_check, DROP CONSTRAINT steps_node_type_check, DROP CONSTRAINT steps_decision_check,
    ALTER COLUMN status TYPE step_status, ALTER COLUMN node_type TYPE node_type, ALTER COLUMN decision TYPE review_decision;
ALTER TABLE step_reviewers DROP CONSTRAINT step_reviewers_decision_check, ALTER COLUMN decision TYPE review_decision;
ALTER TABLE judgments
    DROP CONSTRAINT judgments_origin_check, DROP CONSTRAINT judgments_judge_type_check,
    ALTER COLUMN origin TYPE judgment_origin, ALTER COLUMN judge_type TYPE judge_type;
ALTER TABLE deliveries
    DROP CONSTRAINT deliveries_state_check, DROP CONSTRAINT deliveries_check1, ALTER COLUMN state TYPE delivery_state,
    ADD CONSTRAINT deliveries_due CHECK ((due_at IS NOT NULL) = (state = 'pending' OR state = 'sending'));

-- A step's id is the hash of its node, iteration and attempt, so its key is
-- unique in them; the events of an execution are mostly external, so its key
-- finds them as well.
DROP INDEX steps_once;
DROP INDEX events_external;

-- While a table is empty, every index that begins with the workspace looks as
-- good for a look-up by key as the key itself, and of equals the youngest is
-- taken; connections then keep a plan that reads all of a workspace. So the keys
-- are made last here, and the one of executions that does not identify them
-- begins with another column.
ALTER TABLE steps DROP CONSTRAINT steps_workspace_id_execution_id_fkey;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_workspace_id_execution_id_fkey;
ALTER TABLE step_reviewers DROP CONSTRAINT step_reviewers_workspace_id_execution_id_step_id_fkey;
ALTER TABLE executions DROP CONSTRAINT executions_pkey, ADD PRIMARY KEY (workspace_id, id);
ALTER TABLE steps DROP CONSTRAINT steps_pkey, ADD PRIMARY KEY (workspace_id, execution_id, id);
ALTER TABLE steps ADD FOREIGN KEY (workspace_id, execution_id) REFERENCES executions (workspace_id, id) ON DELETE CASCADE;
ALTER TABLE deliveries ADD FOREIGN KEY (workspace_id, execution_id) REFERENCES executions (workspace_id, id) ON DELETE CASCADE;
ALTER TABLE step_reviewers
    ADD FOREIGN KEY (workspace_id, execution_id, step_id) REFERENCES steps (workspace_id, execution_id, id) ON DELETE CASCADE;
DROP INDEX executions_key;
CREATE UNIQUE INDEX executions_key ON executions (idempotency_key, definition_id, workspace_id, key_space);

-- +goose Down

DROP INDEX executions_key;
CREATE UNIQUE INDEX executions_key ON executions (workspace_id, definition_id, key_space, idempotency_key);

CREATE INDEX events_external ON events (workspace_id, execution_id, seq) WHERE NOT internal;
CREATE UNIQUE INDEX steps_once ON steps (workspace_id, execution_id, node_id, iteration, attempt);

ALTER TABLE deliveries
    DROP CONSTRAINT deliveries_due, ALTER COLUMN state TYPE text,
    ADD CONSTRAINT deliveries_state_check CHECK (state IN ('pending', 'sending', 'delivered', 'dead', 'refused')),
    ADD CONSTRAINT deliveries_check1 CHECK ((due_at IS NULL) = (state IN ('delivered', 'dead', 'refused')));
ALTER TABLE judgments
    ALTER COLUMN origin TYPE text, ALTER COLUMN judge_type TYPE text,
    ADD CONSTRAINT judgments_origin_check CHECK (origin IN ('step', 'comment')),
    ADD CONSTRAINT judgments_judge_type_check CHECK (judge_type IN ('human', 'agent'));
ALTER TABLE step_reviewers
    ALTER COLUMN decision TYPE text, ADD CONSTRAINT step_reviewers_decision_check CHECK (decision IN ('', 'approve', 'reject'));
ALTER TABLE steps
    ALTER COLUMN status TYPE text, ALTER COLUMN node_type TYPE text, ALTER COLUMN decision TYPE text,
    ADD CONSTRAINT steps_status_check
        CHECK (status IN ('pending', 'running', 'waiting', 'completed', 'failed', 'breached', 'cancelled', 'skipped')),
    ADD CONSTRAINT steps_node_type_check CHECK (node_type IN ('human', 'agent', 'webhook', 'notification')),
    ADD CONSTRAINT steps_decision_check CHECK (decision IN ('', 'approve', 'reject'));
ALTER TABLE executions
    ALTER COLUMN status TYPE text, ALTER COLUMN key_space TYPE text,
    ADD CONSTRAINT executions_status_check CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
    ADD CONSTRAINT executions_key_space_check CHECK (key_space IN ('caller', 'trigger', 'schedule'));

DROP DOMAIN delivery_state;
DROP DOMAIN judge_type;
DROP DOMAIN judgment_origin;
DROP DOMAIN review_decision;
DROP DOMAIN node_type;
DROP DOMAIN step_status;
DROP DOMAIN key_space;
DROP DOMAIN execution_status;
