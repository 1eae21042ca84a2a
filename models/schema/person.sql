-- What is handed out of people.

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
    ready_at         timestamptz,
    CHECK (blob_key IS NULL OR ready_at IS NOT NULL)
);
CREATE UNIQUE INDEX exports_open ON exports (organization_key, user_id) WHERE open; -- export, asked again
CREATE INDEX exports_of_user ON exports (organization_key, user_id); -- what goes with an organization; erasure
CREATE INDEX exports_ready ON exports (ready_at) WHERE blob_key IS NOT NULL; -- age

-- A file that its row does not name any more is nobody's, whatever took the row.
CREATE FUNCTION abandon_export() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unclaimed_files (workspace_id, blob_key, since) VALUES (OLD.workspace_id, OLD.blob_key, '-infinity') ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER abandon_removed AFTER DELETE ON exports FOR EACH ROW WHEN (OLD.blob_key IS NOT NULL) EXECUTE FUNCTION abandon_export();
CREATE TRIGGER abandon_expired AFTER UPDATE OF blob_key ON exports FOR EACH ROW WHEN (OLD.blob_key IS NOT NULL AND NEW.blob_key IS NULL)
    EXECUTE FUNCTION abandon_export();
