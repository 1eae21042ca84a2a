#!/usr/bin/env bash
# Plays the whole story against a running `make run`, with nothing but curl and
# openssl: a workspace, a definition, one execution dispatched twice, a person's
# decision, the events, the deliveries with their signatures verified, a comment
# at an endpoint and in a mail, a real PDF and a question that it answers, the
# decision as a judgment, all of it under the new id of the document that it is
# about, and a text that replaces another one.
#
#   examples/quickstart.sh [path of demo.env, default .local/demo.env]
set -euo pipefail
shopt -s inherit_errexit
# shellcheck source=examples/client.sh
source "$(dirname "$0")/client.sh"
open_settings "${1:-}"

secret="quickstart-receiver-secret-$run"
receiver="$REDLINE_DEV_RECEIVER_URL/ok/quickstart-$run"

say "1. A workspace, and the token of its first key"
make_workspace "Quick Start"

say "2. A definition: a webhook, then a person, then a webhook"
# The receiver answers this path with the text encoded in it, so the first step has something to say.
draft=$(json_at '{"draft":{"words":412}}' draft)
call /v2/workflow/definitions/create "$(cat <<JSON
{ "definitionId": "quickstart", "name": "Quick start",
  "nodes": [
    { "nodeId": "draft", "type": "webhook", "config": { "url": "$draft" } },
    { "nodeId": "editor", "type": "human", "config": { "reviewers": [ { "userId": "u_editor", "mandatory": true } ] } },
    { "nodeId": "publish", "type": "webhook", "config": { "url": "$REDLINE_DEV_RECEIVER_URL/ok/publisher" } },
    { "nodeId": "send-back", "type": "webhook", "config": { "url": "$REDLINE_DEV_RECEIVER_URL/ok/author" } } ],
  "edges": [
    { "from": "draft", "to": "editor" },
    { "from": "editor", "to": "publish", "on": "approve" },
    { "from": "editor", "to": "send-back", "on": "reject" } ] }
JSON
)" | field version | sed 's/^/quickstart, version /'

say "3. Dispatched twice with one key: one execution"
dispatch="{\"definitionId\":\"quickstart\",\"organizationId\":\"acme\",\"documentId\":\"spring\",\"idempotencyKey\":\"order-$run\",\"triggerContext\":{\"title\":\"Spring catalogue\",\"content\":\"The catalogue of spring, for print\"},\"webhookUrl\":\"$receiver\",\"webhookSecret\":\"$secret\"}"
first=$(call /v2/workflow/executions/dispatch "$dispatch")
second=$(call /v2/workflow/executions/dispatch "$dispatch")
execution=$(field executionId <<<"$first")
echo "first:  $first"
echo "second: $second"
[ "$(field executionId <<<"$second")" = "$execution" ] && [ "$(field deduplicated <<<"$second")" = true ] || fail "the second dispatch was not recognised"

say "4. The step that waits for the editor"
waiting=$(until_found 60 '"stepId"' call /v2/workflow/steps/list "{\"reviewerId\":\"u_editor\",\"executionId\":\"$execution\",\"status\":\"waiting\"}")
step=$(field stepId <<<"$waiting")
echo "$step"

say "5. The editor approves"
call /v2/workflow/steps/recordReviewerDecision "{\"executionId\":\"$execution\",\"stepId\":\"$step\",\"reviewerId\":\"u_editor\",\"decision\":\"approve\",\"reason\":\"Reads well.\"}"

say "6. It publishes and completes; its events"
events=$(until_found 60 '"execution.completed"' call /v2/workflow/executions/getEvents "{\"executionId\":\"$execution\"}")
grep -oE '"seq":[0-9]+|"type":"[^"]*"' <<<"$events" | sed -E 's/"seq"://; s/"type":"([^"]*)"/\1/' | paste - - | sed 's/^/  /'
sent=$(grep -oE '"eventId":' <<<"$events" | wc -l)

say "7. Its deliveries"
# all_delivered: the deliveries, once each event has one that arrived.
all_delivered() {
  local answer
  answer=$(call /v2/workflow/executions/getDeliveries "{\"executionId\":\"$execution\",\"pageSize\":500}")
  if [ "$(grep -oE '"status":"delivered"' <<<"$answer" | wc -l)" -ge "$sent" ]; then echo "complete $answer"; fi
}
deliveries=$(until_found 60 complete all_delivered)
grep -oE '"event":"[^"]*"|"status":"[^"]*"' <<<"$deliveries" | sed -E 's/"[a-z]*":"([^"]*)"/\1/' | paste - - | sed 's/^/  /'

say "8. The same at the receiver, signatures verified with openssl"
inbox=$(curl --silent --show-error "$REDLINE_DEV_INBOX_URL?path=/ok/quickstart-$run")
checked=0
for n in $(grep -oE '"n":[0-9]+' <<<"$inbox" | cut -d: -f2); do
  item=$(curl --silent "$REDLINE_DEV_INBOX_URL?path=/ok/quickstart-$run&after=$((n - 1))" | sed 's/},{"n":.*//')
  claimed=$(field x-svc-signature <<<"$item")
  computed=sha256=$(curl --silent "$REDLINE_DEV_INBOX_URL/$n/body" | openssl dgst -sha256 -hmac "$secret" | sed 's/.* //')
  [ "$claimed" = "$computed" ] || fail "request $n has the signature $claimed, computed was $computed"
  echo "  $(curl --silent "$REDLINE_DEV_INBOX_URL/$n/body" | field event)  $claimed  verified"
  checked=$((checked + 1))
done
[ "$checked" -ge "$sent" ] || fail "$checked requests arrived for $sent events"

say "9. A comment reaches an endpoint, signature verified, and a person's mail"
call /v2/workspace/advancedwebhookconfig/update '{"isEnabled":true}' >/dev/null
call /v2/workspace/emailconfig/update '{"useEmailService":true}' >/dev/null
ear="/ok/comments-$run"
endpoint=$(call /v2/workspace/advancedwebhook/endpoints/create "{\"url\":\"$REDLINE_DEV_RECEIVER_URL$ear\",\"filterTypes\":[\"comment.add\"]}" | field id)
key=$(call /v2/workspace/advancedwebhook/endpoints/secret/get "{\"endpointId\":\"$endpoint\"}" | field secret)
key=$(openssl base64 -d -A <<<"${key#whsec_}" | od -An -v -tx1 | tr -d ' \n')
call /v2/commentannotations/add "$(cat <<JSON
{ "organizationId": "acme", "documentId": "spring", "createOrganization": true, "createDocument": true,
  "commentAnnotations": [ { "commentData": [ {
    "commentText": "Which year is this, {{u_bob}}?", "triggerNotification": true,
    "from": { "userId": "u_ann", "name": "Ann", "email": "ann@reader.test" },
    "taggedUserContacts": [ { "userId": "u_bob", "contact": { "userId": "u_bob", "name": "Bob", "email": "bob-$run@reader.test" } } ] } ] } ] }
JSON
)" >/dev/null
item=$(until_found 60 webhook-signature curl --silent --show-error "$REDLINE_DEV_INBOX_URL?path=$ear")
body=$REDLINE_DEV_INBOX_URL/$(field n <<<"$item")/body
computed=v1,$({ printf '%s.%s.' "$(field webhook-id <<<"$item")" "$(field webhook-timestamp <<<"$item")"; curl --silent "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
[ "$(field webhook-signature <<<"$item")" = "$computed" ] || fail "the endpoint got another signature than $computed: $item"
echo "  $(curl --silent "$body" | field event)  $computed  verified"
mail=$(until_found 60 "bob-$run@reader.test" curl --silent --show-error "$REDLINE_DEV_MAILS_URL")
grep -oE "\"to\":[^]]*bob-$run[^}]*\"subject\":\"[^\"]*\"" <<<"$mail" | grep -oE '"subject":"[^"]*"' | head -n 1 | sed 's/^/  mail to Bob: /'

say "10. A real PDF is uploaded and brought in"
paper=$(cd "$(dirname "$0")/.." && pwd)/internal/extract/pdf/testdata/greenhouse.pdf
size=$(wc -c <"$paper" | tr -d ' ')
# bring_in <documentId>: uploads the paper as knowledge of the document and prints the source; one that the document has already is taken.
bring_in() {
  local address scope="\"organizationId\":\"acme\",\"documentId\":\"$1\""
  address=$(call /v2/memory/knowledge/upload-url "{$scope,\"mimeType\":\"application/pdf\",\"fileSize\":$size,\"fileName\":\"greenhouse.pdf\"}")
  curl --silent --show-error --fail -X PUT -H 'content-type: application/pdf' --data-binary "@$paper" "$(field uploadUrl <<<"$address")" >/dev/null
  call /v2/memory/knowledge/ingest "{$scope,\"source\":\"fileRef\",\"fileRef\":\"$(field fileRef <<<"$address")\",\"mimeType\":\"application/pdf\",\"onDuplicate\":\"reuse\"}" |
    field sourceId
}
source=$(bring_in spring)
brought=$(until_found 300 '"status":"completed"' call /v2/memory/knowledge/ingest-status "{\"sourceId\":\"$source\"}")
grep -oE '"(chunkCount|extractedRulesCount|pages)":[0-9]+' <<<"$brought" | sed 's/^/  /'

say "11. A question in other words finds its sentence"
# ask <source>: the hit with the sentence that answers the question, and its distance.
ask() {
  local answer found hit
  answer=$(call /v2/memory/knowledge/search "{\"query\":\"Are the plants really watered while a day is only simulated?\",\"sourceId\":\"$1\",\"limit\":5}")
  # A hit has a score only when it was found by its meaning.
  found=$(grep -oE '"text":"([^"\\]|\\.)*","score":[0-9.eE+-]+' <<<"$answer") || fail "nothing was found by its meaning: $answer"
  hit=$(grep 'completely disconnected from the pumps and valves' <<<"$found" | head -n 1) || fail "the sentence was not found in $answer"
  sed -E 's/\\n/ /g; s/.*"text":"(.*)","score":.*/\1/' <<<"$hit" | grep -oE '[^.]*completely disconnected from the pumps and valves[^.]*[.]?' |
    sed -E 's/^ */  /'
  echo "  distance ${hit##*:}"
}
ask "$source"

say "12. The editor's approval is remembered as a judgment"
# judged <documentId>: the approvals of the document.
judged() { call /v2/memory/judgments/query "{\"organizationId\":\"acme\",\"documentId\":\"$1\",\"decision\":\"approved\"}"; }
approval=$(judged spring)
grep -q 'Reads well.' <<<"$approval" || fail "the approval is not among the judgments: $approval"
grep -oE '"(decision|reasoning)":"[^"]*"' <<<"$approval" | sed 's/^/  /'

say "13. The document moves into a folder and gets another id"
call /v2/organizations/folders/add '{"organizationId":"acme","folders":[{"folderId":"seasons","folderName":"Seasons"}]}' >/dev/null
call /v2/organizations/documents/move '{"organizationId":"acme","documentIds":["spring"],"folderId":"seasons"}'
migration=$(call /v2/organizations/documents/migrate '{"organizationId":"acme","documentId":"spring","newDocumentId":"spring-2027"}' | field migrationId)
until_found 60 '"status":"completed"' call /v2/organizations/documents/migrate/status "{\"organizationId\":\"acme\",\"migrationId\":\"$migration\"}"

say "14. All of it is found under the new id, and nothing under the old one"
# commented <documentId>: the annotations of the document with their comments.
commented() { call /v1/commentannotations/get "{\"organizationId\":\"acme\",\"documentId\":\"$1\"}"; }
# finds <pattern> <command...>: what of the command's output has the pattern.
finds() { "${@:2}" | grep -oE "$1" | sort -u | sed 's/^/  /' || fail "no $1 from ${*:2}"; }
finds '"id":"spring-2027"' call /v2/organizations/documents/get '{"organizationId":"acme","folderId":"seasons"}'
finds '"commentText":"[^"]*"' commented spring-2027
finds '"reasoning":"Reads well."' judged spring-2027
[ "$(bring_in spring-2027)" = "$source" ] || fail "the PDF is not known as one of the document's"
ask "$source"
case $(commented spring; judged spring) in *'Which year'* | *'Reads well.'*) fail "something is left under the old id" ;; esac

say "15. A text replaces what a source holds, and shows which rules changed"
# house_rules <days>: the text, with so many days to pay.
house_rules() { printf '# House rules of %s\\n\\n- The gate must be closed at night.\\n- Bills must be paid within %s days.' "$run" "$1"; }
text=$(printf '%b' "$(house_rules 30)" | openssl base64 -A)
length=$(openssl base64 -d -A <<<"$text" | wc -c | tr -d ' ')
rules=$(call /v2/memory/knowledge/ingest "{\"source\":\"inline\",\"file\":{\"base64\":\"$text\",\"mimeType\":\"text/plain\",\"fileName\":\"rules.txt\",\"fileSize\":$length}}" |
  field sourceId)
until_found 300 '"status":"completed"' call /v2/memory/knowledge/ingest-status "{\"sourceId\":\"$rules\"}" >/dev/null
changed=$(call /v2/memory/knowledge/update "{\"sourceId\":\"$rules\",\"newContent\":\"$(house_rules 14)\"}")
# named <list> <sign>: the rules of that list of the answer.
named() { grep -oE "\"$1\":\[[^]]*\]" <<<"$changed" | grep -oE '"[^"]* [^"]*"' | sed -E "s/^\"(.*)\"\$/  $2 \1/" || fail "no rule was $1: $changed"; }
named removed -
named added +
echo "  $(field unchanged <<<"$changed") unchanged, version $(field newVersion <<<"$changed")"
until_found 60 '"liveVersion":2' call /v2/memory/knowledge/ingest-status "{\"sourceId\":\"$rules\"}" >/dev/null
finds '"text":"[^"]*within [0-9]+ days[^"]*"' call /v2/memory/knowledge/search "{\"query\":\"When is a bill due?\",\"sourceId\":\"$rules\",\"includeRules\":true}"

say "16. The next document of its kind gets a suggestion that rests on what was decided"
# A second approval that was made elsewhere; one voice alone is no suggestion.
call /v2/memory/judgments/record "$(cat <<JSON
{ "recordId": "quickstart-$run", "decision": "approved", "reasoning": "The figures are sourced.", "content": "The catalogue of winter, for print",
  "organizationId": "acme", "documentId": "winter", "actionUser": { "userId": "u_carol", "name": "Carol" } }
JSON
)" >/dev/null
# suggested: the suggestion for the catalogue of the next season, once it rests on both.
suggested() {
  local answer
  answer=$(call /v2/memory/suggest '{"query":"The catalogue of summer, for print","organizationId":"acme"}')
  case $answer in *'Reads well.'*'figures are sourced'* | *'figures are sourced'*'Reads well.'*) echo "complete $answer" ;; esac
}
until_found 60 complete suggested | grep -oE '"(recommendation|confidence|basedOn|topReasons|scopeLabel)":(\[[^]]*\]|"[^"]*"|[0-9.]+)' | sed 's/^/  /'

say "Done. Look at the execution in the Temporal UI:"
echo "  $REDLINE_TEMPORAL_UI_URL/namespaces/svc/workflows?query=RedlineExecutionId%3D%22$execution%22"
echo "and at what the receiver got: ${REDLINE_DEV_INBOX_URL%/dev/inbox}/"
