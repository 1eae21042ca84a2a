#!/usr/bin/env bash
# Plays a whole editorial process against a running `make run`, with nothing but
# curl and openssl, in a few seconds: an author hands a text in, an agent looks at
# it, two of three reviewers have to agree and one of them sends the first draft
# back, legal lets its time pass, its lead approves, and it is published.
# editorial.json beside this file is the definition.
#
#   examples/editorial.sh [path of demo.env, default .local/demo.env]
set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=examples/client.sh
source "$(dirname "$0")/client.sh"
open_settings "${1:-}"
secret="editorial-receiver-secret-$run"
# What the author's system and the agent are sent, and what their callbacks are opened with.
cms=/ok/cms-$run
agent=$(json_at '{"agentExecutionId":"check-1"}' "agent-$run")

# sent <path> <n>: the body of the n-th request that the receiver got at the path.
sent() {
  local items n
  items=$(until_found 60 "$2" numbers_at "$1")
  n=$(sed -n "${2}p" <<<"$items" | cut -f 2)
  curl --silent --show-error "$REDLINE_DEV_INBOX_URL/$n/body"
}
# numbers_at <path>: 1, 2, ... for the requests at the path, and the number that each has in the inbox.
numbers_at() {
  curl --silent --show-error "$REDLINE_DEV_INBOX_URL?path=$1" | grep -oE '"n":[0-9]+' | cut -d: -f2 | awk '{ print NR "\t" $1 }' || true
}
# waiting <reviewer>: the step that waits for the person.
waiting() { until_found 60 '"stepId"' call /v2/workflow/steps/list "{\"reviewerId\":\"$1\",\"executionId\":\"$execution\",\"status\":\"waiting\"}" | field stepId; }
# decides <reviewer> <approve or reject> <reason>
decides() {
  call /v2/workflow/steps/recordReviewerDecision \
    "{\"executionId\":\"$execution\",\"stepId\":\"$(waiting "$1")\",\"reviewerId\":\"$1\",\"decision\":\"$2\",\"reason\":\"$3\"}" >/dev/null
  echo "  $1: $2 ($3)"
}
# hands_in <iteration> <words>: the author's system answers its step, with the token that it was sent and nothing else.
hands_in() {
  local body answer
  body=$(sent "$cms" "$1")
  grep -oE '"rejectionReason":"[^"]+"' <<<"$body" | head -n 1 | sed 's/^/  told to the author: /' || true
  answer=$(curl --silent --show-error --header 'content-type: application/json' --header "x-svc-callback-token: $(field token <<<"$body")" \
    --data "{\"status\":\"completed\",\"output\":{\"words\":$2}}" "$REDLINE_URL/v2/workflow/webhook-callback/complete")
  echo "  the author hands in $2 words: $answer"
}
# advises <iteration> <resolved or rejected>: the agent says its word, which is advice, with the token that it was sent.
advises() {
  local body
  body=$(sent "${agent#"$REDLINE_DEV_RECEIVER_URL"}" "$1")
  curl --silent --show-error --fail --header 'content-type: application/json' --header "x-svc-callback-token: $(field token <<<"$body")" \
    --data "{\"data\":{\"executionId\":\"$execution\",\"stepId\":\"$(field stepId <<<"$body")\",\"responseId\":\"r$1\",\"resolution\":\"$2\"}}" \
    "$REDLINE_URL/v2/workflow/steps/recordAgentResolution" >/dev/null
  echo "  the agent: $2"
}

say "1. A workspace with an agent and mails"
make_workspace "Editorial"
call /v2/workspace/emailconfig/update '{"useEmailService":true}' >/dev/null
call /v2/agents/create "{\"agentId\":\"copy-checker\",\"name\":\"Copy checker\",\"url\":\"$agent\",\"secret\":\"$secret\"}" | field agentId | sed 's/^/agent /'

say "2. The definition, and an execution of it"
call /v2/workflow/definitions/create "$(sed -e "s#<CMS>#$REDLINE_DEV_RECEIVER_URL$cms#; s#<PUBLISHER>#$(json_at '{"published":true}' publisher)#" \
  "$(dirname "$0")/editorial.json")" | field version | sed 's/^/editorial, version /'
execution=$(call /v2/workflow/executions/dispatch "$(cat <<JSON
{ "definitionId": "editorial", "triggerContext": { "title": "Spring catalogue", "draftUrl": "https://cms.example.com/drafts/7" },
  "webhookUrl": "$REDLINE_DEV_RECEIVER_URL/ok/editorial-$run", "webhookSecret": "$secret" }
JSON
)" | field executionId)
echo "$execution"

say "3. The first draft goes back"
hands_in 1 412
advises 1 rejected
decides u_brand reject "Say which spring this is."

say "4. Two of three agree on the second one"
hands_in 2 418
advises 2 resolved
decides u_brand approve "Reads well."
decides u_product approve "The figures are right."

say "5. Legal lets its second pass, and its lead approves"
decides u_legal_lead approve "No claims."

say "6. It is published; its events in order"
events=$(until_found 60 '"execution.completed"' call /v2/workflow/executions/getEvents "{\"executionId\":\"$execution\"}")
grep -oE '"type":"[^"]*","stepId":("step_[^"]*"|null)' <<<"$events" |
  sed -E 's/"type":"([^"]*)","stepId":null/\1/; s/"type":"([^"]*)","stepId":"step_(.*)_i([0-9]+)_a.*/\1\t\2, iteration \3/' | cat -n
[ "$(grep -oE '"eventId":' <<<"$events" | wc -l)" -eq 29 ] || fail "29 events make the course, these are others"
steps=$(call /v2/workflow/executions/get "{\"executionId\":\"$execution\"}" | grep -oE '"stepId":"step_publish' | wc -l)
[ "$steps" -eq 1 ] || fail "it was published $steps times"

say "Done. Look at the execution in the Temporal UI:"
echo "  $REDLINE_TEMPORAL_UI_URL/namespaces/svc/workflows?query=RedlineExecutionId%3D%22$execution%22"
