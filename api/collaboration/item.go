package collaboration

import (
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
)

// Item says what became of one item of a call.
type Item struct {
	Success bool   `json:"success"`
	ID      string `json:"id" doc:"the service's own id of the item, the same in every answer"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
	Code    string `json:"code,omitempty" enum:"not-found,already-exists,not-member,in-progress,cycle,already-decided,not-a-suggestion"`
}

// sentences say what the codes of entries mean.
type sentences map[string]string

var (
	userSentences = sentences{
		directory.CodeNotFound:  "The user does not exist.",
		directory.CodeNotMember: "The user was not added at this level.",
	}
	folderSentences = sentences{
		directory.CodeNotFound:      "The folder, or the one that it shall stand in, does not exist.",
		directory.CodeAlreadyExists: "A folder has this id already.",
		directory.CodeCycle:         "The folder would stand in itself, or deeper than 20 folders.",
	}
	commentSentences  = sentences{directory.CodeNotFound: "The annotation has no such comment."}
	deletionSentences = sentences{directory.CodeNotFound: "The document has no such annotation."}
	updateSentences   = sentences{
		directory.CodeNotFound:        "The document has no such annotation.",
		annotation.CodeAlreadyDecided: "What the annotation suggests is decided otherwise already.",
		annotation.CodeNotASuggestion: "The annotation suggests nothing.",
	}
	seenSentences         = sentences{directory.CodeNotFound: "The document has no such annotation that the user may see."}
	notificationSentences = sentences{directory.CodeNotFound: "There is no such notification."}
	// thingSentences are those of organizations and documents.
	thingSentences = sentences{
		directory.CodeNotFound:      "It does not exist.",
		directory.CodeAlreadyExists: "It exists already and stays as it is.",
		directory.CodeInProgress:    "A migration of a document has to end first.",
	}
)

// of is the message of an entry: done after success.
func (s sentences) of(e directory.Entry, done string) string {
	if e.Success() {
		return done
	}
	return s[e.Code]
}

// items is the result of a call; done is the message of an item after success.
func (s sentences) items(entries []directory.Entry, done string) rpc.Keyed[Item] {
	return rpc.Each(entries, func(e directory.Entry) rpc.KeyedEntry[Item] {
		return rpc.KeyedEntry[Item]{Key: e.ID, Value: Item{e.Success(), e.ItemID, s.of(e, done), e.Code}}
	})
}
