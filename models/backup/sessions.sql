-- Who else is connected to this database.
SELECT format('%s from %s', coalesce(nullif(application_name, ''), 'a program without a name'), coalesce(host(client_addr), 'this machine'))
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
ORDER BY backend_start LIMIT 3
