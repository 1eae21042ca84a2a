-- Webhook endpoints and mails of a workspace, the messages that endpoints are told, and deliveries: to receivers of
-- executions, to endpoints, and of mails. The body for a receiver is made from its event each time, so no row holds
-- one.

-- What the workspace set for all its endpoints. No row: webhooks were never switched on. Not configured: its simple
-- receiver alone was, which has its own switch. public_key is base64 of
-- DER, as callers sent it without PEM lines.
CREATE TABLE webhook_settings (
    workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    configured   boolean NOT NULL DEFAULT true,
    enabled      boolean NOT NULL,
    encrypted    boolean NOT NULL DEFAULT false,
    encoded      boolean NOT NULL DEFAULT false,
    protected    boolean NOT NULL DEFAULT false,
    public_key   text NOT NULL DEFAULT '',
    CHECK (NOT encrypted OR public_key <> '')
);

-- An endpoint that was deleted keeps its row, so that past attempts stay listed; its secrets are gone. The simple receiver
-- of a workspace is an endpoint with a switch of its own: it is told of comments alone, in a form of its own, and may have no
-- address while it is off. filter_types are its triggers, token_sealed is what it is shown beside the signature.
-- failing_since, failures and last_attempt_at are its health over days: failures counts those since failing_since.
CREATE TABLE endpoints (
    id              text PRIMARY KEY,
    workspace_id    text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    uid             text,
    simple          boolean NOT NULL DEFAULT false,
    url             text NOT NULL,
    token_sealed    bytea,
    description     text,
    filter_types    text[],
    channels        text[] CHECK (cardinality(channels) > 0),
    disabled        boolean NOT NULL DEFAULT false,
    rate_limit      integer CHECK (rate_limit BETWEEN 1 AND 1000000),
    metadata        json,
    failing_since   timestamptz,
    failures        integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    last_attempt_at timestamptz,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at      timestamptz,
    CHECK (simple OR url <> '' AND cardinality(filter_types) > 0 AND token_sealed IS NULL),
    CHECK (NOT simple OR filter_types IS NOT NULL AND deleted_at IS NULL AND (disabled OR url <> ''))
);
CREATE UNIQUE INDEX endpoints_uid ON endpoints (workspace_id, uid) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX endpoints_simple ON endpoints (workspace_id) WHERE simple; -- a workspace has one
CREATE INDEX endpoints_sealed ON endpoints (sealed_under(token_sealed)) WHERE token_sealed IS NOT NULL; -- values of a key
CREATE INDEX endpoints_newest ON endpoints (workspace_id, created_at DESC, id DESC) WHERE deleted_at IS NULL; -- endpoints/get; matching
CREATE INDEX endpoints_deleted ON endpoints (deleted_at) WHERE deleted_at IS NOT NULL; -- age

-- Secrets of an endpoint, the newest without an end. id is the place of the sealed value.
CREATE TABLE endpoint_secrets (
    id            text PRIMARY KEY,
    endpoint_id   text NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
    workspace_id  text NOT NULL,
    secret_sealed bytea NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at    timestamptz
);
CREATE INDEX endpoint_secrets_newest ON endpoint_secrets (endpoint_id, created_at DESC, id DESC); -- the secrets of an endpoint
CREATE INDEX endpoint_secrets_sealed ON endpoint_secrets (sealed_under(secret_sealed)); -- values of a key

-- What an endpoint missed in a window of time is queued again, by a job, behind everything else that waits for the
-- endpoint. behind is the last message that was looked at, examined how many of the window these were, requeued how
-- many of them were queued again. An endpoint has one open.
CREATE TABLE recoveries (
    id           text PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    workspace_id text NOT NULL,
    endpoint_id  text NOT NULL,
    since        timestamptz NOT NULL,
    until        timestamptz NOT NULL,
    behind       text NOT NULL DEFAULT '',
    examined     bigint NOT NULL DEFAULT 0,
    requeued     bigint NOT NULL DEFAULT 0,
    open         boolean NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX recoveries_open ON recoveries (endpoint_id) WHERE open; -- an endpoint has one open

-- How the workspace sends mails. No row: never set. off holds the triggers that are switched off; port is NULL until
-- it is set. mails_used counts the mails of mail_day (UTC), relay_used those of them that the operator's relay was asked
-- to serve for the free plan. sender_confirmed_at is when it was proved that from_email is the workspace's at its own
-- host: by the code of the mail code_mail, of which code_misses tries were wrong.
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
    mail_day        date,
    mails_used      integer NOT NULL DEFAULT 0,
    relay_used      integer NOT NULL DEFAULT 0,
    sender_confirmed_at timestamptz,
    code_mail       text,
    code_sent_at    timestamptz,
    code_misses     smallint NOT NULL DEFAULT 0,
    CHECK ((code_mail IS NULL) = (code_sent_at IS NULL)),
    CHECK ((failed_at IS NULL) = (failed_class IS NULL))
);
CREATE INDEX email_settings_sealed ON email_settings (sealed_under(password_sealed)) WHERE password_sealed IS NOT NULL; -- values of a key

-- Mails to recipients that the operator's relay was asked to serve for workspaces of the free plan, on a day (UTC): all
-- of them, where the address is empty, and those to one address: a keyed hash of the form in which addresses are compared.
CREATE TABLE relay_uses (
    day     date NOT NULL,
    address text NOT NULL,
    used    integer NOT NULL DEFAULT 0,
    PRIMARY KEY (day, address)
);

-- A mail and its one recipient. A mail about a comment has no text of its own: annotation_key and comment_seq name
-- the comment, which is looked at once more before the mail leaves and gives it its text. Any other text goes when
-- the mail ended. thread is the same for all mails that belong together; counted says that it was counted among the
-- mails of a day, relayed that it was among those of the operator's relay. leaves_at is set where it was delayed, batch_id
-- where it leaves with others, by a mail of their own.
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
    counted         boolean NOT NULL DEFAULT false,
    relayed         boolean NOT NULL DEFAULT false,
    result          text CHECK (result IN ('sent', 'failed', 'disabled')),
    class           text,
    leaves_at       timestamptz,
    batch_id        text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at        timestamptz,
    CHECK ((annotation_key IS NULL) = (comment_seq IS NULL)),
    CHECK ((result IS NULL) = (ended_at IS NULL)),
    CHECK (result IS NULL OR num_nonnulls(subject, body_text, body_html) = 0)
);
CREATE INDEX mails_of_batch ON mails (batch_id) WHERE batch_id IS NOT NULL; -- what a batch says
CREATE INDEX mails_of_workspace ON mails (workspace_id); -- what goes with a workspace
CREATE INDEX mails_waiting ON mails (workspace_id) WHERE result IS NULL; -- what ends when the service is switched off, or a user goes
CREATE INDEX mails_oldest ON mails (created_at); -- age

-- Mails that join the mails about comments of one person, by document or, without one, by organization. A batch is open until
-- its mail leaves, or until it has as many items as it may have.
CREATE TABLE mail_batches (
    mail_id         text PRIMARY KEY REFERENCES mails (id) ON DELETE CASCADE,
    workspace_id    text NOT NULL,
    organization_id text NOT NULL,
    document_key    bigint,
    user_id         text NOT NULL,
    items           integer NOT NULL DEFAULT 1,
    most            integer NOT NULL,
    closed          boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX mail_batches_open ON mail_batches (workspace_id, user_id, organization_id, document_key) NULLS NOT DISTINCT WHERE NOT closed;

-- Mails that steps of executions send by themselves: a recipient, by the position in the step's node. class is what
-- became of the mail, once no later try of the step has to send it.
CREATE TABLE step_mails (
    workspace_id text NOT NULL,
    execution_id text NOT NULL,
    step_id      text NOT NULL,
    position     integer NOT NULL,
    counted      boolean NOT NULL DEFAULT false,
    relayed      boolean NOT NULL DEFAULT false,
    class        text,
    settled_at   timestamptz,
    PRIMARY KEY (workspace_id, execution_id, step_id, position),
    CHECK ((class IS NULL) = (settled_at IS NULL))
);

-- A message is what the endpoints of a workspace are told of one event. Its bytes are fixed in the transaction of
-- the change and kept beside it, since they go sooner. sequence rises within a workspace with gaps: it is a time in
-- microseconds; ids are in the order of time. about is the endpoint that a message speaks of and that never gets it, test whether it only tries
-- an endpoint out, simple whether the simple receiver may be sent it. A foreign key would lock the row of the workspace in every change that is told of, all callers beside each
-- other; the removal of a workspace removes its messages as those of every table.
CREATE TABLE messages (
    id           text PRIMARY KEY,
    workspace_id text NOT NULL,
    sequence     bigint NOT NULL,
    event        text NOT NULL,
    tags         text[] NOT NULL,
    about        text,
    test         boolean NOT NULL DEFAULT false,
    simple       boolean NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL
);
CREATE INDEX messages_newest ON messages (workspace_id, id DESC); -- messages/get; backwards: a recovery
-- What goes by its age is read from the oldest row on. A summary by ranges of pages does not serve: once old rows are
-- gone, new ones take their room, and the range counts as old for ever.
CREATE INDEX messages_oldest ON messages (created_at); -- age

-- What the simple receiver gets is made of the body each time; of one that is encrypted nobody here can, so it is in simple.
CREATE TABLE message_bodies (
    message_id   text PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    workspace_id text NOT NULL,
    body         bytea NOT NULL,
    simple       bytea,
    created_at   timestamptz NOT NULL
);
CREATE INDEX message_bodies_oldest ON message_bodies (created_at); -- age

-- A destination is served by one run of Temporal. Receivers of executions share 16 of them per workspace, by hash
-- of their origin, so that no number of addresses makes more runs; an endpoint has its own, under its own id, and
-- mails have one per workspace.
--
-- locked_by is the activity that claims at the moment, until locked_until at the latest: only such an owner writes them.
-- Whoever starts its run claims it until claimed_until, so that of all processes that hear of a commit one does. Rows
-- numbered cancel_id and below end with cancel_class instead of being sent, since cancel_at: what waited when an endpoint
-- was deleted or disabled, or webhooks were switched off. paced_until is how fast a destination is told: its owner alone
-- writes it, under the lock of the row, so a new one goes on where the one before it stopped. throttled says that an origin
-- of it kept failing when an owner last unlocked it: what is due then is late for a reason.
CREATE TABLE destinations (
    id           text PRIMARY KEY,
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind         text NOT NULL CHECK (kind IN ('receiver', 'endpoint', 'mail')),
    slot         smallint CHECK (slot BETWEEN 0 AND 15),
    locked_by    text,
    locked_until timestamptz,
    claimed_until timestamptz,
    cancel_id    bigint,
    cancel_class text,
    cancel_at    timestamptz,
    paced_until  timestamptz,
    throttled    boolean NOT NULL DEFAULT false,
    CONSTRAINT destinations_slot UNIQUE (workspace_id, kind, slot),
    CONSTRAINT destinations_slot_of_kind CHECK ((slot IS NULL) = (kind = 'endpoint')),
    CONSTRAINT destinations_cancel CHECK (num_nulls(cancel_id, cancel_class, cancel_at) IN (0, 3))
) WITH (fillfactor = 50);

-- A domain, since a condition of a table is read from its text by every statement that writes.
CREATE DOMAIN delivery_state AS text CHECK (VALUE IN ('pending', 'sending', 'delivered', 'dead', 'refused'));

-- One row for an event and its receiver, for a message and an endpoint, or for a mail. cause tells why its schedule
-- began. attempt counts the attempts begun, interrupted ones too, so the next one's number on the wire is its value;
-- round counts the failures since the schedule began, interrupted how often in a row the process died during the
-- attempt. class is that of the last outcome. A claim changes all rows of a page at once: each has room for its next
-- version there, and no index has what changes.
CREATE TABLE deliveries (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id   text NOT NULL,
    destination_id text NOT NULL,
    execution_id   text,
    seq            bigint,
    message_id     text REFERENCES messages (id) ON DELETE CASCADE,
    mail_id        text REFERENCES mails (id) ON DELETE CASCADE,
    cause          text NOT NULL DEFAULT 'schedule' CHECK (cause IN ('schedule', 'resend', 'recover', 'test')),
    state          delivery_state NOT NULL DEFAULT 'pending',
    attempt        integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    round          integer NOT NULL DEFAULT 0 CHECK (round >= 0),
    interrupted    integer NOT NULL DEFAULT 0,
    begun_at       timestamptz,
    class          text,
    trace_parent   text DEFAULT current_trace(),
    CONSTRAINT deliveries_subject CHECK (num_nonnulls(execution_id, message_id, mail_id) = 1 AND (execution_id IS NULL) = (seq IS NULL))
) WITH (fillfactor = 50);
-- One for an event, for a message at an endpoint, for a mail; they are also found by these.
CREATE UNIQUE INDEX deliveries_of_event ON deliveries (workspace_id, execution_id, seq) WHERE execution_id IS NOT NULL;
CREATE UNIQUE INDEX deliveries_of_message ON deliveries (message_id, destination_id) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX deliveries_of_mail ON deliveries (mail_id) WHERE mail_id IS NOT NULL;
-- messages/get, endpointId; backwards: a recovery
CREATE INDEX deliveries_newest ON deliveries (destination_id, message_id DESC) WHERE message_id IS NOT NULL;

-- A delivery that has not ended. Endpoints and mails have no origin of their own: the destination is one. due_at is
-- the time of the next attempt and stays while one is under way, until locked_until at the latest; a row that waits has
-- none, '-infinity'. No index has locked_until, so a claim writes none. cause is the delivery's. number says which
-- cancellations cover a row that was queued again: those that are set later. NULL: its id counts. Both come from one
-- sequence. Whoever changes a delivery holds the lock of its row here.
CREATE TABLE open_deliveries (
    id             bigint PRIMARY KEY,
    destination_id text NOT NULL,
    origin         text NOT NULL,
    cause          text NOT NULL DEFAULT 'schedule',
    due_at         timestamptz NOT NULL,
    locked_until   timestamptz NOT NULL DEFAULT '-infinity',
    number         bigint
) WITH (fillfactor = 50);
CREATE INDEX open_deliveries_waiting ON open_deliveries (destination_id, origin, due_at, id); -- claim: due rows of an origin, oldest first
CREATE INDEX open_deliveries_due ON open_deliveries (destination_id, due_at); -- whether anything of a destination is due, and when

-- A delivery goes with its message or its mail, and after its execution. A foreign key would look at, and lock, the
-- delivery of every row that is written here.
CREATE FUNCTION remove_open_delivery() RETURNS trigger
    LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        DELETE FROM open_deliveries WHERE id = OLD.id;
        RETURN NULL;
    END $$;
CREATE TRIGGER remove_open AFTER DELETE ON deliveries FOR EACH ROW EXECUTE FUNCTION remove_open_delivery();

-- Attempts that ended, at receivers, endpoints and relays of mails. One under way stands in its delivery's row. There is
-- no foreign key: rows are written in bulk and removed by age. Of a message the endpoint's address and answer are kept.
CREATE TABLE attempts (
    delivery_id     bigint NOT NULL,
    attempt         integer NOT NULL CHECK (attempt >= 1),
    id              text NOT NULL,
    workspace_id    text NOT NULL,
    destination_id  text NOT NULL,
    message_id      text,
    event           text,
    cause           text NOT NULL,
    class           text NOT NULL,
    http_status     integer,
    duration_ms     integer CHECK (duration_ms >= 0),
    started_at      timestamptz NOT NULL,
    next_attempt_at timestamptz,
    url             text,
    response_body   text,
    PRIMARY KEY (delivery_id, attempt) -- executions/getDeliveries
);
-- attempts/get
CREATE INDEX attempts_of_endpoint ON attempts (workspace_id, destination_id, started_at DESC, id DESC) WHERE message_id IS NOT NULL;
-- attempts/get, class
CREATE INDEX attempts_of_class ON attempts (workspace_id, destination_id, class, started_at DESC, id DESC) WHERE message_id IS NOT NULL;
-- attempts/get, status failed
CREATE INDEX attempts_failed ON attempts (workspace_id, destination_id, started_at DESC, id DESC) WHERE message_id IS NOT NULL AND class <> 'ok';
-- attempts/get, messageId
CREATE INDEX attempts_of_message ON attempts (workspace_id, message_id, started_at DESC, id DESC) WHERE message_id IS NOT NULL;
CREATE INDEX attempts_oldest ON attempts (started_at); -- age

-- Whether a row that waits is cancelled: a test of an endpoint that was merely disabled is still sent.
CREATE FUNCTION is_cancelled(id bigint, cause text, cancel_id bigint, cancel_class text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT coalesce(id <= cancel_id AND (cause <> 'test' OR cancel_class <> 'endpoint-disabled'), false) $$;

-- The pause before the next attempt, of seconds: as scheduled, longer where a least pause or the endpoint asks for
-- it, who is believed up to an hour or twice the scheduled pause.
CREATE FUNCTION pause_after(scheduled float8, least_pause float8, asked float8) RETURNS interval
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT make_interval(secs => greatest(scheduled, least_pause, least(asked, greatest(3600, 2 * scheduled)))) $$;

-- Why nothing but maybe tests is sent to an endpoint; NULL while it is served. Every claim asks: a plan that is kept
-- answers in a tenth of the time that planning takes.
CREATE FUNCTION endpoint_closed(endpoint text) RETURNS text
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        RETURN (SELECT CASE WHEN e.deleted_at IS NOT NULL THEN 'endpoint-deleted' WHEN NOT (e.simple OR coalesce(s.enabled, false)) THEN 'webhooks-disabled'
                            WHEN e.disabled THEN 'endpoint-disabled' END
                FROM endpoints e LEFT JOIN webhook_settings s ON s.workspace_id = e.workspace_id WHERE e.id = endpoint);
    END $$;

-- When a destination next wants its run: a row that waits is due and the pace allows it, a lock ends, or rows are left
-- that a cancellation has to end. NULL when nothing waits and nothing is under way. Rows under way come before those that
-- wait, as they are claimed, so few of them are passed over. NULL too while the workspace is stopped.
CREATE FUNCTION destination_due(destination text) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    DECLARE
        moment timestamptz := clock_timestamp();
        wants destinations%ROWTYPE;
        due timestamptz;
    BEGIN
        SELECT * INTO wants FROM destinations k WHERE k.id = destination;
        IF EXISTS (SELECT FROM workspaces s WHERE s.id = wants.workspace_id AND s.stopped_at IS NOT NULL) THEN
            RETURN NULL;
        END IF;
        IF wants.cancel_id IS NOT NULL AND EXISTS (SELECT FROM open_deliveries w WHERE w.destination_id = destination AND w.locked_until = '-infinity'
                                              AND is_cancelled(coalesce(w.number, w.id), w.cause, wants.cancel_id, wants.cancel_class)) THEN
            RETURN wants.cancel_at;
        END IF;
        SELECT greatest(w.due_at, w.locked_until, wants.paced_until) INTO due FROM open_deliveries w
        WHERE w.destination_id = destination AND w.locked_until <= moment ORDER BY w.due_at LIMIT 1;
        IF due <= moment THEN
            RETURN due;
        END IF;
        RETURN least(due, (SELECT min(w.locked_until) FROM open_deliveries w
                           WHERE w.destination_id = destination AND w.due_at <= moment AND w.locked_until > moment));
    END $$;
