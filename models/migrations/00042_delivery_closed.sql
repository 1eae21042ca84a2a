-- Every draw asks whether its endpoint is closed: a plan that is kept answers in
-- a tenth of the time that planning the question anew takes.

-- +goose Up

-- Why nothing but maybe tests is sent to an endpoint; NULL while it is served.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION endpoint_closed(endpoint text) RETURNS text
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        RETURN (SELECT CASE WHEN e.deleted_at IS NOT NULL THEN 'endpoint-deleted' WHEN NOT coalesce(s.enabled, false) THEN 'webhooks-disabled'
                            WHEN e.disabled THEN 'endpoint-disabled' END
                FROM endpoints e LEFT JOIN webhook_settings s ON s.workspace_id = e.workspace_id WHERE e.id = endpoint);
    END $$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION endpoint_closed(endpoint text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT CASE WHEN e.deleted_at IS NOT NULL THEN 'endpoint-deleted' WHEN NOT coalesce(s.enabled, false) THEN 'webhooks-disabled'
                WHEN e.disabled THEN 'endpoint-disabled' END
    FROM endpoints e LEFT JOIN webhook_settings s ON s.workspace_id = e.workspace_id WHERE e.id = endpoint
    $$;
-- +goose StatementEnd
