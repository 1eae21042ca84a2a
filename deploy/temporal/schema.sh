#!/bin/sh
# Makes the engine's two databases and brings their schema to that of this
# image. Safe to repeat: what is there already is left alone.
set -eu
tool() {
  temporal-sql-tool --plugin postgres12_pgx --endpoint postgres --port 5432 --user "$POSTGRES_USER" "$@"
}
export SQL_PASSWORD="$POSTGRES_PASSWORD"
for pair in temporal:temporal temporal_visibility:visibility; do
  database=${pair%%:*}
  schema=postgresql/v12/${pair##*:}
  tool --database "$database" create-database || true
  tool --database "$database" update-schema --schema-name "$schema" || {
    tool --database "$database" setup-schema --version 0.0
    tool --database "$database" update-schema --schema-name "$schema"
  }
done
