-- Generations of the index of knowledge: which collections searches read, and
-- of which versions all objects are in which of them.

-- +goose Up

-- suffix ends the names of the generation's collections; identity and probe tell
-- its model, model is the name under which its vectors are kept.
CREATE TABLE index_generations (
    id         text PRIMARY KEY,
    suffix     text NOT NULL UNIQUE,
    state      text NOT NULL CHECK (state IN ('building', 'serving', 'retired')),
    identity   text NOT NULL,
    probe      bytea NOT NULL,
    model      text NOT NULL,
    retired_at timestamptz
);
CREATE UNIQUE INDEX index_generations_one ON index_generations (state) WHERE state <> 'retired';

-- A version of which the generation holds all objects.
CREATE TABLE index_copies (
    workspace_id  text NOT NULL,
    source_id     text NOT NULL,
    version       integer NOT NULL,
    generation_id text NOT NULL REFERENCES index_generations (id) ON DELETE CASCADE,
    PRIMARY KEY (workspace_id, source_id, version, generation_id),
    FOREIGN KEY (workspace_id, source_id, version) REFERENCES source_versions (workspace_id, source_id, version) ON DELETE CASCADE
);
CREATE INDEX index_copies_of_generation ON index_copies (generation_id);

INSERT INTO index_generations (id, suffix, state, identity, probe, model) SELECT 'gen_first', '', 'serving', identity, probe, identity FROM index_model;
INSERT INTO index_copies SELECT v.workspace_id, v.source_id, v.version, g.id
FROM source_versions v, index_generations g WHERE v.state = 'live' OR v.state = 'staging' AND v.done = 5;
DROP TABLE index_model;

-- +goose Down

CREATE TABLE index_model (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    identity text NOT NULL,
    probe    bytea NOT NULL
);
INSERT INTO index_model (identity, probe) SELECT identity, probe FROM index_generations WHERE state = 'serving';
DROP TABLE index_copies;
DROP TABLE index_generations;
