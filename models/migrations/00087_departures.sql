-- Users who left an organization, with what they judged in it until then: it is hidden
-- at once and removed later.

-- +goose Up

-- through is the number up to which their rows are hidden: those of what they judge when
-- they are back are higher. since is when they left last.
CREATE TABLE departures (
    organization_key bigint NOT NULL,
    user_id          text NOT NULL COLLATE "C",
    workspace_id     text NOT NULL,
    through          bigint NOT NULL,
    since            timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_key, user_id)
);
CREATE INDEX departures_of_workspace ON departures (workspace_id, organization_key, user_id);

-- +goose Down

DROP TABLE departures;
