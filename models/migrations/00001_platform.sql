-- Workspaces, their owners, API keys, tokens and allowed domains; the audit
-- trail; limits set by operators; the row that proves the keys of a process.
-- Sealed columns hold bytes of internal/secret; *_mac columns are keyed hashes
-- for look-ups, hash_key_id the name of the hash key that made them.

-- +goose Up

-- The name of the key under which a value is sealed: one byte of format, one of
-- length, the name. It serves the counts of rows left per key while keys rotate.
-- +goose StatementBegin
CREATE FUNCTION sealed_key_id(sealed bytea) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT convert_from(substring(sealed FROM 3 FOR get_byte(sealed, 1)), 'UTF8') $$;
-- +goose StatementEnd

-- email_key is the address as ownership compares it: local part NFC and
-- case-folded, domain as lower-case A-label.
CREATE TABLE owners (
    id         text PRIMARY KEY,
    email_key  text NOT NULL CONSTRAINT owners_email_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- owner_email is kept as it was sent. name_key is the name as uniqueness
-- compares it: trimmed, NFC, case-folded.
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
    suspended_at timestamptz,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- how the people of its organizations are let in, and what they see
    default_access   text NOT NULL DEFAULT 'public'
        CHECK (default_access IN ('public', 'organizationPrivate', 'restricted')),
    private_comments boolean NOT NULL DEFAULT true,
    auto_members     boolean NOT NULL DEFAULT false,
    advanced_queries boolean NOT NULL DEFAULT true,
    CONSTRAINT workspaces_owner_name UNIQUE (owner_id, name_key)
);
-- The workspaces of an owner, the root one first.
CREATE INDEX workspaces_by_owner ON workspaces (owner_id, created_at, id);
-- redline admin workspace list, newest first.
CREATE INDEX workspaces_newest ON workspaces (created_at DESC, id DESC);

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
-- apikeys/get, newest first; read backwards it is apiKeyList of workspace/get.
CREATE INDEX api_keys_newest ON api_keys (workspace_id, created_at DESC, id DESC);

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
-- The list of a key in order of adding.
CREATE INDEX api_key_domains_in_order ON api_key_domains (workspace_id, api_key_id, position);

-- A limit that an operator set for one workspace; 0 switches it off.
CREATE TABLE limit_overrides (
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    name         text NOT NULL,
    value        bigint NOT NULL CHECK (value >= 0),
    set_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (workspace_id, name)
);

-- Rows outlive what they tell about, so nothing refers to other tables. An
-- operation on no workspace has none.
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
-- redline admin audit, newest first: of one workspace, and of all.
CREATE INDEX audit_rows_of_workspace ON audit_rows (workspace_id, at DESC, id DESC);
CREATE INDEX audit_rows_newest ON audit_rows (at DESC, id DESC);

-- Append only: a row may go after its 400 days and never change.
-- +goose StatementBegin
CREATE FUNCTION audit_rows_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < clock_timestamp() - interval '400 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit rows are append-only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE ON audit_rows
    FOR EACH ROW EXECUTE FUNCTION audit_rows_stay();
CREATE TRIGGER audit_rows_not_truncated BEFORE TRUNCATE ON audit_rows
    FOR EACH STATEMENT EXECUTE FUNCTION audit_rows_stay();

-- One row, sealed and hashed with the keys of the first start; a process whose
-- keys cannot read it does not start.
CREATE TABLE secret_canary (
    id          integer PRIMARY KEY CHECK (id = 1),
    sealed      bytea NOT NULL,
    mac         bytea NOT NULL,
    hash_key_id text NOT NULL
);

-- +goose Down

DROP TABLE secret_canary;
DROP TABLE audit_rows;
DROP FUNCTION audit_rows_stay();
DROP TABLE limit_overrides;
DROP TABLE api_key_domains;
DROP TABLE auth_tokens;
DROP TABLE api_keys;
DROP TABLE workspaces;
DROP TABLE owners;
DROP FUNCTION sealed_key_id(bytea);
