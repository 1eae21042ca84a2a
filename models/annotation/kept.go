package annotation

import (
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/shape"
)

// Kept are fields that callers send with an annotation or a comment and that the service
// keeps, shows and does nothing with, by their names. One that is null is taken away.
type Kept []shape.Pair

// onto returns what is kept once the fields are sent to what was stored, nil for nothing.
func (k Kept) onto(stored json.RawMessage) json.RawMessage {
	members := shape.MembersOf(stored)
	for _, sent := range k {
		at := slices.IndexFunc(members, func(m shape.Pair) bool { return m.Name == sent.Name })
		if at < 0 {
			members = append(members, sent)
		} else {
			members[at] = sent
		}
	}
	members = slices.DeleteFunc(members, shape.Pair.IsNull)
	if len(members) == 0 {
		return nil
	}
	return shape.AppendMembers([]byte("{}"), members)
}

// JSON is the fields as they are stored of something new, nil for none.
func (k Kept) JSON() json.RawMessage { return k.onto(nil) }

// keptAttachments is the name of the references to files, of all that is kept of a comment the
// only field that says something.
const keptAttachments = "attachments"

// onlyProgressed reports whether a comment has at most another progress or other actions than
// it had: it says what it said.
func (c *comment) onlyProgressed(was *comment) bool {
	alike := *c
	alike.Kept = was.Kept
	return alike.same(was) && sameJSON(shape.Value(c.Kept, keptAttachments), shape.Value(was.Kept, keptAttachments))
}
