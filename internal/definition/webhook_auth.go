package definition

import "encoding/json"

// authKey is the key of a trigger context whose value no read, predicate or
// template ever shows: the tokens of webhook nodes, by nodeId.
const authKey = "webhookAuth"

// SplitAuth returns a trigger context without the tokens of its webhook nodes, and the
// tokens. Without any the text stays as it was sent.
func SplitAuth(trigger json.RawMessage) (rest, auth json.RawMessage) {
	if len(trigger) == 0 {
		return json.RawMessage(`{}`), nil
	}
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal(trigger, &keys); err != nil || keys[authKey] == nil {
		return trigger, nil
	}
	auth = keys[authKey]
	delete(keys, authKey)
	rest, err := json.Marshal(keys)
	if err != nil {
		return json.RawMessage(`{}`), auth
	}
	return rest, auth
}
