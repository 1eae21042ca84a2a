#!/bin/sh
# Writes the types again from the published document; run by make clients.
set -eu
cd "$(dirname "$0")"
.venv/bin/datamodel-codegen --input ../openapi.json --input-file-type openapi --openapi-scopes schemas \
  --output-model-type typing.TypedDict --target-python-version 3.11 --no-use-closed-typed-dict \
  --use-standard-collections --use-union-operator --enum-field-as-literal all --collapse-root-models \
  --disable-timestamp --formatters builtin --disable-warnings --output src/redline/types.py
.venv/bin/python awaited.py
