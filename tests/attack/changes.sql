CREATE UNLOGGED TABLE attack_changes (made_by text NOT NULL, what text NOT NULL);
CREATE INDEX ON attack_changes (made_by);

CREATE FUNCTION attack_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('application_name') LIKE 'attack-%' AND (TG_OP <> 'UPDATE' OR OLD::text IS DISTINCT FROM NEW::text) THEN
		INSERT INTO attack_changes VALUES (current_setting('application_name'), lower(TG_OP) || ' of ' || TG_TABLE_NAME);
	END IF;
	RETURN NULL;
END $$;

DO $$
DECLARE
	name text;
BEGIN
	-- What workspaces keep is counted by whichever process comes to it, some time after the change.
	FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'storage\_%' AND tablename <> 'attack_changes' LOOP
		EXECUTE format('CREATE TRIGGER attack AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION attack_note()', name);
	END LOOP;
END $$;
