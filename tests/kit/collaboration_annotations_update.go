package kit

import (
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Updating returns a call that sets these fields of the annotation n in the document d.
func Updating(fields map[string]any, more ...map[string]any) map[string]any {
	call := Doc("d", map[string]any{"annotationIds": []string{"n"}, "updatedData": fields})
	for _, one := range more {
		maps.Copy(call, one)
	}
	return call
}

// StatusOf returns a status of a type, named as its id.
func StatusOf(id, kind string) map[string]any {
	return map[string]any{"id": id, "name": "Name of " + id, "type": kind, "color": "#111", "lightColor": "#eee", "iconUrl": "https://icons.example.com/" + id}
}

// PriorityOf returns a priority that is named as its id.
func PriorityOf(id string) map[string]any {
	return map[string]any{"id": id, "name": id, "color": "#f00", "lightColor": "#fee"}
}

// Given returns the entry of an annotation that was updated.
func Given(id string) redline.Item {
	return redline.Item{Success: true, ID: id, Message: "Annotation updated."}
}

// Gives makes an update that has to find every annotation.
func Gives(env *Env, call map[string]any) {
	env.T.Helper()
	for id, entry := range Items(env, client.UpdateAnnotations, call) {
		require.Equal(env.T, Given(id), entry)
	}
}

// Suggesting returns the annotation n, which suggests something.
func Suggesting(suggestion map[string]any, comments ...map[string]any) map[string]any {
	return With(Annotated("n", comments...), map[string]any{"type": "suggestion", "suggestion": suggestion})
}

// Decides returns the fields of an update that sets the status of a suggestion.
func Decides(status string, more ...map[string]any) map[string]any {
	suggestion := map[string]any{"status": status}
	for _, one := range more {
		maps.Copy(suggestion, one)
	}
	return map[string]any{"suggestion": suggestion}
}

// DoneBy returns the fields that name the user who makes a call.
func DoneBy(user string) map[string]any {
	return map[string]any{"actionUser": map[string]any{"userId": user}}
}
