-- What is handed out of people, and people who are forgotten.

-- A file with all that is kept of a person in an organization. While it is open, the same request has the same job. The
-- file is there where blob_key says so, since ready_at.
CREATE TABLE exports (
    id               text PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    user_id          text NOT NULL COLLATE "C",
    open             boolean NOT NULL DEFAULT true,
    comments         bigint NOT NULL DEFAULT 0,
    notifications    bigint NOT NULL DEFAULT 0,
    activities       bigint NOT NULL DEFAULT 0,
    grants           bigint NOT NULL DEFAULT 0,
    blob_key         text,
    file_size        bigint NOT NULL DEFAULT 0,
    ready_at         timestamptz,
    CHECK (blob_key IS NULL OR ready_at IS NOT NULL)
);
CREATE UNIQUE INDEX exports_open ON exports (organization_key, user_id) WHERE open; -- export, asked again
CREATE INDEX exports_of_user ON exports (organization_key, user_id); -- what goes with an organization; erasure
CREATE INDEX exports_ready ON exports (ready_at) WHERE blob_key IS NOT NULL; -- age

-- A file that its row does not name any more is nobody's, whatever took the row: it goes with those that nobody claimed in time.
CREATE FUNCTION abandon_export() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unclaimed_files (workspace_id, blob_key, since) VALUES (OLD.workspace_id, OLD.blob_key, 'epoch')
    ON CONFLICT (workspace_id, blob_key) DO UPDATE SET since = 'epoch';
    RETURN NULL;
END $$;
CREATE TRIGGER abandon_removed AFTER DELETE ON exports FOR EACH ROW WHEN (OLD.blob_key IS NOT NULL) EXECUTE FUNCTION abandon_export();
CREATE TRIGGER abandon_expired AFTER UPDATE OF blob_key ON exports FOR EACH ROW WHEN (OLD.blob_key IS NOT NULL AND NEW.blob_key IS NULL)
    EXECUTE FUNCTION abandon_export();

-- People who are being forgotten. fingerprint names the request: while it is open, the same one has the same job. Users are
-- replaced by pseudonym. organizations has the keys of those in which it happens, subjects those of the same ones as
-- executions and judgments know them; NULL for all. Of tasks_count tasks, each about one table, tasks_left are to be done;
-- the first of them has looked at the rows up to walked.
CREATE TABLE erasures (
    id            text PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    workspace_id  text NOT NULL,
    fingerprint   bytea,
    pseudonym     text NOT NULL,
    organizations bigint[],
    subjects      bigint[],
    tasks_count   integer NOT NULL,
    tasks_left    integer NOT NULL CHECK (tasks_left BETWEEN 0 AND tasks_count),
    walked        text[],
    last_task_at  timestamptz,
    CHECK ((organizations IS NULL) = (subjects IS NULL))
);
CREATE UNIQUE INDEX erasures_open ON erasures (workspace_id, fingerprint) WHERE fingerprint IS NOT NULL; -- users/data/delete, asked again

-- Whom an erasure forgets: the ids, names, addresses and pictures by which they are known. These rows go with the
-- erasure's last task.
CREATE TABLE erased_marks (
    erasure_id   text NOT NULL REFERENCES erasures (id) ON DELETE CASCADE,
    workspace_id text NOT NULL,
    n            integer NOT NULL,
    is_id        boolean NOT NULL,
    mark         text NOT NULL,
    PRIMARY KEY (erasure_id, n)
);

-- Whether a text, which may be JSON, may have one of the marks of people. Escapes of JSON that are everywhere (< > & and the slash) are
-- undone, once (OFFSET 0); behind any other one by number there may be a mark, and so behind any at all where a mark is never written without.
CREATE FUNCTION may_name(said text, marks text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN said IS NULL THEN false WHEN position('\' in said) = 0 THEN EXISTS (SELECT FROM unnest(marks) m WHERE position(m in said) > 0)
    ELSE (SELECT position('\u' in t) > 0 OR EXISTS (SELECT FROM unnest(marks) m WHERE position(m in t) > 0 OR m ~ '["\\[:cntrl:]]')
          FROM (SELECT replace(replace(replace(replace(said, '\u003c', '<'), '\u003e', '>'), '\u0026', '&'), '\/', '/') AS t OFFSET 0) undone) END $$;
