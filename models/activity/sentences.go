package activity

import (
	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
)

// sentence is how an action is shown: a template, and the path of an icon of 16 by 16.
type sentence struct{ template, path string }

// The paths of icons: a bubble, a pencil, a bin, a tick and a cross.
const (
	bubble = `M2 3h12v8H7l-3 3v-3H2z`
	pencil = `M3 13l1-4 7-7 3 3-7 7z`
	bin    = `M3 4h10M6 4V2h4v2M4 4l1 10h6l1-10`
	tick   = `M3 8l4 4 6-8`
	cross  = `M4 4l8 8M12 4l-8 8`
)

// sentences are those of the actions on annotations and comments, by the names of their
// events.
var sentences = map[string]sentence{
	envelope.AnnotationAdd:                 {"{{actionUser.name}} added a comment", bubble},
	envelope.CommentAdd:                    {"{{actionUser.name}} replied to a comment", bubble},
	envelope.CommentUpdate:                 {"{{actionUser.name}} edited a comment", pencil},
	envelope.CommentDelete:                 {"{{actionUser.name}} deleted a comment", bin},
	envelope.AnnotationDelete:              {"{{actionUser.name}} deleted an annotation", bin},
	envelope.AnnotationAssign:              {"{{actionUser.name}} changed the assignee of an annotation", pencil},
	"comment_annotation.update":            {"{{actionUser.name}} changed an annotation", pencil},
	"comment_annotation.status_change":     {"{{actionUser.name}} changed the status of an annotation", tick},
	"comment_annotation.priority_change":   {"{{actionUser.name}} changed the priority of an annotation", pencil},
	"comment_annotation.suggestion_accept": {"{{actionUser.name}} accepted a suggestion", tick},
	"comment_annotation.suggestion_reject": {"{{actionUser.name}} rejected a suggestion", cross},
}

// nobodysName stands where a call names nobody who acted.
const nobodysName = "Somebody"

// Show gives a record the sentence of its action, about who acted: by name, by their id
// where they have no name. An action without a sentence keeps none.
func (r *Record) Show() {
	shown, known := sentences[r.ActionType]
	if !known {
		return
	}
	name, user := nobodysName, person.Of(r.ActionUser)
	if user.Name != nil && *user.Name != "" {
		name = *user.Name
	} else if user.UserID != "" {
		name = user.UserID
	}
	r.Template = shown.template
	r.TemplateData = shape.Encode(map[string]any{"actionUser": map[string]string{"userId": user.UserID, "name": name}})
	r.Icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="` + shown.path + `" fill="none" stroke="currentColor" stroke-width="2"/></svg>`
}
