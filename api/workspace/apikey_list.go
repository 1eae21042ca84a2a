package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/models/workspace"
)

// APIKeyView is an API key; its id is public.
type APIKeyView struct {
	APIKeyName string `json:"apiKeyName"`
	ID         string `json:"id"`
	Type       string `json:"type" enum:"testing,production"`
}

func viewAPIKey(key workspace.APIKey) APIKeyView {
	return APIKeyView{APIKeyName: key.Name, ID: key.ID, Type: key.Type}
}

// APIKeyList is written as an object whose names are the ids, in its own order:
// the oldest key stays the first, which a map would not promise.
type APIKeyList []APIKeyView

// MarshalJSON writes the object.
func (l APIKeyList) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, key := range l {
		if i > 0 {
			text = append(text, ',')
		}
		name, err := json.Marshal(key.ID)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}'), nil
}

// UnmarshalJSON reads the object in the order of the text.
func (l *APIKeyList) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return errors.Join(errors.New("the list of keys must be an object"), err)
	}
	*l = APIKeyList{}
	for decoder.More() {
		if _, err := decoder.Token(); err != nil {
			return err
		}
		var key APIKeyView
		if err := decoder.Decode(&key); err != nil {
			return err
		}
		*l = append(*l, key)
	}
	return nil
}

// Schema documents the object.
func (APIKeyList) Schema(registry huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:                 huma.TypeObject,
		Description:          "the workspace's keys by id, oldest first",
		AdditionalProperties: registry.Schema(reflect.TypeFor[APIKeyView](), true, ""),
	}
}
