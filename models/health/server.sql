SELECT current_setting('server_version_num')::int / 10000, pg_encoding_to_char(encoding), pg_database_size(oid),
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
       ARRAY(SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name)
FROM pg_database WHERE datname = current_database()
