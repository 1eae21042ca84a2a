-- The run that drives an execution.

-- +goose Up

-- run_id is the run of the engine that was the last to ask what to drive: the outcome
-- of a call that another run made is told to this one by a poke.
ALTER TABLE executions ADD COLUMN run_id text;

-- +goose Down

ALTER TABLE executions DROP COLUMN run_id;
