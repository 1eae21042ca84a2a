-- Workspaces, who owns them and how they are called; limits, the audit trail, the queue, jobs. Sealed columns hold bytes of
-- internal/secret; *_mac columns are keyed hashes for look-ups, hash_key_id the name of the hash key that made them.

-- The oldest schema whose programs this one still serves; a file that takes something away from them replaces it. Read by
-- schema.SchemaReady.
CREATE FUNCTION oldest_schema_served() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 0::bigint $$;

-- The name of the key under which a value is sealed, as bytes; NULL for what is too short to have been sealed. One
-- byte of format, one of length, the name.
CREATE FUNCTION sealed_under(sealed bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN octet_length(sealed) > 1 THEN substring(sealed, 3, get_byte(sealed, 1)) END $$;

-- email_key is the address as ownership compares it: local part NFC and case-folded, domain as lower-case A-label.
CREATE TABLE owners (
    id         text PRIMARY KEY,
    email_key  text NOT NULL CONSTRAINT owners_email_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- owner_email is kept as it was sent. name_key is the name as uniqueness compares it: trimmed, NFC, case-folded.
CREATE TABLE workspaces (
    id           text PRIMARY KEY,
    owner_id     text NOT NULL REFERENCES owners (id),
    name         text NOT NULL CHECK (name <> ''),
    name_key     text NOT NULL,
    owner_email  text NOT NULL,
    owner_name   text NOT NULL,
    owner_avatar text,
    plan         text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'paid')),
    token_mac    bytea NOT NULL CONSTRAINT workspaces_token_mac UNIQUE CHECK (octet_length(token_mac) = 32),
    hash_key_id  text NOT NULL,
    token_sealed bytea NOT NULL,
    -- suspended: its interface is closed; stopped: so is its work; deleted: it is nobody's any more, and a job removes it
    suspended_at timestamptz,
    stopped_at   timestamptz CHECK (stopped_at IS NULL OR suspended_at IS NOT NULL),
    deleted_at   timestamptz CHECK (deleted_at IS NULL OR stopped_at IS NOT NULL),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- when the owner confirmed the address, and when a mail that asks for that was last queued
    confirmed_at         timestamptz,
    confirmation_sent_at timestamptz,
    -- how the people of its organizations are let in, and what they see
    default_access   text NOT NULL DEFAULT 'public' CHECK (default_access IN ('public', 'organizationPrivate', 'restricted')),
    private_comments boolean NOT NULL DEFAULT true,
    auto_members     boolean NOT NULL DEFAULT false,
    advanced_queries boolean NOT NULL DEFAULT true,
    CONSTRAINT workspaces_owner_name UNIQUE (owner_id, name_key)
);
CREATE INDEX workspaces_newest ON workspaces (created_at DESC, id DESC); -- admin workspace list
CREATE INDEX workspaces_stopped ON workspaces (id) WHERE stopped_at IS NOT NULL; -- whose work is not begun
CREATE INDEX workspaces_sealed ON workspaces (sealed_under(token_sealed)); -- values of a key
CREATE INDEX workspaces_hashed ON workspaces (hash_key_id); -- values of a key

CREATE TABLE api_keys (
    id           text PRIMARY KEY,
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name         text NOT NULL CHECK (name <> ''),
    type         text NOT NULL CHECK (type IN ('testing', 'production')),
    owner_email  text NOT NULL,
    disabled_at  timestamptz,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT api_keys_tenant UNIQUE (workspace_id, id)
);
CREATE INDEX api_keys_newest ON api_keys (workspace_id, created_at DESC, id DESC); -- apikeys/get; backwards: apiKeyList of workspace/get

-- A key has no or one live token.
CREATE TABLE auth_tokens (
    api_key_id   text PRIMARY KEY,
    workspace_id text NOT NULL,
    name         text NOT NULL,
    token_mac    bytea NOT NULL CONSTRAINT auth_tokens_token_mac UNIQUE CHECK (octet_length(token_mac) = 32),
    hash_key_id  text NOT NULL,
    token_sealed bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (workspace_id, api_key_id) REFERENCES api_keys (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX auth_tokens_sealed ON auth_tokens (sealed_under(token_sealed)); -- values of a key
CREATE INDEX auth_tokens_hashed ON auth_tokens (hash_key_id); -- values of a key

-- Domains in their normal form; position keeps the order of adding.
CREATE TABLE api_key_domains (
    workspace_id text NOT NULL,
    api_key_id   text NOT NULL,
    domain       text NOT NULL CHECK (domain <> ''),
    position     bigint GENERATED ALWAYS AS IDENTITY,
    added_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (workspace_id, api_key_id, domain),
    FOREIGN KEY (workspace_id, api_key_id) REFERENCES api_keys (workspace_id, id) ON DELETE CASCADE
);

-- A limit that an operator set for one workspace; 0 switches it off.
CREATE TABLE limit_overrides (
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name         text NOT NULL,
    value        bigint NOT NULL CHECK (value >= 0),
    set_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (workspace_id, name)
);

-- The service of a workspace's own that says who may write to documents. No row: never set.
CREATE TABLE permission_providers (
    workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    enabled      boolean NOT NULL DEFAULT false,
    url          text NOT NULL DEFAULT '',
    token_sealed bytea,
    CHECK (NOT enabled OR url <> ''),
    CHECK (token_sealed IS NULL OR url <> '')
);
CREATE INDEX permission_providers_sealed ON permission_providers (sealed_under(token_sealed)) WHERE token_sealed IS NOT NULL; -- values of a key

-- Rows outlive what they tell about, so nothing refers to other tables. An operation on no workspace has none.
CREATE TABLE audit_rows (
    id             text PRIMARY KEY,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    workspace_id   text,
    actor          text NOT NULL CHECK (actor <> ''),
    ip             text,
    operation      text NOT NULL CHECK (operation <> ''),
    target_id      text,
    changed_fields text[] NOT NULL DEFAULT '{}',
    request_id     text,
    outcome        text NOT NULL CHECK (outcome IN ('success', 'denied'))
);
CREATE INDEX audit_rows_of_workspace ON audit_rows (workspace_id, at DESC, id DESC); -- admin audit, of a workspace
CREATE INDEX audit_rows_newest ON audit_rows (at DESC, id DESC); -- admin audit, of all; age

-- Append only: a row may go after its 400 days and never change.
CREATE FUNCTION audit_rows_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < clock_timestamp() - interval '400 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit rows are append-only';
END $$;
CREATE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE ON audit_rows
    FOR EACH ROW EXECUTE FUNCTION audit_rows_stay();
CREATE TRIGGER audit_rows_not_truncated BEFORE TRUNCATE ON audit_rows
    FOR EACH STATEMENT EXECUTE FUNCTION audit_rows_stay();

-- One row, sealed and hashed with the keys of the first start; a process whose keys cannot read it does not start.
CREATE TABLE secret_canary (
    id          integer PRIMARY KEY CHECK (id = 1),
    sealed      bytea NOT NULL,
    mac         bytea NOT NULL,
    hash_key_id text NOT NULL
);

-- Token buckets, one per class and subject. A bucket without a row is full, so losing them all (they are unlogged)
-- only gives every caller a full minute. tokens may be below zero by what a limit may be overdrawn; granted is what
-- the last visit got, written so that one statement can both take and tell.
CREATE UNLOGGED TABLE rate_buckets (
    bucket    text PRIMARY KEY,
    tokens    double precision NOT NULL,
    granted   integer NOT NULL,
    filled_at timestamptz NOT NULL
);
CREATE INDEX rate_buckets_idle ON rate_buckets (filled_at); -- age

-- Uses of a sliding hour, a row each.
CREATE TABLE rate_uses (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject text NOT NULL,
    at      timestamptz NOT NULL
);
CREATE INDEX rate_uses_by_subject ON rate_uses (subject, at); -- what a subject used in the last hour
CREATE INDEX rate_uses_oldest ON rate_uses (at); -- age

-- Figures that are dear to count: of all processes one counts each of them, and the others read what it found.
-- due_at is when it is counted next.
CREATE TABLE figures (
    name   text PRIMARY KEY,
    due_at timestamptz NOT NULL,
    found  jsonb
);

-- The trace of the call whose transaction writes, if it is collected (W3C Trace Context, traceparent): what others do later
-- goes on with it. Where a connection has had one, Postgres has an empty text instead.
CREATE FUNCTION current_trace() RETURNS text LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('redline.trace_parent', true), '') $$;

-- The queue: what a commit leaves to do for a worker, one row for a kind and key. Its order, its states and who brings
-- them about stand in the comment of models/queue. No index has a column that a claim changes, and rows leave room for
-- their next version. Rows come and go, so that what is dead is removed soon whatever the size of the table.
CREATE SEQUENCE work_revisions CACHE 1;
CREATE TABLE work (
    kind          text NOT NULL CHECK (kind IN ('execution', 'job', 'judgment', 'pattern', 'removed-judgment', 'rested', 'schedule', 'overdue', 'version')),
    key           text COLLATE "C" NOT NULL,
    workspace_id  text NOT NULL,
    group_key     text COLLATE "C" NOT NULL,
    revision      bigint NOT NULL DEFAULT nextval('work_revisions'),
    run_at        timestamptz NOT NULL,
    ready         boolean NOT NULL,
    locked_until  timestamptz NOT NULL DEFAULT '-infinity',
    locked_by     text,
    attempts      integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    trace_parent  text DEFAULT current_trace(),
    PRIMARY KEY (kind, key)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX work_ready ON work (kind, group_key, run_at) WHERE ready; -- claim: the next group, its oldest; the age of what waits
CREATE INDEX work_later ON work (kind, run_at) WHERE NOT ready; -- claim: what has come due
CREATE INDEX work_failing ON work (kind, failing_since) WHERE failing_since IS NOT NULL; -- the age of what waits

-- Work that takes longer than an answer and is neither an execution nor a delivery. It is queued as long as it has not
-- ended; its run only carries it out. input says what to do, in the form of its kind. started_at is when a run began to
-- work, done how many rows it has dealt with.
CREATE TABLE jobs (
    id            text PRIMARY KEY,
    workspace_id  text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind          text NOT NULL CHECK (kind IN ('migration', 'removal', 'detection', 'recover', 'notification', 'workspace-removal', 'fanout', 'export', 'erasure')),
    input         jsonb NOT NULL,
    done          bigint NOT NULL DEFAULT 0,
    error_code    text,
    error_message text,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at    timestamptz,
    ended_at      timestamptz,
    CHECK (error_code IS NULL OR ended_at IS NOT NULL),
    CHECK ((error_code IS NULL) = (error_message IS NULL))
);
CREATE UNIQUE INDEX jobs_detection ON jobs (workspace_id) WHERE kind = 'detection' AND ended_at IS NULL; -- those of a workspace never overlap
CREATE INDEX jobs_newest ON jobs (workspace_id, created_at DESC, id DESC); -- jobs/list; what goes with a workspace
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL; -- age
