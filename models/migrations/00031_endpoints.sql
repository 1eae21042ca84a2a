-- Webhook endpoints of a workspace, the messages they are told, and what the
-- engine of deliveries needs to serve them and mails beside the receivers of
-- executions.

-- +goose Up

-- What the workspace set for all its endpoints. No row: webhooks were never
-- switched on. public_key is base64 of DER, as callers sent it without PEM lines.
CREATE TABLE webhook_settings (
    workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    enabled      boolean NOT NULL,
    encrypted    boolean NOT NULL DEFAULT false,
    encoded      boolean NOT NULL DEFAULT false,
    protected    boolean NOT NULL DEFAULT false,
    public_key   text NOT NULL DEFAULT '',
    CHECK (NOT encrypted OR public_key <> '')
);

-- An endpoint that was deleted keeps its row, so that past attempts stay
-- listed; its secrets are gone. failing_since, failures and last_attempt_at are
-- its health over days: failures counts those since failing_since.
CREATE TABLE endpoints (
    id              text PRIMARY KEY,
    workspace_id    text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    uid             text,
    url             text NOT NULL CHECK (url <> ''),
    description     text,
    filter_types    text[] CHECK (cardinality(filter_types) > 0),
    channels        text[] CHECK (cardinality(channels) > 0),
    disabled        boolean NOT NULL DEFAULT false,
    rate_limit      integer CHECK (rate_limit BETWEEN 1 AND 1000000),
    metadata        json,
    failing_since   timestamptz,
    failures        integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    last_attempt_at timestamptz,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at      timestamptz
);
CREATE UNIQUE INDEX endpoints_uid ON endpoints (workspace_id, uid) WHERE deleted_at IS NULL;
-- endpoints/get, newest first; matching reads the living ones of a workspace.
CREATE INDEX endpoints_newest ON endpoints (workspace_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

-- Secrets of an endpoint, the newest without an end. id is the place of the
-- sealed value.
CREATE TABLE endpoint_secrets (
    id            text PRIMARY KEY,
    endpoint_id   text NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
    workspace_id  text NOT NULL,
    secret_sealed bytea NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at    timestamptz
);
CREATE INDEX endpoint_secrets_newest ON endpoint_secrets (endpoint_id, created_at DESC, id DESC);

-- A message is what the endpoints of a workspace are told of one event. Its
-- bytes are fixed in the transaction of the change and kept beside it, since
-- they go sooner. sequence rises within a workspace with gaps.
CREATE SEQUENCE message_sequence;
CREATE TABLE messages (
    id           text PRIMARY KEY,
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    sequence     bigint NOT NULL,
    event        text NOT NULL,
    tags         text[] NOT NULL,
    created_at   timestamptz NOT NULL
);
-- Removal by age, in batches.
CREATE INDEX messages_by_age ON messages USING brin (created_at);
CREATE TABLE message_bodies (
    message_id   text PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    workspace_id text NOT NULL,
    body         bytea NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX message_bodies_by_age ON message_bodies USING brin (created_at);

-- How the workspace sends mails. No row: never set. off holds the triggers that
-- are switched off; port is NULL until it is set. relay_used counts the
-- recipients that the operator's relay was asked to serve on relay_day (UTC).
CREATE TABLE email_settings (
    workspace_id    text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    enabled         boolean NOT NULL DEFAULT false,
    type            text NOT NULL DEFAULT 'default' CHECK (type IN ('default', 'smtp')),
    host            text NOT NULL DEFAULT '',
    port            integer,
    security        text NOT NULL DEFAULT 'starttls' CHECK (security IN ('starttls', 'tls', 'none')),
    username        text NOT NULL DEFAULT '',
    password_sealed bytea,
    from_email      text NOT NULL DEFAULT '',
    from_company    text NOT NULL DEFAULT '',
    off             text[] NOT NULL DEFAULT '{}',
    failed_at       timestamptz,
    failed_class    text,
    relay_day       date,
    relay_used      integer NOT NULL DEFAULT 0,
    CHECK ((failed_at IS NULL) = (failed_class IS NULL))
);

-- A mail and its one recipient. A mail about a comment has no text of its own:
-- annotation_key and comment_seq name the comment, which is looked at once more
-- before the mail leaves and gives it its text. Any other text goes when the mail
-- ended. thread is the same for all mails that belong together; relayed says that
-- the recipient was counted among those of the operator's relay.
CREATE TABLE mails (
    id              text PRIMARY KEY,
    workspace_id    text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    template        text NOT NULL,
    recipient       text NOT NULL,
    recipient_name  text NOT NULL DEFAULT '',
    user_id         text NOT NULL DEFAULT '',
    organization_id text NOT NULL DEFAULT '',
    annotation_key  bigint,
    comment_seq     bigint,
    thread          text NOT NULL DEFAULT '',
    subject         text,
    body_text       text,
    body_html       text,
    relayed         boolean NOT NULL DEFAULT false,
    result          text CHECK (result IN ('sent', 'failed', 'disabled')),
    class           text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at        timestamptz,
    CHECK ((annotation_key IS NULL) = (comment_seq IS NULL)),
    CHECK ((result IS NULL) = (ended_at IS NULL)),
    CHECK (result IS NULL OR num_nonnulls(subject, body_text, body_html) = 0)
);
-- Those that still wait, to end them when the service is switched off.
CREATE INDEX mails_waiting ON mails (workspace_id) WHERE result IS NULL;
CREATE INDEX mails_by_age ON mails USING brin (created_at);

-- What deliveries are of. For rows that are there already it is proven by a migration
-- of its own, without a transaction: in this one writers would wait meanwhile.
ALTER TABLE deliveries ADD CONSTRAINT deliveries_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages (id) ON DELETE CASCADE NOT VALID;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_mail_id_fkey FOREIGN KEY (mail_id) REFERENCES mails (id) ON DELETE CASCADE NOT VALID;

-- Attempts of endpoints that ended; one under way stands in its delivery's row.
CREATE TABLE endpoint_attempts (
    id              text PRIMARY KEY,
    workspace_id    text NOT NULL,
    endpoint_id     text NOT NULL,
    message_id      text NOT NULL,
    event           text NOT NULL,
    attempt         integer NOT NULL CHECK (attempt >= 1),
    cause           text NOT NULL,
    succeeded       boolean NOT NULL,
    class           text NOT NULL,
    http_status     integer,
    duration_ms     integer CHECK (duration_ms >= 0),
    started_at      timestamptz NOT NULL,
    next_attempt_at timestamptz,
    url             text NOT NULL,
    response_body   text
);
CREATE INDEX endpoint_attempts_of_endpoint ON endpoint_attempts (workspace_id, endpoint_id, started_at DESC, id DESC);
CREATE INDEX endpoint_attempts_of_message ON endpoint_attempts (workspace_id, message_id, started_at DESC, id DESC);
CREATE INDEX endpoint_attempts_by_age ON endpoint_attempts USING brin (started_at);

-- +goose Down

DROP TABLE endpoint_attempts;
DELETE FROM deliveries WHERE execution_id IS NULL;
DELETE FROM destinations WHERE kind <> 'receiver';
ALTER TABLE deliveries DROP CONSTRAINT deliveries_mail_id_fkey;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_message_id_fkey;
DROP TABLE mails;
DROP TABLE email_settings;
DROP TABLE message_bodies;
DROP TABLE messages;
DROP SEQUENCE message_sequence;
DROP TABLE endpoint_secrets;
DROP TABLE endpoints;
DROP TABLE webhook_settings;
