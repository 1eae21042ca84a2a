-- What workspaces keep, in bytes, and what of it is refused. Every other table is there before, since triggers of theirs
-- count what comes and goes.

-- kind is what the bytes are of: files of sources and exports, rows that callers fill, bodies of messages. Those of messages are of
-- one day (UTC); what has no day has '-infinity'. is_full says that a quota is used up, as of the last look.
CREATE TABLE storage_use (
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind         text NOT NULL CHECK (kind IN ('files', 'rows', 'messages')),
    day          date NOT NULL DEFAULT '-infinity',
    bytes        bigint NOT NULL,
    is_full      boolean NOT NULL DEFAULT false,
    PRIMARY KEY (workspace_id, kind)
);
CREATE INDEX storage_use_largest ON storage_use (kind, bytes DESC); -- who may have used a quota up; the largest of all
CREATE INDEX storage_use_full ON storage_use (workspace_id, kind, day) WHERE is_full; -- who has

-- What was added and, below zero, removed since it was last moved to storage_use. It is unlogged, and so costs a write
-- little: what a crash of Postgres loses of it the nightly count finds.
CREATE UNLOGGED TABLE storage_changes (
    workspace_id text NOT NULL,
    kind         text NOT NULL,
    bytes        bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- When rows and files are counted next, all of them: one row.
CREATE TABLE storage_counts (
    id     integer PRIMARY KEY CHECK (id = 1),
    due_at timestamptz NOT NULL
);
INSERT INTO storage_counts (id, due_at) VALUES (1, '-infinity');

-- A row has the bytes of its columns as they were sent, whatever Postgres saves by compressing them, and 8 for each.
CREATE FUNCTION count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_changes (workspace_id, kind, bytes)
    SELECT r.workspace_id, 'rows', CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END * sum(octet_length(record_send(r)))
    FROM counted r GROUP BY r.workspace_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_changed_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_changes (workspace_id, kind, bytes)
    VALUES (NEW.workspace_id, 'rows', octet_length(record_send(NEW)) - octet_length(record_send(OLD)));
    RETURN NULL;
END $$;

CREATE FUNCTION count_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_changes (workspace_id, kind, bytes)
    SELECT r.workspace_id, 'files', CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END * sum(r.file_size) FROM counted r GROUP BY r.workspace_id;
    RETURN NULL;
END $$;

-- How many bytes of a file an upload keeps: those that nobody has ingested yet.
CREATE FUNCTION uploaded_bytes(u uploads) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN u.state = 'uploaded' AND u.blob_key IS NOT NULL THEN u.file_size ELSE 0 END $$;

CREATE FUNCTION count_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_changes (workspace_id, kind, bytes) VALUES (NEW.workspace_id, 'files', uploaded_bytes(NEW) - uploaded_bytes(OLD));
    RETURN NULL;
END $$;

-- How many bytes of files an export keeps: those of its file, and 1 MiB while it is open, so that not any number of them
-- wait for a file.
CREATE FUNCTION exported_bytes(e exports) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN e.open THEN 1048576 WHEN e.blob_key IS NOT NULL THEN e.file_size ELSE 0 END $$;

CREATE FUNCTION count_export() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_changes (workspace_id, kind, bytes)
    VALUES (coalesce(NEW.workspace_id, OLD.workspace_id), 'files', exported_bytes(NEW) - exported_bytes(OLD));
    RETURN NULL;
END $$;

CREATE FUNCTION count_bodies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_changes (workspace_id, kind, bytes)
    SELECT r.workspace_id, 'messages', sum(octet_length(r.body) + coalesce(octet_length(r.simple), 0)) FROM counted r GROUP BY r.workspace_id;
    RETURN NULL;
END $$;

-- The tables whose rows are counted. A statement that adds or removes rows is counted as a whole, once.
DO $$
DECLARE
    counted text;
BEGIN
    FOREACH counted IN ARRAY '{
        api_keys, auth_tokens, api_key_domains, permission_providers, subjects, former_members,
        organizations, folders, document_rows, profiles, grants, user_groups, user_group_members, invitations,
        annotations, comments, annotation_mentions, read_marks, document_read_marks, deleted_annotations,
        notifications, notification_recipients, notification_preferences, activities,
        definitions, definition_versions, inbound_triggers, schedules, agents, agent_versions, agent_secrets, agent_groups,
        executions, deleted_executions, steps, step_reviewers, callback_tokens, events,
        webhook_settings, endpoints, endpoint_secrets, email_settings, mails, mail_batches, step_mails, activity_settings, notification_settings, messages, deliveries, attempts,
        sources, source_versions, chunks, rules, vectors, uploads, judgments, judgment_vectors, patterns, pattern_scopes, alerts, alert_settings,
        exports, erasures}'::text[]
    LOOP
        EXECUTE format('CREATE TRIGGER count_added AFTER INSERT ON %I REFERENCING NEW TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION count_rows()', counted);
        EXECUTE format('CREATE TRIGGER count_removed AFTER DELETE ON %I REFERENCING OLD TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION count_rows()', counted);
    END LOOP;
END $$;

-- The columns by which a row that is there may grow or shrink. Their sizes are compared as they are stored: a change of
-- anything else costs no more than that.
DO $$
DECLARE
    counted record;
    changed text;
BEGIN
    FOR counted IN SELECT * FROM (VALUES
        ('organizations', '{name,extra}'::text[]), ('folders', '{name}'), ('document_rows', '{name,extra}'), ('profiles', '{name,email,photo_url,extra}'),
        ('annotations', '{location,target,context,priority,assigned,agent,suggestion,kept,visible_to}'),
        ('comments', '{comment_text,comment_html,context,kept,contacts,agent}'),
        ('notifications', '{custom}'), ('activities', '{changes,entity_data,entity_target,template,template_data,message,icon}'),
        ('agents', '{name,description,url}'), ('agent_versions', '{behaviour}'), ('agent_groups', '{name,description,agent_ids}'), ('endpoints', '{url,token_sealed,description,filter_types,channels,metadata}'),
        ('executions', '{failure_message,group_states}'), ('steps', '{input,output,error_message,agent,callback}'), ('step_reviewers', '{reason}'),
        ('mails', '{subject,body_text,body_html}'), ('judgments', '{reasoning,content,agent}'), ('patterns', '{description,members,top}')) AS c (name, columns)
    LOOP
        SELECT string_agg(format('pg_column_size(OLD.%1$I) IS DISTINCT FROM pg_column_size(NEW.%1$I)', c), ' OR ') INTO changed FROM unnest(counted.columns) AS c;
        EXECUTE format('CREATE TRIGGER count_changed AFTER UPDATE ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION count_changed_row()', counted.name, changed);
    END LOOP;
END $$;

CREATE TRIGGER count_files_added AFTER INSERT ON source_versions REFERENCING NEW TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION count_files();
CREATE TRIGGER count_files_removed AFTER DELETE ON source_versions REFERENCING OLD TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION count_files();
CREATE TRIGGER count_upload AFTER UPDATE OF state, blob_key ON uploads FOR EACH ROW EXECUTE FUNCTION count_upload();
CREATE TRIGGER count_export AFTER INSERT OR DELETE OR UPDATE OF open, blob_key ON exports FOR EACH ROW EXECUTE FUNCTION count_export();
CREATE TRIGGER count_bodies AFTER INSERT ON message_bodies REFERENCING NEW TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION count_bodies();
