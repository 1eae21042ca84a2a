-- What executions, definitions, sources and judgments say of organizations and documents. Callers name these by ids
-- of their own, and the things need not exist. Each id has a row here, and whatever is about it holds the row's key,
-- so that a document gets another id, or is gone, by a change of a few rows here. The other tables have no foreign
-- key to it: the check would lock the row of an organization at every write in it, and one row would be locked by
-- all writers at once.

-- parent_key is NULL for an organization, else the key of the document's one; a document that was named without an
-- organization stands below the one whose id is empty. current says that the id means this row: of all rows of an id
-- one at most is current. It ends when the subject is removed, or when another document comes to this id; both are
-- then found under it. A removed row stays, for executions that are read with its id. judgments_gone and
-- sources_gone say that nothing of a removed subject is left to be removed.
CREATE TABLE subjects (
    key            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id   text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    parent_key     bigint,
    id             text NOT NULL COLLATE "C",
    current        boolean NOT NULL DEFAULT true,
    removed_at     timestamptz,
    judgments_gone boolean NOT NULL DEFAULT false,
    sources_gone   boolean NOT NULL DEFAULT false,
    CHECK (removed_at IS NULL OR NOT current)
);
-- Partial, so that a change of the id is none of a key, and waits for nobody who holds the row by its key.
CREATE UNIQUE INDEX subjects_organization ON subjects (workspace_id, id) WHERE parent_key IS NULL AND current;
CREATE UNIQUE INDEX subjects_document ON subjects (parent_key, id) WHERE parent_key IS NOT NULL AND current;
CREATE INDEX subjects_of_id ON subjects (workspace_id, id, parent_key); -- lists: an organization's rows, a document's in any or in one
CREATE INDEX subjects_judged ON subjects (workspace_id, key) WHERE removed_at IS NOT NULL AND NOT judgments_gone; -- of what judgments may be left
CREATE INDEX subjects_sourced ON subjects (workspace_id, key) WHERE removed_at IS NOT NULL AND NOT sources_gone; -- of what sources may be left

-- The key of the current row of an id, which is made if there is none. Of two transactions that make it the second
-- waits for the end of the first. No row that was there is locked. Plans are kept, and shall not be those of an
-- empty table.
CREATE FUNCTION subject_key(workspace text, parent bigint, callers_id text) RETURNS bigint
    LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    DECLARE
        known bigint;
    BEGIN
        LOOP
            IF parent IS NULL THEN
                SELECT s.key INTO known FROM subjects s
                WHERE s.workspace_id = workspace AND s.parent_key IS NULL AND s.id = callers_id AND s.current;
            ELSE
                SELECT s.key INTO known FROM subjects s WHERE s.parent_key = parent AND s.id = callers_id AND s.current;
            END IF;
            EXIT WHEN known IS NOT NULL;
            INSERT INTO subjects (workspace_id, parent_key, id) VALUES (workspace, parent, callers_id)
            ON CONFLICT DO NOTHING RETURNING key INTO known;
            EXIT WHEN known IS NOT NULL;
        END LOOP;
        RETURN known;
    END $$;

-- The keys of an organization and a document in it; NULL for an id that is NULL.
CREATE FUNCTION open_subjects(workspace text, organization text, document text, OUT organization_key bigint, OUT document_key bigint)
    LANGUAGE plpgsql
    AS $$
    BEGIN
        IF organization IS NOT NULL THEN
            organization_key := subject_key(workspace, NULL, organization);
        END IF;
        IF document IS NOT NULL THEN
            document_key := subject_key(workspace, coalesce(organization_key, subject_key(workspace, NULL, '')), document);
        END IF;
    END $$;

-- Gives a document another id. The document's row is made where there is none, so that somebody who is making it at
-- this moment is waited for and goes along. What stands under the new id already stays there, and is not current any
-- more.
CREATE FUNCTION rename_subject(workspace text, organization text, document text, new_document text) RETURNS void
    LANGUAGE plpgsql SET enable_seqscan = off
    AS $$
    DECLARE
        parent bigint := subject_key(workspace, NULL, organization);
    BEGIN
        PERFORM subject_key(workspace, parent, document);
        LOOP
            UPDATE subjects s SET current = false WHERE s.parent_key = parent AND s.id = new_document AND s.current;
            BEGIN
                UPDATE subjects s SET id = new_document
                WHERE s.workspace_id = workspace AND s.id = document AND s.parent_key = parent AND s.removed_at IS NULL;
                RETURN;
            EXCEPTION WHEN unique_violation THEN
                NULL; -- somebody has just made the new id: that row gives way as well
            END;
        END LOOP;
    END $$;

-- Marks organizations (parent is NULL) or documents of one as removed. What is not there is made first: whoever
-- would make it at this moment waits, and finds it removed.
CREATE FUNCTION remove_subjects(workspace text, parent bigint, ids text[]) RETURNS void
    LANGUAGE plpgsql SET enable_seqscan = off
    AS $$
    BEGIN
        INSERT INTO subjects (workspace_id, parent_key, id)
        SELECT workspace, parent, w.id FROM unnest(ids) AS w (id) ORDER BY w.id COLLATE "C" ON CONFLICT DO NOTHING;
        UPDATE subjects s SET current = false, removed_at = clock_timestamp()
        WHERE s.key = ANY (ARRAY(
            SELECT g.key FROM subjects g
            WHERE g.workspace_id = workspace AND g.id = ANY (ids) AND g.parent_key IS NOT DISTINCT FROM parent AND g.removed_at IS NULL
            ORDER BY g.key FOR NO KEY UPDATE));
    END $$;

-- Users who left an organization, with what they judged in it until then: it is hidden at once and removed later.
-- through is the number up to which their rows are hidden: those of what they judge when they are back are higher.
-- since is when they left last.
CREATE TABLE former_members (
    organization_key bigint NOT NULL,
    user_id          text NOT NULL COLLATE "C",
    workspace_id     text NOT NULL,
    through          bigint NOT NULL,
    since            timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_key, user_id)
);
CREATE INDEX former_members_of_workspace ON former_members (workspace_id, organization_key, user_id); -- hidden judgments; their removal
