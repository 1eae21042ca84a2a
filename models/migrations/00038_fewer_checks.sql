-- What every dispatch and every decision checks beyond need. A condition of a
-- table is read from its text by each statement that writes, a reference is one
-- more statement for each row.

-- +goose Up

-- One statement writes poke_due with poke_at, one receiver_url with
-- receiver_secret, each under the lock of the row.
ALTER TABLE executions DROP CONSTRAINT executions_check, DROP CONSTRAINT executions_check1;

-- Whoever stores a judgment takes judge_type from whether there is an agent.
CREATE DOMAIN share AS double precision CHECK (VALUE BETWEEN 0 AND 1);
ALTER TABLE judgments
    DROP CONSTRAINT judgments_confidence_check, DROP CONSTRAINT judgments_check, ALTER COLUMN confidence TYPE share;

-- Steps and their reviewers are written under the lock of their execution, as
-- events are, and none of them is ever removed.
ALTER TABLE step_reviewers DROP CONSTRAINT step_reviewers_workspace_id_execution_id_step_id_fkey;
ALTER TABLE steps DROP CONSTRAINT steps_workspace_id_execution_id_fkey;

-- +goose Down

ALTER TABLE steps ADD FOREIGN KEY (workspace_id, execution_id) REFERENCES executions (workspace_id, id) ON DELETE CASCADE;
ALTER TABLE step_reviewers
    ADD FOREIGN KEY (workspace_id, execution_id, step_id) REFERENCES steps (workspace_id, execution_id, id) ON DELETE CASCADE;
ALTER TABLE judgments
    ALTER COLUMN confidence TYPE double precision, ADD CONSTRAINT judgments_confidence_check CHECK (confidence BETWEEN 0 AND 1),
    ADD CONSTRAINT judgments_check CHECK ((judge_type = 'agent') = (agent IS NOT NULL));
DROP DOMAIN share;
ALTER TABLE executions
    ADD CONSTRAINT executions_check CHECK ((poke_due IS NULL) = (poke_at IS NULL)),
    ADD CONSTRAINT executions_check1 CHECK ((receiver_url IS NULL) = (receiver_secret IS NULL));
