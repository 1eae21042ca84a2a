package seed

import "encoding/base64"

// draftReply is what the receiver's content system says of a draft.
const draftReply = `{"draft":{"title":"Spring catalogue","words":412}}`

// definition is the example: the content system hands over a draft, two people
// sign it off, and it is published; a rejection goes back to the author.
func definition(receiverURL string) map[string]any {
	draft := receiverURL + "/json/" + base64.RawURLEncoding.EncodeToString([]byte(draftReply)) + "/content-system"
	return map[string]any{
		"definitionId": definitionID,
		"name":         "Editorial sign-off",
		"description":  "The content system hands over a draft, an editor and the legal desk sign it off, then it is published.",
		"tags":         []string{"example"},
		// Where the events of its executions go that name no receiver; the secret signs steps' calls too.
		"webhookConfig": map[string]string{"url": receiverURL + "/ok/events", "secret": "demo-receiver-secret-0001"},
		"nodes": []map[string]any{
			node("draft", "webhook", "Fetch the draft", map[string]any{"url": draft}),
			node("sign-off", "human", "Sign-off by editor and legal desk", map[string]any{
				"reviewers": []map[string]any{
					{"userId": "u_editor", "mandatory": true},
					{"userId": "u_legal", "mandatory": false},
				},
				"commentBody": "Please read the draft and decide.",
			}),
			node("publish", "webhook", "Publish", map[string]any{"url": receiverURL + "/ok/publisher"}),
			node("send-back", "webhook", "Send back to the author", map[string]any{"url": receiverURL + "/ok/author"}),
		},
		"edges": []map[string]any{
			{"from": "draft", "to": "sign-off", "on": "custom", "when": `{"op":"eq","args":[{"var":"step.status"},"completed"]}`},
			{"from": "sign-off", "to": "publish", "on": "approve"},
			{"from": "sign-off", "to": "send-back", "on": "reject"},
		},
	}
}

func node(id, kind, name string, config map[string]any) map[string]any {
	return map[string]any{"nodeId": id, "type": kind, "name": name, "config": config}
}
