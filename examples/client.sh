# What the examples share: a client of curl and grep. It is sourced, and runs nothing.
# shellcheck shell=bash

# open_settings [path of demo.env]: reads where a running `make run` is reached.
open_settings() {
  local settings=${1:-$(dirname "$0")/../.local/demo.env}
  [ -r "$settings" ] || { echo "There is no $settings: start the service with \`make run\` first." >&2; exit 1; }
  # shellcheck disable=SC1090
  source "$settings"
  run=$(date +%s)$RANDOM
}

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
fail() { echo "${0##*/}: $*" >&2; exit 1; }

# field <name>: the first text or number of that name in the JSON on the input.
field() {
  grep -oE "\"$1\":(\"[^\"]*\"|[0-9]+|true|false)" | head -n 1 | sed -E 's/^"[^"]*":"?//; s/"$//'
}

# call <path> <data>: one operation; the answer goes to the output. The headers
# are in the array credentials.
credentials=()
call() {
  local answer tries=0
  while :; do
    answer=$(curl --silent --show-error --max-time 30 ${credentials[@]+"${credentials[@]}"} \
      --header 'content-type: application/json' --data "{\"data\":$2}" "$REDLINE_URL$1")
    case $answer in
      '{"error":'*'"status":"UNAVAILABLE"'*) [ $((tries += 1)) -lt 10 ] || fail "$1 answered $answer" ;; # changed nothing: worth another try
      '{"error":'*) fail "$1 answered $answer" ;;
      *) break ;;
    esac
    sleep 1
  done
  printf '%s\n' "$answer"
}

# until_found <seconds> <text> <command...>: repeats the command until its output has the text, and prints it.
until_found() {
  local patience=$1 text=$2 answer
  shift 2
  local end=$((SECONDS + patience))
  while [ $SECONDS -lt $end ]; do
    answer=$("$@")
    case $answer in *"$text"*) printf '%s\n' "$answer"; return ;; esac
    sleep 0.2
  done
  fail "waited $patience seconds in vain for $text in: $answer"
}

# make_workspace <name>: a workspace of its own; from then on call has the token of its key.
make_workspace() {
  local workspace workspace_id api_key token
  workspace=$(call /v2/workspace/create "{\"ownerEmail\":\"example+$run@example.com\",\"name\":\"$1\"}")
  workspace_id=$(grep -oE '"ws_[^"]*"' <<<"$workspace" | head -n 1 | tr -d '"')
  api_key=$(grep -oE '"ak_[^"]*"' <<<"$workspace" | head -n 1 | tr -d '"')
  credentials=(--header "x-svc-workspace-id: $workspace_id" --header "x-svc-workspace-auth-token: $(field authToken <<<"$workspace")")
  token=$(call /v2/workspace/authtokens/get "{\"apiKey\":\"$api_key\"}" | field token)
  credentials=(--header "x-svc-api-key: $api_key" --header "x-svc-auth-token: $token")
  echo "workspace $workspace_id, key $api_key"
}

# json_at <JSON> <name>: an address that answers with the JSON.
json_at() { printf '%s/json/%s/%s' "$REDLINE_DEV_RECEIVER_URL" "$(printf '%s' "$1" | openssl base64 -A | tr '+/' '-_' | tr -d '=')" "$2"; }
