-- Mails that steps of executions send by themselves.

-- +goose Up

-- A recipient of a step, by the position in its node. relayed says that the recipient
-- was counted among those of the operator's relay; class is what became of the mail,
-- once no later try of the step has to send it.
CREATE TABLE step_mails (
    workspace_id text NOT NULL,
    execution_id text NOT NULL,
    step_id      text NOT NULL,
    position     integer NOT NULL,
    relayed      boolean NOT NULL DEFAULT false,
    class        text,
    settled_at   timestamptz,
    PRIMARY KEY (workspace_id, execution_id, step_id, position),
    CHECK ((class IS NULL) = (settled_at IS NULL))
);

-- +goose Down

DROP TABLE step_mails;
