package redline

import (
	"encoding/json"
	"net/http"
)

// committed returns the result of a call whose answer was lost and whose repetition was refused
// because what it makes is there. All its ids were made here, so it was this call that made it,
// and everything that its result says stands in what was sent.
func (s *sent) committed(err error) (json.RawMessage, bool) {
	refused := AsError(err)
	if !s.lost || !s.made || refused == nil || refused.HTTPStatus != http.StatusConflict || refused.Status != "ALREADY_EXISTS" {
		return nil, false
	}
	result := map[string]any{"status": "success", "message": "added by a call whose answer was lost"}
	switch s.operation {
	case &opAnnotationsAdd:
		result["data"] = s.addedAnnotations()
	case &opCommentsAdd:
		result["data"] = commentIDs(s.data)
	case &opActivitiesAdd:
		items := map[string]any{}
		for _, id := range idsOf(s.data["activities"], "id") {
			items[text(id)] = map[string]any{"success": true, "id": id, "message": result["message"]}
		}
		result["data"] = items
	default:
		return nil, false
	}
	written, err := json.Marshal(result)
	return written, err == nil
}

func (s *sent) addedAnnotations() map[string]any {
	added := map[string]any{}
	var annotations []object
	_ = json.Unmarshal(s.data["commentAnnotations"], &annotations) // it was written here
	for _, annotation := range annotations {
		added[text(annotation["annotationId"])] = map[string]any{
			"success": true, "annotationId": annotation["annotationId"],
			"commentIds": commentIDs(annotation), "message": "added by a call whose answer was lost",
		}
	}
	return added
}

// commentIDs are those of the comments of an object, which stand under one of two names.
func commentIDs(of object) []json.RawMessage {
	return append(idsOf(of["commentData"], "commentId"), idsOf(of["comments"], "commentId")...)
}

// idsOf are the values of one field of a list of objects.
func idsOf(list json.RawMessage, field string) []json.RawMessage {
	var things []object
	_ = json.Unmarshal(list, &things) // it was written here
	ids := make([]json.RawMessage, len(things))
	for i, thing := range things {
		ids[i] = thing[field]
	}
	return ids
}

func text(of json.RawMessage) string {
	var value string
	_ = json.Unmarshal(of, &value) // it was written here
	return value
}
